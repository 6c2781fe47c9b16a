// expect: race
/* The tile is refilled while others may still read it: the second barrier is missing. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[i] = x[k * BLOCK + i];
        __syncthreads();
        sum += tile[BLOCK - 1 - i];
    }
    y[i] = sum;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
