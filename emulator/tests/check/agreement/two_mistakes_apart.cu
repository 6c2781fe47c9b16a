// expect: race
/* A race in one of two blocks only. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    tile[i] = x[i];
    if (blockIdx.x == 0)
        __syncthreads();
    y[blockIdx.x * BLOCK + i] = tile[BLOCK - 1 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
