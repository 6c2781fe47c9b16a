// expect: none
/* Neighbouring bytes of one word belong to different threads. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ unsigned char bytes[BLOCK];
    int i = threadIdx.x;
    bytes[i] = (unsigned char)x[i];
    y[i] = bytes[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
