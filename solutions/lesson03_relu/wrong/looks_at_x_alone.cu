// expect: misaligned
/* float4 if x lies on a multiple of 16: y may lie elsewhere. */
#include <math.h>
#include <stdint.h>

#include "common/check.h"

__device__ float gelu_of(float v, bool exact) {
    float u = 0.7978845608f * (v + 0.044715f * v * v * v);
    return 0.5f * v * (1.0f + (exact ? erff(v * (float)M_SQRT1_2) : tanhf(u)));
}

__global__ void gelu_kernel(const float *x, float *y, int n, bool exact) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int whole = (uintptr_t)x % 16 == 0 ? n / 4 : 0;
    if (i < whole) {
        float4 v = ((const float4 *)x)[i];
        ((float4 *)y)[i] =
            make_float4(gelu_of(v.x, exact), gelu_of(v.y, exact), gelu_of(v.z, exact), gelu_of(v.w, exact));
    }
    if (4 * whole + i < n) {
        y[4 * whole + i] = gelu_of(x[4 * whole + i], exact);
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
