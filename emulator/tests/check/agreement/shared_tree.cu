// expect: none
/* A tree reduction as it should be. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int part[2 * BLOCK];
    int i = threadIdx.x;
    part[i] = x[i];
    for (int d = BLOCK; d; d /= 2) {
        __syncthreads();
        if (i < d)
            part[i] += part[i + d];
    }
    if (i == 0)
        y[0] = part[0];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 2 * BLOCK>>>(x, y);
    return finish();
}
