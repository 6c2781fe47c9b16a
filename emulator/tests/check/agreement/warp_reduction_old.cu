// expect: warning
/* The old reduction of a warp: volatile, and no __syncwarp(). */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ volatile int part[64];
    int i = threadIdx.x;
    part[i] = x[i];
    part[i + 32] = 0;
    __syncwarp();
    for (int d = 16; d; d /= 2)
        part[i] += part[i + d];
    y[i] = part[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
