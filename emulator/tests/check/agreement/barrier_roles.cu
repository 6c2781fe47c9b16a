// expect: divergent_barrier
/* The two sides of a branch between warps have a barrier each. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    if (i < 32) {
        tile[i] = x[i];
        __syncthreads();
        y[i] = tile[i + 32];
    } else {
        tile[i] = 2 * x[i] + 1;
        __syncthreads();
        y[i] = 3 * tile[i - 32];
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
