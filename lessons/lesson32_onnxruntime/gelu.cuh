/* gelu.cuh - GELU and its derivative: the kernels of lesson 27, for float and float16. They compute in float. */
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { BLOCK = 256 }; // threads in a block

/* Grid: n threads or more. y[i] = x[i] * P, where P is how much of a normal distribution lies below x[i]. */
template <typename T> __global__ void gelu_kernel(const T *x, T *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = (float)x[i];
        y[i] = (T)(0.5f * v * (1.0f + erff(v * 0.7071067812f)));
    }
}

/* The same with an approximation of P. */
template <typename T> __global__ void gelu_tanh_kernel(const T *x, T *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = (float)x[i];
        y[i] = (T)(0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))));
    }
}

/* Grid: n threads or more. dx[i] = dy[i] times the derivative at x[i]: P + x[i] * density. */
template <typename T> __global__ void gelu_backward_kernel(const T *x, const T *dy, T *dx, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = (float)x[i];
        float below = 0.5f * (1.0f + erff(v * 0.7071067812f)), density = 0.3989422804f * expf(-0.5f * v * v);
        dx[i] = (T)((float)dy[i] * (below + v * density));
    }
}

enum Function { GELU, GELU_TANH, GELU_BACKWARD };

template <typename T>
static cudaError_t launch_of(Function function, const void *x, const void *dy, void *result, size_t n,
                             cudaStream_t stream) {
    unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
    if (n == 0) {
        return cudaSuccess;
    }
    if (function == GELU) {
        gelu_kernel<<<blocks, BLOCK, 0, stream>>>((const T *)x, (T *)result, n);
    } else if (function == GELU_TANH) {
        gelu_tanh_kernel<<<blocks, BLOCK, 0, stream>>>((const T *)x, (T *)result, n);
    } else {
        gelu_backward_kernel<<<blocks, BLOCK, 0, stream>>>((const T *)x, (const T *)dy, (T *)result, n);
    }
    return cudaGetLastError();
}
