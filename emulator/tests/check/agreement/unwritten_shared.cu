// expect: uninitialized
/* Half of a shared array is never written, and all of it is read. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    if (i < BLOCK / 2)
        tile[i] = x[i];
    __syncthreads();
    y[i] = tile[i] + 1;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
