/* The largest element first, then the sum: two reductions, each with a barrier of its own, and no pairs. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 512, EACH = 8 };
#define ALL_LANES 0xffffffffu

template <class Join> static __device__ float block_all(float value, float nothing, float *shared, Join join) {
    for (int step = 1; step < 32; step *= 2) {
        value = join(value, __shfl_xor_sync(ALL_LANES, value, step));
    }
    if (threadIdx.x % 32 == 0) {
        shared[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = nothing;
    for (int warp = 0; warp < BLOCK / 32; warp++) { // all threads read the same word: one wavefront
        value = join(value, shared[warp]);
    }
    return value;
}

static __global__ void cross_entropy_kernel(const float *x, const int *target, float *log_p, float *loss, int cols) {
    __shared__ float largest_of[BLOCK / 32], sum_of[BLOCK / 32];
    const size_t first = (size_t)blockIdx.x * cols;
    float v[EACH], largest = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int c = i * BLOCK + threadIdx.x;
        v[i] = c < cols ? x[first + c] : -INFINITY;
        largest = fmaxf(largest, v[i]);
    }
    largest = block_all(largest, -INFINITY, largest_of, [](float a, float b) { return fmaxf(a, b); });
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int c = i * BLOCK + threadIdx.x;
        v[i] -= largest; // in a row of -INFINITY only this is NaN, and so is the sum
        sum += c < cols ? expf(v[i]) : 0.0f;
    }
    sum = block_all(sum, 0.0f, sum_of, [](float a, float b) { return a + b; });
    float log_sum = logf(sum);
    int wanted = target[blockIdx.x];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int c = i * BLOCK + threadIdx.x;
        if (c < cols) {
            log_p[first + c] = v[i] - log_sum;
            if (c == wanted) {
                loss[blockIdx.x] = log_sum - v[i];
            }
        }
    }
    if (wanted < 0 && threadIdx.x == BLOCK - 1) {
        loss[blockIdx.x] = 0.0f;
    }
}

void cross_entropy(const float *x, const int *target, float *log_p, float *loss, int rows, int cols,
                   cudaStream_t stream) {
    if (rows > 0) {
        cross_entropy_kernel<<<rows, BLOCK, 0, stream>>>(x, target, log_p, loss, cols);
        CUDA_CHECK_LAUNCH();
    }
}
