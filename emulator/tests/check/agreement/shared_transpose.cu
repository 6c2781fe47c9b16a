// expect: race
/* A transposition through shared memory without a barrier. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[8][9];
    int i = threadIdx.x % 8, j = threadIdx.x / 8;
    tile[j][i] = x[j * 8 + i];
    y[j * 8 + i] = tile[i][j];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
