// expect: warning
/* Lanes of one warp exchange values without __syncwarp(). */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    tile[i] = x[i];
    y[i] = tile[31 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
