// expect: wrong_result
// says: use erf
/* The other gelu, with tanh. */
#include "common/check.h"

enum { WARP = 32, BLOCK = 128, WARPS = BLOCK / WARP };
enum { GROUP = 64 }; // weights that share a scale
enum { ROWS = 4 };   // that a warp has at the same time
#define ALL_LANES 0xffffffffu

static __host__ __device__ int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

static __device__ float gelu(float v) {
    return 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

static __device__ float warp_sum(float value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    return value;
}

__global__ void layer_kernel(const signed char *q, const float *scales, const float *x, const float *bias, float *y,
                             int rows, int cols) {
    int row = (blockIdx.x * WARPS + threadIdx.x / WARP) * ROWS, lane = threadIdx.x % WARP;
    if (row >= rows) {
        return;
    }

    int vectors = cols / 4, groups = ceil_div(cols, GROUP); // of a row: char4 in q, float4 in x; scales
    float sum[ROWS] = {};

    for (int i = lane; i < vectors; i += WARP) {
        float4 a = ((const float4 *)x)[i];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (row + r < rows) {
                char4 w = ((const char4 *)q)[(size_t)(row + r) * vectors + i];
                float scale = scales[(size_t)(row + r) * groups + 4 * i / GROUP];
                sum[r] += scale * (w.x * a.x + w.y * a.y + w.z * a.z + w.w * a.w);
            }
        }
    }

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float total = warp_sum(sum[r]);
        if (lane == 0 && row + r < rows) {
            y[row + r] = gelu(total + bias[row + r]);
        }
    }
}

void layer(const signed char *q, const float *scales, const float *x, const float *bias, float *y, int rows, int cols,
           cudaStream_t stream) {
    if (rows == 0) {
        return;
    }
    layer_kernel<<<ceil_div(rows, WARPS * ROWS), BLOCK, 0, stream>>>(q, scales, x, bias, y, rows, cols);
    CUDA_CHECK_LAUNCH();
}
