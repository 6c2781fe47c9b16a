// expect: stale_output
/* float4, and the one to three elements that are left over are forgotten. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };
enum gelu_form { GELU_ERF, GELU_TANH };

__device__ float gelu_erf_of(float x) {
    return 0.5f * x * (1.0f + erff(x * (float)M_SQRT1_2));
}

__device__ float gelu_tanh_of(float x) {
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

__global__ void gelu_kernel(const float *x, float *y, int n, enum gelu_form form) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;
    if (i < n / 4) {
        float4 v = x4[i];
        if (form == GELU_ERF) {
            y4[i] = make_float4(gelu_erf_of(v.x), gelu_erf_of(v.y), gelu_erf_of(v.z), gelu_erf_of(v.w));
        } else {
            y4[i] = make_float4(gelu_tanh_of(v.x), gelu_tanh_of(v.y), gelu_tanh_of(v.z), gelu_tanh_of(v.w));
        }
    }
}

static void gelu(const float *x, float *y, int n, enum gelu_form form, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = (n + 4 * BLOCK - 1) / (4 * BLOCK);
    gelu_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n, form);
    CUDA_CHECK_LAUNCH();
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_ERF, stream);
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_TANH, stream);
}
