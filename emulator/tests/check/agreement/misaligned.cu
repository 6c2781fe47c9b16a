// expect: misaligned
/* A float4 at an address that is no multiple of 16. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x;
    int4 v = *(const int4 *)(x + i);
    y[i] = v.x + v.w;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
