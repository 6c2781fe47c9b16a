// expect: none
/* A shuffle of all lanes on both sides of a branch: they exchange values across it. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i < 16)
        y[i] = __shfl_xor_sync(0xffffffffu, v + 1, 16);
    else
        y[i] = 3 * __shfl_xor_sync(0xffffffffu, v, 16);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
