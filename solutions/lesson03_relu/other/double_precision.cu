// expect: pass
// says: your kernels compute in double precision
/* Written differently: in double, rounded once; a grid of two dimensions; one kernel, and each thread finds out how it may go. */
#include <math.h>
#include <stdint.h>

#include "common/check.h"

enum { BLOCK = 96 };

__device__ float exact(float x) {
    return (float)(0.5 * x * erfc(-x * M_SQRT1_2));
}

__device__ float approximate(float x) {
    double cube = (double)x * x * x;
    return (float)(0.5 * x * (1.0 + tanh(0.79788456080286536 * (x + 0.044715 * cube))));
}

__global__ void gelu_kernel(const float *x, float *y, int n, bool use_erf) {
    long long block = (long long)blockIdx.y * gridDim.x + blockIdx.x;
    long long first = (block * blockDim.x + threadIdx.x) * 4;
    bool whole = first + 4 <= n && (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0;
    float4 v;
    if (whole) {
        v = *(const float4 *)(x + first);
        v = use_erf ? make_float4(exact(v.x), exact(v.y), exact(v.z), exact(v.w))
                    : make_float4(approximate(v.x), approximate(v.y), approximate(v.z), approximate(v.w));
        *(float4 *)(y + first) = v;
        return;
    }
    for (long long i = first; i < first + 4 && i < n; i++) {
        y[i] = use_erf ? exact(x[i]) : approximate(x[i]);
    }
}

static void gelu(const float *x, float *y, int n, bool use_erf, cudaStream_t stream) {
    int blocks = n / (4 * BLOCK) + (n % (4 * BLOCK) != 0);
    dim3 grid(blocks < 64 ? blocks : 64, (blocks + 63) / 64);
    if (n > 0) {
        gelu_kernel<<<grid, BLOCK, 0, stream>>>(x, y, n, use_erf);
        CUDA_CHECK_LAUNCH();
    }
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, true, stream);
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, false, stream);
}
