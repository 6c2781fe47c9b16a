/* Four blocks, whatever n is, and a loop. */
#include "common/check.h"

__global__ void triple(const float *__restrict__ x, float *__restrict__ y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = x[i] + x[i] + x[i];
    }
}

void gemm_hopper(const float *x, float *y, int n, cudaStream_t stream) {
    triple<<<4, 128, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
