// expect: lost_lane
/* A lane executes __syncwarp with a mask that does not name it. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    y[i] = x[i];
    __syncwarp(i < 16 ? 0xffff0000u : 0x0000ffffu);
    x[i] = y[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
