// expect: out_of_bounds
/* No bounds guard: the last block has threads past the end. */
#include "common/check.h"

enum { BLOCK = 256 };

__global__ void attention_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 3.0f * x[i];
    (void)n;
}

void attention(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    attention_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
