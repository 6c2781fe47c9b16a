// expect: none
/* The old reduction of a warp, volatile and with __syncwarp(). */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ volatile int part[32];
    int i = threadIdx.x;
    part[i] = x[i];
    for (int d = 16; d; d /= 2) {
        __syncwarp();
        int other = part[(i + d) % 32];
        __syncwarp();
        part[i] = part[i] + other;
    }
    y[i] = part[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
