// expect: race
/* The result is copied in another stream than the kernel's. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    cudaStream_t s, t;
    CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));

    int *x = device<int>(BLOCK), *y = device<int>(BLOCK), *host;
    CUDA(cudaMallocHost(&host, BLOCK * sizeof(int)));
    kernel<<<1, BLOCK, 0, s>>>(x, y, BLOCK);
    CUDA(cudaMemcpyAsync(host, y, BLOCK * sizeof(int), cudaMemcpyDeviceToHost, t));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFreeHost(host));
    return finish();
}
