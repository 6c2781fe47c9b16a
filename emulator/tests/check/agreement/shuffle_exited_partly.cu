// expect: none
/* The mask names some of the lanes that have left and not others; none of them is read. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i >= 16)
        return;
    v += __shfl_xor_sync(0x00ffffffu, v, 8);
    v += __popc(__ballot_sync(0x00ffffffu, v));
    __syncwarp(0x00ffffffu);
    y[i] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
