// expect: warning
/* A tree over a part of a warp whose mask leaves the others out: they wait, and their values are read all the same. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i < 20) {
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0x000fffffu, v, d);
        if (i == 0)
            y[0] = v;
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
