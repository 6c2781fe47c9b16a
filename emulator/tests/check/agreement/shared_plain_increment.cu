// expect: race
/* Threads count in a shared variable without atomics. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (x[threadIdx.x] == 0)
        count = count + 1;
    __syncthreads();
    y[threadIdx.x] = count;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
