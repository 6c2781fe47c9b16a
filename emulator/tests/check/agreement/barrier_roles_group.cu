// expect: none
/* A barrier.sync on each side of a branch between warps: it may stand at several places. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    if (i < 32) {
        tile[i] = x[i];
        asm volatile("barrier.sync 0;" ::: "memory");
        y[i] = tile[i + 32];
    } else {
        tile[i] = 2 * x[i] + 1;
        asm volatile("barrier.sync 0;" ::: "memory");
        y[i] = 3 * tile[i - 32];
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
