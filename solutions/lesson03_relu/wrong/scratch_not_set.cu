// expect: uninitialized
/* A temporary of the thread's own is added in before it is set; its value happens not to matter. */
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
    if (i < n) {
        float scratch[4];
        if (form == GELU_ERF) {
            scratch[i & 3] = gelu_erf_of(x[i]);
        } else {
            scratch[i & 3] = gelu_tanh_of(x[i]);
        }
        float next = scratch[(i + 1) & 3];
        y[i] = next == 12345.0f ? next : scratch[i & 3];
    }
}

static void gelu(const float *x, float *y, int n, enum gelu_form form, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    gelu_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n, form);
    CUDA_CHECK_LAUNCH();
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_ERF, stream);
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_TANH, stream);
}
