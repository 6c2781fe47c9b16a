/* gelu.cu - GELU and its derivative: the kernels of lesson 27. nvcc compiles this file, and this file alone. */
#include "gelu.h"

enum { BLOCK = 256 }; // threads in a block

/* Grid: n threads or more. y[i] = x[i] * P, where P is how much of a normal distribution lies below x[i]. */
__global__ void gelu_kernel(const float *x, float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.7071067812f));
    }
}

/* Grid: n threads or more. dx[i] = dy[i] times the derivative at x[i]: P + x[i] * density. */
__global__ void gelu_backward_kernel(const float *x, const float *dy, float *dx, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float below = 0.5f * (1.0f + erff(x[i] * 0.7071067812f));
        float density = 0.3989422804f * expf(-0.5f * x[i] * x[i]);
        dx[i] = dy[i] * (below + x[i] * density);
    }
}

static unsigned blocks_for(size_t n) {
    return (unsigned)((n + BLOCK - 1) / BLOCK);
}

cudaError_t gelu_forward(const float *x, float *y, size_t n, cudaStream_t stream) {
    if (n > 0) {
        gelu_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(x, y, n);
    }
    return cudaGetLastError();
}

cudaError_t gelu_backward(const float *x, const float *dy, float *dx, size_t n, cudaStream_t stream) {
    if (n > 0) {
        gelu_backward_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(x, dy, dx, n);
    }
    return cudaGetLastError();
}
