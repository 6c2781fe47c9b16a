// expect: warning
/* Lanes of one warp exchange values through global memory without __syncwarp(). */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    x[i] = i;
    y[i] = x[31 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
