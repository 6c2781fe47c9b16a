// expect: warning
/* The mask of a shuffle in a branch names all lanes; the others go around it, work, and leave the kernel. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i < 16)
        v += __shfl_xor_sync(0xffffffffu, v, 1);
    else
        y[i + 32] = v + 1;
    if (i < 16)
        y[i] = v;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
