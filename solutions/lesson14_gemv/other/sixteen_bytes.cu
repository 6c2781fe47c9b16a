/* 16 weights with one load where each row begins on a multiple of 16 bytes, otherwise four; eight rows for a warp. The
 * bytes become floats without a conversion: 0x4b000000 + b is the float 2^23 + b. */
#include <stdint.h>

#include "common/check.h"

enum { ROWS = 8, WARPS = 2, BLOCK = 32 * WARPS, GROUP = 64 };

static __device__ float of_byte(uint32_t word, int k) {
    uint32_t byte = (word ^ 0x80808080u) >> (8 * k) & 255;
    return __uint_as_float(0x4b000000u | byte) - 8388736.0f;
}

static __device__ float products(uint32_t word, float4 a) {
    return of_byte(word, 0) * a.x + of_byte(word, 1) * a.y + of_byte(word, 2) * a.z + of_byte(word, 3) * a.w;
}

/* WORDS: of four weights, in a load. */
template <int WORDS>
__global__ void layer_kernel(const uint32_t *q, const float *scales, const float4 *x, const float *bias, float *y,
                             int rows, int cols) {
    int row = (blockIdx.x * WARPS + threadIdx.x / 32) * ROWS, lane = threadIdx.x % 32;
    int words = cols / 4, groups = (cols + GROUP - 1) / GROUP;
    float sum[ROWS] = {};
    for (int i = lane * WORDS; i < words; i += 32 * WORDS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            uint32_t w[WORDS];
            size_t from = (size_t)min(row + r, rows - 1) * words + i;
            if (WORDS == 4) {
                *(uint4 *)w = *(const uint4 *)&q[from];
            } else {
                w[0] = q[from];
            }
            float part = 0.0f;
            for (int k = 0; k < WORDS; k++) {
                part += products(w[k], x[i + k]);
            }
            sum[r] += part * scales[(size_t)min(row + r, rows - 1) * groups + 4 * i / GROUP];
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        for (int step = 1; step < 32; step *= 2) {
            sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], step);
        }
        if (lane == r && row + r < rows) {
            float v = sum[r] + bias[row + r];
            y[row + r] = 0.5f * v * erfcf(-0.70710678f * v);
        }
    }
}

void layer(const signed char *q, const float *scales, const float *x, const float *bias, float *y, int rows, int cols,
           cudaStream_t stream) {
    if (rows == 0) {
        return;
    }
    bool wide = cols % 16 == 0 && (uintptr_t)q % 16 == 0;
    int blocks = (rows + WARPS * ROWS - 1) / (WARPS * ROWS);
    if (wide) {
        layer_kernel<4>
            <<<blocks, BLOCK, 0, stream>>>((const uint32_t *)q, scales, (const float4 *)x, bias, y, rows, cols);
    } else {
        layer_kernel<1>
            <<<blocks, BLOCK, 0, stream>>>((const uint32_t *)q, scales, (const float4 *)x, bias, y, rows, cols);
    }
    CUDA_CHECK_LAUNCH();
}
