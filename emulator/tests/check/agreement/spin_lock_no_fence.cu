// expect: race
/* The same lock without fences. */
#include "agreement.h"

__device__ int lock, guarded;
__global__ void kernel(int *x, int *y) {
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    guarded = guarded + 1;
    atomicExch(&lock, 0);
    y[blockIdx.x] = x[blockIdx.x];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<4, 1>>>(x, y);
    return finish();
}
