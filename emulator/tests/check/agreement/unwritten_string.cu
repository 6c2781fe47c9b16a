// expect: uninitialized
/* A kernel prints a string that nobody has written. */
#include "agreement.h"

__global__ void kernel(const char *text) {
    printf("%.3s\n", text);
}

int main() {
    char *text = device_raw<char>(4);
    kernel<<<1, 1>>>(text);
    return finish();
}
