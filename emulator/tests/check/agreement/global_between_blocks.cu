// expect: race
/* Block 1 reads what block 0 writes. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    if (blockIdx.x == 0)
        x[i] = i;
    else
        y[i] = x[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, BLOCK>>>(x, y);
    return finish();
}
