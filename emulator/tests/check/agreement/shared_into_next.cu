// expect: out_of_bounds
/* An index past the end of one shared array, into the next. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    __shared__ int first[BLOCK], second[BLOCK];
    int i = threadIdx.x;
    first[i] = x[i];
    second[i] = x[i] + 1;
    __syncthreads();
    y[i] = first[i + x[i] + 1] + second[BLOCK - 1 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
