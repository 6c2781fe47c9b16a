// expect: race
/* The kernel runs in the default stream, whatever the caller asked for. */
#include "common/check.h"

enum { BLOCK = 256 };

__global__ void gemm_hopper_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 3.0f * x[i];
    }
}

void gemm_hopper(const float *x, float *y, int n, cudaStream_t stream) {
    (void)stream;
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    gemm_hopper_kernel<<<blocks, BLOCK>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
