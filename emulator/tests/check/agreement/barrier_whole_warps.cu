// expect: none
/* A condition that is the same for the whole block. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    tile[i] = x[i];
    if (blockIdx.x == 0)
        __syncthreads();
    y[i] = blockIdx.x == 0 ? tile[BLOCK - 1 - i] : tile[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
