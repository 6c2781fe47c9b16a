// expect: none
/* A tree over the 16 lanes that have not left: its upper lanes read from those that have, and nobody reads their sums. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i >= 16)
        return;
    for (int d = 8; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (i == 0)
        y[0] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
