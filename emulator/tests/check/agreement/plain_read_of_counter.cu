// expect: warning
/* A plain read of a counter that others update with atomics. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&x[0], 1);
    y[i] = x[0];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
