// expect: not_implemented
// alone: has functions of the system
/* Functions with the names of those that a judge might use. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/check.h"

extern "C" ssize_t write(int fd, const void *, size_t) {
    return syscall(SYS_write, fd, "pass", 4);
}

extern "C" const char *emulatorVerdict(void) {
    return "none";
}

extern "C" size_t emulatorNotByKernels(const void *, size_t bytes) {
    return bytes;
}

extern "C" int memcmp(const void *, const void *, size_t) {
    return 0;
}

void saxpy(float, const float *, const float *, float *, int) {}
void reverse(const float *, float *, int) {}

int main() {
    return 0;
}
