// expect: race
/* All threads write one variable, each another value. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int last;
    last = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = last + x[threadIdx.x];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
