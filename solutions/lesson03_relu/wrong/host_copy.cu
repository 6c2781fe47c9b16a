// expect: host_pointer
/* The kernel gets the address of an array on the host. */
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
        y[i] = form == GELU_ERF ? gelu_erf_of(x[i]) : gelu_tanh_of(x[i]);
    }
}

static void gelu(const float *x, float *y, int n, enum gelu_form form, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    static float copy[1 << 19];
    CUDA_CHECK(cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    gelu_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(copy, y, n, form);
    CUDA_CHECK_LAUNCH();
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_ERF, stream);
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_TANH, stream);
}
