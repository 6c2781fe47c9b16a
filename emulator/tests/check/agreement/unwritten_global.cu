// expect: uninitialized
/* A kernel reads memory that was never filled. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    int *x = device_raw<int>(BLOCK), *y = device<int>(BLOCK);
    kernel<<<1, BLOCK>>>(x, y, BLOCK);
    return finish();
}
