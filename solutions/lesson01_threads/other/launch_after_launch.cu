/* Correct, and a loop of the host: a launch for each 8192 elements, by cudaLaunchKernelEx. */
#include "common/check.h"

enum { PIECE = 8192, BLOCK = 64 };

__global__ void saxpy_piece(float a, const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a * x[i] + y[i];
    }
}

__global__ void reverse_piece(const float *in, float *last, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        last[-i] = in[i];
    }
}

static cudaLaunchConfig_t config_for(int n) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((n + BLOCK - 1) / BLOCK);
    config.blockDim = dim3(BLOCK);
    return config;
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    for (int from = 0; from < n; from += PIECE) {
        int count = n - from < PIECE ? n - from : PIECE;
        cudaLaunchConfig_t config = config_for(count);
        CUDA_CHECK(cudaLaunchKernelEx(&config, saxpy_piece, a, x + from, y + from, out + from, count));
    }
}

void reverse(const float *in, float *out, int n) {
    for (int from = 0; from < n; from += PIECE) {
        int count = n - from < PIECE ? n - from : PIECE;
        cudaLaunchConfig_t config = config_for(count);
        CUDA_CHECK(cudaLaunchKernelEx(&config, reverse_piece, in + from, out + n - 1 - from, count));
    }
}
