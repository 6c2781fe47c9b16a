// expect: use_after_free
/* The kernel runs after cudaFree. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    int *x = device<int>(BLOCK), *y;
    CUDA(cudaMalloc(&y, BLOCK * sizeof(int)));
    CUDA(cudaFree(y));
    kernel<<<1, BLOCK>>>(x, y, BLOCK);
    return finish();
}
