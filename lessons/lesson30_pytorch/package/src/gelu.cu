/* gelu.cu - GELU and its derivative for four types. nvcc compiles this file twice: setup.py has it in PyTorch's extension, and as a library
 * with a C interface it is called through ctypes.
 *
 *     nvcc --shared -Xcompiler -fPIC -cudart shared gelu.cu -o libgelu.so
 */
#include "gelu.h"

enum { BLOCK = 256 }; // threads in a block

// ---------------------------------------------------------------- device code

/* What a type is computed in: half and bfloat16 in float, and only the result is rounded to them. */
__device__ float wide(float v) {
    return v;
}
__device__ double wide(double v) {
    return v;
}
__device__ float wide(__half v) {
    return __half2float(v);
}
__device__ float wide(__nv_bfloat16 v) {
    return __bfloat162float(v);
}

__device__ void store(float *to, float v) {
    *to = v;
}
__device__ void store(double *to, double v) {
    *to = v;
}
__device__ void store(__half *to, float v) {
    *to = __float2half_rn(v);
}
__device__ void store(__nv_bfloat16 *to, float v) {
    *to = __float2bfloat16_rn(v);
}

/* How much of a normal distribution lies below v, and its density there. */
__device__ float below(float v) {
    return 0.5f * (1.0f + erff(v * 0.7071067812f));
}
__device__ double below(double v) {
    return 0.5 * (1.0 + erf(v * 0.70710678118654752));
}
__device__ float density(float v) {
    return 0.3989422804f * expf(-0.5f * v * v);
}
__device__ double density(double v) {
    return 0.39894228040143268 * exp(-0.5 * v * v);
}

/* Grid: n threads or more. y[i] = x[i] * below(x[i]). */
template <typename T> __global__ void gelu_kernel(const T *x, T *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        auto v = wide(x[i]);
        store(&y[i], v * below(v));
    }
}

/* Grid: n threads or more. dx[i] = dy[i] times the derivative at x[i]. */
template <typename T> __global__ void gelu_backward_kernel(const T *x, const T *dy, T *dx, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        auto v = wide(x[i]);
        store(&dx[i], wide(dy[i]) * (below(v) + v * density(v)));
    }
}

// ---------------------------------------------------------------- launchers

static unsigned blocks_for(size_t n) {
    return (unsigned)((n + BLOCK - 1) / BLOCK);
}

template <typename T> cudaError_t gelu_forward(const T *x, T *y, size_t n, cudaStream_t stream) {
    if (n > 0) {
        gelu_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(x, y, n);
    }
    return cudaGetLastError();
}

template <typename T> cudaError_t gelu_backward(const T *x, const T *dy, T *dx, size_t n, cudaStream_t stream) {
    if (n > 0) {
        gelu_backward_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(x, dy, dx, n);
    }
    return cudaGetLastError();
}

/* The linker finds what is made here, and only that. */
#define FOR(T)                                                                                                         \
    template cudaError_t gelu_forward<T>(const T *, T *, size_t, cudaStream_t);                                        \
    template cudaError_t gelu_backward<T>(const T *, const T *, T *, size_t, cudaStream_t);
FOR(float)
FOR(double)
FOR(__half)
FOR(__nv_bfloat16)

// ---------------------------------------------------------------- the C interface

/* gelu_forward_float ... gelu_backward_bfloat16: arrays on the device. They queue work in the stream, and return 0 or a CUDA error's number. */
#define IN_C(T, name)                                                                                                  \
    int gelu_forward_##name(const T *x, T *y, size_t n, cudaStream_t stream) {                                         \
        return gelu_forward(x, y, n, stream);                                                                          \
    }                                                                                                                  \
    int gelu_backward_##name(const T *x, const T *dy, T *dx, size_t n, cudaStream_t stream) {                          \
        return gelu_backward(x, dy, dx, n, stream);                                                                    \
    }
extern "C" {
IN_C(float, float)
IN_C(double, double)
IN_C(__half, half)
IN_C(__nv_bfloat16, bfloat16)
}
