// expect: none
/* A shuffle among whoever is in the branch. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i % 3) {
        unsigned mask = __activemask();
        v += __shfl_sync(mask, v, __ffs(mask) - 1);
    }
    y[i] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
