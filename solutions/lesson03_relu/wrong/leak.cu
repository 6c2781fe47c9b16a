// expect: api_error
// says: it uses more memory with each call
/* A copy of x, in memory that is not freed. */
#include <stdint.h>

#include "common/check.h"
#include "right.h"

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    float *copy;
    CUDA_CHECK(cudaMallocAsync((void **)&copy, (n + 1) * sizeof(float), stream));
    CUDA_CHECK(cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    right_gelu(x, y, n, true, stream);
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    right_gelu(x, y, n, false, stream);
}
