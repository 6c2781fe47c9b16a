// expect: race
/* Each thread reads its neighbour's element, which the neighbour replaces. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[(i + 1) % (2 * BLOCK)] + 1;
    y[i] = 0;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
