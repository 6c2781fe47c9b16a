// expect: crash
/* Writes a verdict into every descriptor that it finds, kills its parent if it can, and leaves. */
#include <signal.h>
#include <unistd.h>

#include "common/check.h"

void saxpy(float, const float *, const float *, float *, int) {
    for (int fd = 3; fd < 64; fd++) {
        (void)!write(fd, "pass", 4);
    }
    kill(getppid(), SIGKILL);
    _exit(0);
}

void reverse(const float *, float *, int) {}
