// expect: none
/* The same with a guard. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * BLOCK)
        y[i] = x[i] + 1;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<5, BLOCK>>>(x, y);
    return finish();
}
