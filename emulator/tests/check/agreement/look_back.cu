// expect: none
/* A scan in one pass: each block waits for its predecessor's sum, which a flag hands over. */
#include "agreement.h"

__device__ int flags[4], sums[4];
__global__ void kernel(int *x, int *y) {
    __shared__ int before;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        before = 0;
        if (blockIdx.x > 0) {
            while (((volatile int *)flags)[blockIdx.x - 1] == 0)
                ;
            __threadfence();
            before = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = before + (int)blockDim.x;
        __threadfence();
        ((volatile int *)flags)[blockIdx.x] = 1;
    }
    __syncthreads();
    y[i] = before + x[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(x, y);
    return finish();
}
