// expect: wrong_result
// says: an intermediate result overflowed
/* x is multiplied by 1 + erf first, and halved later: too late for the largest floats. */
#include <stdint.h>

#include "common/check.h"
#include "right.h"

__global__ void doubled_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] * (1.0f + erff(x[i] * 0.7071067812f)) / 2.0f;
    }
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    if (n > 0) {
        doubled_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
        CUDA_CHECK_LAUNCH();
    }
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    right_gelu(x, y, n, false, stream);
}
