// expect: divergent_barrier
/* Both sides of a branch between warps call one function, and in it is one barrier. */
#include "agreement.h"

static __device__ __noinline__ int exchange(int *tile, int i, int value) {
    tile[i] = value;
    __syncthreads();
    return tile[BLOCK - 1 - i];
}

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    if (i < 32)
        y[i] = exchange(tile, i, x[i]);
    else
        y[i] = 3 * exchange(tile, i, 2 * x[i] + 1);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
