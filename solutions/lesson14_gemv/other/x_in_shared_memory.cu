/* A warp for each row, and x in shared memory, a thousand columns at a time: all eight warps of a block read it there. */
#include "common/check.h"

enum { BLOCK = 256, WARPS = BLOCK / 32, GROUP = 64, CHUNK = 1024 };

static __device__ float gelu(float v) {
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

__global__ void layer_kernel(const signed char *q, const float *scales, const float *x, const float *bias, float *y,
                             int rows, int cols) {
    __shared__ float4 part[CHUNK / 4];
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, groups = (cols + GROUP - 1) / GROUP;
    float sum = 0.0f;
    for (int start = 0; start < cols; start += CHUNK) {
        int vectors = min(CHUNK, cols - start) / 4;
        __syncthreads();
        for (int i = threadIdx.x; i < vectors; i += BLOCK) {
            part[i] = ((const float4 *)x)[start / 4 + i];
        }
        __syncthreads();
        for (int i = lane; i < vectors && row < rows; i += 32) {
            char4 w = *(const char4 *)&q[(size_t)row * cols + start + 4 * i];
            float4 a = part[i];
            sum += scales[(size_t)row * groups + (start + 4 * i) / GROUP] *
                   (w.x * a.x + w.y * a.y + w.z * a.z + w.w * a.w);
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    }
    if (lane == 0 && row < rows) {
        y[row] = gelu(sum + bias[row]);
    }
}

void layer(const signed char *q, const float *scales, const float *x, const float *bias, float *y, int rows, int cols,
           cudaStream_t stream) {
    if (rows > 0) {
        layer_kernel<<<(rows + WARPS - 1) / WARPS, BLOCK, 0, stream>>>(q, scales, x, bias, y, rows, cols);
        CUDA_CHECK_LAUNCH();
    }
}
