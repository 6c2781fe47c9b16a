// expect: none
/* Structures with holes are copied through shared memory. */
#include "agreement.h"

struct pair {
    char small;
    double large;
};
__global__ void kernel(int *x, int *y) {
    __shared__ pair tile[BLOCK];
    int i = threadIdx.x;
    pair p;
    p.small = (char)x[i];
    p.large = 2.0 * i;
    tile[i] = p;
    __syncthreads();
    pair q = tile[BLOCK - 1 - i];
    y[i] = q.small + (int)q.large;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
