// expect: none
/* Threads of several blocks set one flag to the same value. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] == 0)
        y[0] = 1;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
