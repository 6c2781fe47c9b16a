// expect: api_error
// says: cudaStreamSynchronize
/* philox_words waits for its kernel. */
#include <stdint.h>

#include "common/check.h"
#include "right.h"

void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    right_bias_gelu(x, bias, y, rows, cols, stream);
}

void philox_words(const uint4 *counters, const uint2 *keys, uint4 *words, int n, cudaStream_t stream) {
    right_philox_words(counters, keys, words, n, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
}

void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call,
             cudaStream_t stream) {
    right_dropout(x, y, n, p, seed, call, stream);
}

void bias_gelu_dropout(const float *x, const float *bias, const float *residual, float *y, int rows, int cols, float p,
                       unsigned long long seed, unsigned long long call, cudaStream_t stream) {
    right_bias_gelu_dropout(x, bias, residual, y, rows, cols, p, seed, call, stream);
}
