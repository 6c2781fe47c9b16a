// expect: uninitialized
/* A counter that nobody has set to 0. */
#include "agreement.h"

__global__ void kernel(int *count) {
    atomicAdd(count, 1);
}

int main() {
    int *count = device_raw<int>(1);
    kernel<<<1, BLOCK>>>(count);
    return finish();
}
