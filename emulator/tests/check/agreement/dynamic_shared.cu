// expect: race
/* The same mistake in an extern array. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    extern __shared__ int tile[];
    int i = threadIdx.x;
    tile[i] = x[i];
    y[i] = tile[BLOCK - 1 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK, BLOCK * sizeof(int)>>>(x, y);
    return finish();
}
