// expect: none
/* The last block that is done adds up what all have stored: a fence before the counter and after it. */
#include "agreement.h"

__device__ unsigned done;
__global__ void kernel(int *x, int *y) {
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    int sum = 0;
    for (int b = 0; b < (int)gridDim.x; b++)
        sum += x[b * blockDim.x + threadIdx.x];
    y[threadIdx.x] = sum;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(x, y);
    return finish();
}
