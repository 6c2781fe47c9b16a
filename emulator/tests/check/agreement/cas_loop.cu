// expect: none
/* A maximum of floats with the loop around atomicCAS that everybody writes. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, mine = x[i] + i, old = y[0], assumed;
    do {
        assumed = old;
        old = atomicCAS(&y[0], assumed, assumed > mine ? assumed : mine);
    } while (old != assumed);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
