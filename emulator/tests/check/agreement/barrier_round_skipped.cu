// expect: divergent_barrier
/* A warp goes around the barrier in the first round of an unrolled loop, and the other in the last. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x, sum = 0;
    tile[i] = x[i];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (k == 3 * (i / 32))
            continue;
        __syncthreads();
        sum += tile[k];
    }
    y[i] = sum;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
