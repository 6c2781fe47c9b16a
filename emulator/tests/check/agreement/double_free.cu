// expect: double_free
/* The same pointer is freed twice. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    int *x = device<int>(BLOCK), *y;
    CUDA(cudaMalloc(&y, BLOCK * sizeof(int)));
    kernel<<<1, BLOCK>>>(x, y, BLOCK);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(y));
    CUDA(cudaFree(y));
    return finish();
}
