// expect: stale_output
/* The number of blocks is rounded down: the last elements have no thread. */
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
    int blocks = n > BLOCK ? n / BLOCK : 1;
    gemm_hopper_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
