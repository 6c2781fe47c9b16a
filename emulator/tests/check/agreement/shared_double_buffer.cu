// expect: none
/* Two buffers in turn: one barrier per step is enough. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[2][BLOCK];
    int i = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[k & 1][i] = x[k * BLOCK + i];
        __syncthreads();
        sum += tile[k & 1][BLOCK - 1 - i];
    }
    y[i] = sum;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
