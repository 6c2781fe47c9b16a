// expect: unused
// checks: all,unused
/* An allocation of which only the first quarter is used: its size was given in bytes and multiplied by four. */
#include "agreement.h"

__global__ void kernel(int *y) {
    y[threadIdx.x] = threadIdx.x;
}

int main() {
    int *y = device_raw<int>(BLOCK * sizeof(int));
    kernel<<<1, BLOCK>>>(y);
    return finish();
}
