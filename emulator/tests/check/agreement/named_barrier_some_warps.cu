// expect: none
/* Two warps meet at a named barrier; a third one passes it, works and ends meanwhile. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    if (i < BLOCK) {
        tile[i] = x[i];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        x[i] = tile[BLOCK - 1 - i];
    }
    y[i] = 1;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK + 32>>>(x, y);
    return finish();
}
