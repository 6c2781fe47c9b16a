// expect: divergent_barrier
/* A warp goes around the first barrier and meets the others at the second: their numbers are right. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    x[i] = i;
    if (i < 32)
        __syncthreads();
    y[i] = x[i];
    __syncthreads();
    x[i] = y[i] + 1;
    if (i >= 32)
        __syncthreads();
    y[i] = x[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
