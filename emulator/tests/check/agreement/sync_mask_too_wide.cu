// expect: none
/* A __syncwarp() in a branch names all lanes; the others leave the kernel, and need not come. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    if (i < 16) {
        y[i] = x[i];
        __syncwarp();
        y[i + 32] = x[i];
    } else {
        y[i] = 1;
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
