// expect: none
/* The host reads managed memory when the kernel is done. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    int *x = device<int>(BLOCK), *y;
    CUDA(cudaMallocManaged(&y, BLOCK * sizeof(int)));
    kernel<<<1, BLOCK>>>(x, y, BLOCK);
    CUDA(cudaDeviceSynchronize());
    printf("%d\n", ((volatile int *)y)[3]);
    CUDA(cudaFree(y));
    return finish();
}
