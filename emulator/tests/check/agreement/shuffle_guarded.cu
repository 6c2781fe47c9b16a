// expect: none
/* A scan of a part of a warp: lanes near its end read from lanes that have left, and do not use what they get. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i >= 20)
        return;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_down_sync(0x000fffffu, v, d);
        if (i + d < 20)
            v += other;
    }
    y[i] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
