// expect: divergent_barrier
/* Lanes go around a barrier and have nothing to do behind it. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    tile[i] = 0;
    __syncthreads();
    if (i < 48) {
        tile[i] += x[i];
        __syncthreads();
    }
    if (i == 0)
        *y = tile[1] + tile[47];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
