// expect: none
/* A shuffle from lanes that are not in its mask, and what it gives is not used. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i < 16) {
        int other = __shfl_down_sync(0x0000ffffu, v, 8);
        if (i < 8)
            v += other;
    }
    y[i] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
