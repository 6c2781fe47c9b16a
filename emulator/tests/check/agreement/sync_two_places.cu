// expect: none
/* __syncwarp() on both sides of a branch: the lanes of one side wait for those of the other, and see what they wrote. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    tile[i] = x[i];
    if (i < 16) {
        __syncwarp();
        y[i] = tile[i + 16];
    } else {
        __syncwarp();
        y[i] = 2 * tile[i - 16];
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
