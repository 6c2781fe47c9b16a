// expect: race
/* Both sides of a branch of one warp use the same elements. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[16];
    int i = threadIdx.x;
    if (i < 16)
        tile[i] = x[i];
    else
        y[i] = tile[i - 16];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
