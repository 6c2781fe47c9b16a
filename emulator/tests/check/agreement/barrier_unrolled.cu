// expect: none
/* A loop with a barrier that is unrolled, and that all threads leave in the same round. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x, sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        tile[i] = x[i] + k;
        __syncthreads();
        sum += tile[BLOCK - 1 - i];
        __syncthreads();
        if (x[k] == 100)
            break;
    }
    y[i] = sum;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
