// expect: none
/* A vote of all lanes on both sides of a branch: they take it together. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, v = x[i];
    if (i < 16)
        y[i] = __ballot_sync(0xffffffffu, v == 0);
    else
        y[i] = 3 * __ballot_sync(0xffffffffu, v == 0);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
