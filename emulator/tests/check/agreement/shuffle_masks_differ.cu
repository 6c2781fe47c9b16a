// expect: lost_lane
/* Lanes that execute one shuffle give it different masks, each of which names its own lane. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    unsigned mask = i < 16 ? 0xffffffffu : 0xffff0000u;
    y[i] = v + __shfl_xor_sync(mask, v, 1);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
