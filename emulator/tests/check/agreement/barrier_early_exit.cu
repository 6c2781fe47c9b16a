// expect: none
/* Whole warps leave before the barrier. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    if (i >= BLOCK)
        return;
    tile[i] = x[i];
    __syncthreads();
    y[i] = tile[BLOCK - 1 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 2 * BLOCK>>>(x, y);
    return finish();
}
