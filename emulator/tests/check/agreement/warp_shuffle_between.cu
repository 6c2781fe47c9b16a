// expect: warning
/* Lanes of one warp exchange values, and between writing and reading there is a shuffle, which orders no memory. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    tile[i] = x[i];
    int other = __shfl_xor_sync(0xffffffffu, x[i], 1);
    y[i] = tile[31 - i] + other;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
