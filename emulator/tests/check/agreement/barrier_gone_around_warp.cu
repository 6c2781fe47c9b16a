// expect: divergent_barrier
/* A warp goes around a barrier and has nothing to do behind it. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    tile[i] = 0;
    __syncthreads();
    if (i < 32) {
        tile[i] += x[i];
        __syncthreads();
    }
    if (i == 0)
        *y = tile[1] + tile[31];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
