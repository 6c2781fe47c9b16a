// expect: access_limit
// says: a single block of in_turns_kernel
/* Right, but a single block does all elements, in turns. */
#include <stdint.h>

#include "common/check.h"
#include "right.h"

__global__ void in_turns_kernel(const float *x, const float *bias, float *y, int n, int cols) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        y[i] = gelu_of(x[i] + bias[i % cols]);
    }
}

void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    in_turns_kernel<<<1, 1024, 0, stream>>>(x, bias, y, rows * cols, cols);
    CUDA_CHECK_LAUNCH();
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
    right_bias_gelu_dropout(x, bias, residual, y, rows, cols, p, seed, call, stream);
}
