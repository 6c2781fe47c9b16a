// expect: api_error
// says: it uses more memory with each call
/* A copy of x for each call, which nobody frees. */
#include <stdint.h>

#include "common/check.h"
#include "right.h"

void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    right_bias_gelu(x, bias, y, rows, cols, stream);
}

void philox_words(const uint4 *counters, const uint2 *keys, uint4 *words, int n, cudaStream_t stream) {
    right_philox_words(counters, keys, words, n, stream);
}

void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call,
             cudaStream_t stream) {
    float *copy;
    CUDA_CHECK(cudaMallocAsync((void **)&copy, (n + 1) * sizeof(float), stream));
    right_dropout(x, y, n, p, seed, call, stream);
}

void bias_gelu_dropout(const float *x, const float *bias, const float *residual, float *y, int rows, int cols, float p,
                       unsigned long long seed, unsigned long long call, cudaStream_t stream) {
    right_bias_gelu_dropout(x, bias, residual, y, rows, cols, p, seed, call, stream);
}
