// expect: access_limit
// says: it took 3 launches
/* One kernel where the columns are a multiple of 4, three where they are not. */
#include <stdint.h>

#include "common/check.h"
#include "right.h"

__global__ void add_kernel(float *y, const float *residual, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += residual[i];
    }
}

void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    right_bias_gelu(x, bias, y, rows, cols, stream);
}

void philox_words(const uint4 *counters, const uint2 *keys, uint4 *words, int n, cudaStream_t stream) {
    right_philox_words(counters, keys, words, n, stream);
}

void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call,
             cudaStream_t stream) {
    right_dropout(x, y, n, p, seed, call, stream);
}

void bias_gelu_dropout(const float *x, const float *bias, const float *residual, float *y, int rows, int cols, float p,
                       unsigned long long seed, unsigned long long call, cudaStream_t stream) {
    if (cols % 4 == 0 || residual == y || rows * cols == 0) {
        right_bias_gelu_dropout(x, bias, residual, y, rows, cols, p, seed, call, stream);
        return;
    }
    right_bias_gelu(x, bias, y, rows, cols, stream);
    right_dropout(y, y, rows * cols, p, seed, call, stream);
    if (residual) {
        add_kernel<<<rows * cols / BLOCK + 1, BLOCK, 0, stream>>>(y, residual, rows * cols);
        CUDA_CHECK_LAUNCH();
    }
}
