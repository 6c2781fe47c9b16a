// expect: access_limit
// says: One wmma::mma_sync does all of them
/* Right, but lesson 15's kernel: one multiply-add at a time. */
#include <cuda_fp16.h>

#include "common/check.h"

enum { TILE = 32, PAD = 2 };

__global__ void linear_kernel(const half *x, const half *W, const float *bias, float *y, int rows, int inputs,
                              int outputs) {
    __shared__ half tile_x[TILE][TILE + PAD], tile_W[TILE][TILE + PAD];
    int row = blockIdx.y * TILE + threadIdx.y, output = blockIdx.x * TILE + threadIdx.x;
    int loads = blockIdx.x * TILE + threadIdx.y;
    float sum = 0.0f;
    for (int start = 0; start < inputs; start += TILE) {
        int k = start + threadIdx.x;
        tile_x[threadIdx.y][threadIdx.x] = row < rows && k < inputs ? x[(size_t)row * inputs + k] : __float2half(0.0f);
        tile_W[threadIdx.y][threadIdx.x] =
            loads < outputs && k < inputs ? W[(size_t)loads * inputs + k] : __float2half(0.0f);
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += __half2float(tile_x[threadIdx.y][i]) * __half2float(tile_W[threadIdx.x][i]);
        }
        __syncthreads();
    }
    if (row < rows && output < outputs) {
        y[(size_t)row * outputs + output] = sum + bias[output];
    }
}

void linear(const half *x, const half *W, const float *bias, float *y, int rows, int inputs, int outputs,
            cudaStream_t stream) {
    if (rows == 0 || outputs == 0) {
        return;
    }
    dim3 grid((outputs + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    linear_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(x, W, bias, y, rows, inputs, outputs);
    CUDA_CHECK_LAUNCH();
}
