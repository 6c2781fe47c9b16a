/* A block for eight rows: its 128 threads share the columns, and each sum goes through shared memory in the end. */
#include "common/check.h"

enum { THREADS = 128, ROWS_OF_BLOCK = 8, GROUP = 64 };

static __device__ float gelu(float v) {
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

static __device__ float products(char4 w, float4 a) {
    return fmaf(w.x, a.x, fmaf(w.y, a.y, fmaf(w.z, a.z, (float)w.w * a.w)));
}

__global__ void layer_kernel(const char4 *q, const float *scales, const float4 *x, const float *bias, float *y,
                             int rows, int vectors) {
    __shared__ float sums[ROWS_OF_BLOCK][THREADS];
    int first = blockIdx.x * ROWS_OF_BLOCK, count = min(ROWS_OF_BLOCK, rows - first);
    int groups = (4 * vectors + GROUP - 1) / GROUP;
    float sum[ROWS_OF_BLOCK] = {};
    for (int i = threadIdx.x; i < vectors; i += THREADS) {
        float4 a = x[i];
        for (int r = 0; r < count; r++) {
            size_t row = first + r;
            sum[r] += scales[row * groups + i / (GROUP / 4)] * products(q[row * vectors + i], a);
        }
    }
    for (int r = 0; r < ROWS_OF_BLOCK; r++) {
        sums[r][threadIdx.x] = sum[r];
    }
    __syncthreads();
    int r = threadIdx.x / 16, t = threadIdx.x % 16; // 16 threads for each row
    float total = 0.0f;
    for (int k = t; k < THREADS; k += 16) {
        total += sums[r][k];
    }
    for (int step = 8; step > 0; step /= 2) {
        total += __shfl_xor_sync(0xffffffffu, total, step);
    }
    if (t == 0 && r < count) {
        y[first + r] = gelu(total + bias[first + r]);
    }
}

void layer(const signed char *q, const float *scales, const float *x, const float *bias, float *y, int rows, int cols,
           cudaStream_t stream) {
    int blocks = (rows + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK;
    if (blocks) {
        layer_kernel<<<blocks, THREADS, 0, stream>>>((const char4 *)q, scales, (const float4 *)x, bias, y, rows,
                                                     cols / 4);
        CUDA_CHECK_LAUNCH();
    }
}
