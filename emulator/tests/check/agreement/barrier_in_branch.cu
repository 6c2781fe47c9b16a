// expect: divergent_barrier
/* Only some threads reach a __syncthreads(). */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    tile[i] = x[i];
    if (i < 20)
        __syncthreads();
    y[i] = tile[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
