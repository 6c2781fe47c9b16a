// expect: stale_output
// says: was never written, expected nan
/* Where x is NaN nothing is written, since nothing can be computed. */
#include <math.h>
#include <stdint.h>

#include "common/check.h"

enum { BLOCK = 256 }; // threads in a block

enum gelu_form { GELU_ERF, GELU_TANH };

__device__ float gelu_erf_of(float x) {
    return 0.5f * x * (1.0f + erff(x * (float)M_SQRT1_2));
}

__device__ float gelu_tanh_of(float x) {
    float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

/* All threads of a launch take the same side of `form`, so it costs a comparison and no divergence. */
__device__ float gelu_of(float x, enum gelu_form form) {
    return form == GELU_ERF ? gelu_erf_of(x) : gelu_tanh_of(x);
}

/* Any address of a float. Grid: n threads or more. Thread i writes y[i]. */
__global__ void gelu_kernel(const float *x, float *y, int n, enum gelu_form form) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (!isnan(x[i])) {
            y[i] = gelu_of(x[i], form);
        }
    }
}

/* x and y on multiples of 16 bytes. Grid: n / 4 threads or more, and one block at least. Thread i writes y[4 * i] to y[4 * i + 3]. */
__global__ void gelu_vector_kernel(const float *x, float *y, int n, enum gelu_form form) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = ((const float4 *)x)[i];
        float f[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++) {
            if (!isnan(f[k])) {
                y[4 * i + k] = gelu_of(f[k], form);
            }
        }
    }
    int rest = n / 4 * 4 + i;
    if (rest < n) {
        y[rest] = gelu_of(x[rest], form);
    }
}

/* Is this a place for a float4? */
static bool holds_float4(const void *address) {
    return (uintptr_t)address % sizeof(float4) == 0;
}

static void gelu(const float *x, float *y, int n, enum gelu_form form, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    if (holds_float4(x) && holds_float4(y)) {
        int blocks = (n / 4 + BLOCK) / BLOCK; // one block at least: n may be less than 4
        gelu_vector_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n, form);
    } else {
        int blocks = (n + BLOCK - 1) / BLOCK;
        gelu_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n, form);
    }
    CUDA_CHECK_LAUNCH();
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_ERF, stream);
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    gelu(x, y, n, GELU_TANH, stream);
}
