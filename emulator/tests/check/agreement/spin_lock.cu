// expect: none
/* A lock of a block, taken with atomicCAS and given back with atomicExch, with fences. */
#include "agreement.h"

__device__ int lock, guarded;
__global__ void kernel(int *x, int *y) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence();
        guarded = guarded + 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
    y[threadIdx.x] = x[threadIdx.x];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<4, 1>>>(x, y);
    return finish();
}
