// expect: race
/* A byte is read by another thread than the one that wrote it. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ unsigned char bytes[BLOCK];
    int i = threadIdx.x;
    bytes[i] = (unsigned char)x[i];
    y[i] = bytes[i ^ 32];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
