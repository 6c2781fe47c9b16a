// expect: uninitialized
/* A thread reads an element of its own array that it has not set. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int own[8], i = threadIdx.x;
    for (int k = 0; k < x[0] + 5; k++)
        own[(k + x[k]) & 7] = k;
    y[i] = own[(x[i] + i) & 7] + 1;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
