// expect: warning
/* A tree over a whole warp, some of whose lanes have left the kernel: what lane 0 stores was never anybody's value. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i >= 20)
        return;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (i == 0)
        y[0] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
