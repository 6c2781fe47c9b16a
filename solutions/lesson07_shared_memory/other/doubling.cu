/* Windows of 1, 2, 4, ... elements, each from two of half the length: a few steps, with barriers between. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 512 };

/* Before the step of `width`, tile[t] is the largest of the `width` elements from t on. */
__global__ void moving_max_kernel(const float *x, float *y, int n, int radius) {
    extern __shared__ float memory[];
    int length = blockDim.x + 2 * radius, first = (int)(blockIdx.x * blockDim.x) - radius;
    float *tile = memory, *next = memory + length;
    for (int t = threadIdx.x; t < length; t += blockDim.x) {
        int j = first + t;
        tile[t] = j < 0 || j >= n ? -INFINITY : x[j];
    }
    __syncthreads();
    int window = 2 * radius + 1, width = 1;
    for (; 2 * width <= window; width *= 2) {
        for (int t = threadIdx.x; t < length; t += blockDim.x) {
            next[t] = t + width < length ? fmaxf(tile[t], tile[t + width]) : tile[t];
        }
        __syncthreads();
        float *previous = tile;
        tile = next;
        next = previous;
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fmaxf(tile[threadIdx.x], tile[threadIdx.x + window - width]); // two windows that overlap
    }
}

void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    size_t bytes = 2 * (BLOCK + 2 * radius) * sizeof(float);
    if (bytes > 48 * 1024) { // more than that must be asked for
        CUDA_CHECK(cudaFuncSetAttribute(moving_max_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    }
    moving_max_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, bytes, stream>>>(x, y, n, radius);
    CUDA_CHECK_LAUNCH();
}
