// expect: none
/* Two halves of a warp synchronize apart from each other. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    unsigned half = i < 16 ? 0x0000ffffu : 0xffff0000u;
    tile[i] = x[i];
    __syncwarp(half);
    y[i] = tile[i ^ 15];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
