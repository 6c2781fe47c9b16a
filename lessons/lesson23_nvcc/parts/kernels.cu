#include <cstdio>
#include <cuda_runtime.h>

#include "silu.h"

__global__ void silu_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = silu(x[i]);
    }
}

bool silu_all(const float *x, float *y, int n) {
    float *dev_x = nullptr, *dev_y = nullptr;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&dev_x, bytes);
    cudaMalloc(&dev_y, bytes);
    cudaMemcpy(dev_x, x, bytes, cudaMemcpyHostToDevice);
    silu_kernel<<<(n + 255) / 256, 256>>>(dev_x, dev_y, n);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        error = cudaMemcpy(y, dev_y, bytes, cudaMemcpyDeviceToHost);
    }
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    }
    cudaFree(dev_x);
    cudaFree(dev_y);
    return error == cudaSuccess;
}
