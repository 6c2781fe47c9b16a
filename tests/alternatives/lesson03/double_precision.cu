// expect: pass
/* Written differently: in double, rounded once, and with a two-dimensional grid. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 96 };
enum gelu_form { GELU_ERF, GELU_TANH };

__device__ float gelu_erf_of(float x) {
    return (float)(0.5 * x * erfc(-x * M_SQRT1_2));
}

__device__ float gelu_tanh_of(float x) {
    double cube = (double)x * x * x;
    return (float)(0.5 * x * (1.0 + tanh(0.79788456080286536 * (x + 0.044715 * cube))));
}

__global__ void gelu_kernel(const float *x, float *y, int n, enum gelu_form form) {
    long long block = (long long)blockIdx.y * gridDim.x + blockIdx.x;
    long long i = block * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    y[i] = form == GELU_ERF ? gelu_erf_of(x[i]) : gelu_tanh_of(x[i]);
}

static void gelu(const float *x, float *y, int n, enum gelu_form form, cudaStream_t stream) {
    int blocks = n / BLOCK + (n % BLOCK != 0);
    dim3 grid(blocks < 64 ? blocks : 64, (blocks + 63) / 64);
    if (n > 0) {
        gelu_kernel<<<grid, BLOCK, 0, stream>>>(x, y, n, form);
        CUDA_CHECK_LAUNCH();
    }
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_ERF, stream);
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_TANH, stream);
}
