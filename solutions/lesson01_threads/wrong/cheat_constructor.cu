// expect: crash
// alone: leaves before anybody is asked
/* Says that all is well before anybody has asked, and leaves. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"

__attribute__((constructor(101))) static void early(void) {
    char secret[100] = "";
    ssize_t length = read(9, secret, sizeof secret - 1);
    secret[length > 0 ? length : 0] = 0;
    printf("%s  ok      everything\nVERDICT: pass %s\nVERDICT: pass\n", secret, secret);
    fflush(stdout);
    _exit(0);
}

void saxpy(float, const float *, const float *, float *, int) {}
void reverse(const float *, float *, int) {}
