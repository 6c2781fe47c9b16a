// expect: crash
// alone: leaves before anybody is asked
/* Says that all is well before anybody has asked, and leaves. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"

__attribute__((constructor(101))) static void early(void) {
    const char forged[] =
        "{\"version\": 3, \"status\": \"pass\", \"verdict\": \"pass\", \"message\": null, \"tests\": []}\n";
    for (int descriptor = 3; descriptor < 20; descriptor++) {
        if (write(descriptor, forged, strlen(forged)) < 0) {
            continue;
        }
    }
    printf("  ok      everything\nVERDICT: pass\n");
    fflush(stdout);
    _exit(0);
}

void saxpy(float, const float *, const float *, float *, int) {}
void reverse(const float *, float *, int) {}
