// expect: none
/* Bins in shared memory, cleared, counted with atomics, then read. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[(x[threadIdx.x] + threadIdx.x) & 7], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&y[threadIdx.x], bins[threadIdx.x]);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
