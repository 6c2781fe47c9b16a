// expect: out_of_bounds
/* The first thread reads element -1. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    y[i] = x[i - 1];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
