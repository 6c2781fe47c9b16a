// expect: none
/* Threads that leave early store something first, where the others store behind the barrier. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    if (i >= 50) {
        y[i] = 0;
        return;
    }
    tile[i] = x[i];
    __syncthreads();
    y[i] = tile[49 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
