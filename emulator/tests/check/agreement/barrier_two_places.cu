// expect: divergent_barrier
/* The two sides of a branch within a warp have a barrier each. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    if (i % 2) {
        x[i] = 1;
        __syncthreads();
    } else {
        y[i] = 2;
        __syncthreads();
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
