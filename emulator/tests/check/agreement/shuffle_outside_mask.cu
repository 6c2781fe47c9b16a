// expect: warning
/* A shuffle reads from lanes that its mask does not name. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i < 16)
        v = __shfl_down_sync(0x0000ffffu, v, 16);
    y[i] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
