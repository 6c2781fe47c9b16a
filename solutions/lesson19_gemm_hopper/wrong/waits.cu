// expect: api_error
/* The launcher waits for its kernel. */
#include "common/check.h"

enum { BLOCK = 256 };

__global__ void gemm_hopper_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 3.0f * x[i];
    }
}

void gemm_hopper(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    gemm_hopper_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaStreamSynchronize(stream));
}
