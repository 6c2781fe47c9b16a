// expect: none
/* All threads of two warps set one flag to the same value. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (x[threadIdx.x] == 0)
        found = 1;
    __syncthreads();
    y[threadIdx.x] = found;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
