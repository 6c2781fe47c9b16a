// expect: warning
/* Every lane reads one lane, by number, which has left the kernel. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i == 0)
        return;
    y[i] = __shfl_sync(0xffffffffu, v, 0);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
