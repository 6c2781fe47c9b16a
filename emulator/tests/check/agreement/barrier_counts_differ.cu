// expect: divergent_barrier
/* Two warps name different numbers of threads for one barrier. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    x[i] = i;
    if (i < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 1, 96;" ::: "memory");
    y[i] = x[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
