// expect: access_limit
// says: warps accessed x
/* Right everywhere, and one float at a time where float4 could be had. */
#include <math.h>

#include "common/check.h"

__global__ void gelu_kernel(const float *x, float *y, int n, bool exact) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i], u = 0.7978845608f * (v + 0.044715f * v * v * v);
        y[i] = 0.5f * v * (1.0f + (exact ? erff(v * (float)M_SQRT1_2) : tanhf(u)));
    }
}

static void gelu(const float *x, float *y, int n, bool exact, cudaStream_t stream) {
    if (n > 0) {
        gelu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n, exact);
        CUDA_CHECK_LAUNCH();
    }
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, true, stream);
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, false, stream);
}
