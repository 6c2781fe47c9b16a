// expect: race
/* Two blocks add to one sum with atomics that hold within a block only. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd_block(&y[0], x[i] + i);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
