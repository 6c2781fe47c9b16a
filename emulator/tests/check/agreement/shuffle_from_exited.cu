// expect: warning
/* A shuffle reads from lanes that have left the kernel: what it gives is undefined, and it is used. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i >= 16)
        return;
    y[i] = __shfl_down_sync(0xffffffffu, v, 16);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
