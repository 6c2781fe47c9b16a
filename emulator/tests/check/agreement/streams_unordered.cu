// expect: race
/* Two streams: one kernel writes what the other reads. */
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

    int *x = device<int>(BLOCK), *y = device<int>(BLOCK), *z = device<int>(BLOCK);
    kernel<<<1, BLOCK, 0, s>>>(x, y, BLOCK);
    kernel<<<1, BLOCK, 0, t>>>(y, z, BLOCK);
    return finish();
}
