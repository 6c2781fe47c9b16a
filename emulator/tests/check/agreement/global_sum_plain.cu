// expect: race
/* All threads add to one sum without atomics. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[0] += x[i] + i;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
