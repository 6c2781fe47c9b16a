/* Written differently: a grid of two dimensions for the layer, a row of blocks for each group of rows, as lesson 04 does with pictures; the grid
 * of dropout has eight elements for a thread; bitwise choices instead of conditional ones. */
#include <stdint.h>

#include "common/check.h"

__device__ void philox(unsigned c[4], unsigned k0, unsigned k1) {
#pragma unroll
    for (int round = 1; round <= 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        unsigned c0 = c[0], c2 = c[2];
        c[0] = __umulhi(c2, 0xCD9E8D57u) ^ c[1] ^ k0;
        c[1] = c2 * 0xCD9E8D57u;
        c[2] = __umulhi(c0, 0xD2511F53u) ^ c[3] ^ k1;
        c[3] = c0 * 0xD2511F53u;
    }
}

struct drop {
    unsigned threshold, seed[2], call[2];
    float scale;
};

static struct drop drop_of(float p, unsigned long long seed, unsigned long long call) {
    return {(unsigned)ldexp(p, 32),
            {(unsigned)seed, (unsigned)(seed >> 32)},
            {(unsigned)call, (unsigned)(call >> 32)},
            1 / (1 - p)};
}

/* All bits of what is kept, none of what is dropped. */
__device__ float keep(float v, unsigned word, struct drop d) {
    unsigned all = word < d.threshold ? 0u : 0xffffffffu;
    return __uint_as_float(__float_as_uint(v * d.scale) & all);
}

__device__ float gelu_of(float v) {
    return v * 0.5f + v * 0.5f * erff(v * 0.70710678f);
}

/* y = residual + dropout(gelu(x + bias)), for up to four elements; without bias only dropout. */
__device__ void four(const float *x, const float *bias, const float *residual, float *y, int n, int cols, int quad,
                     struct drop d) {
    unsigned c[4] = {(unsigned)quad, 0, d.call[0], d.call[1]};
    philox(c, d.seed[0], d.seed[1]);
    int i = 4 * quad;
    bool vector = n - i >= 4 &&
                  ((uintptr_t)(x + i) | (uintptr_t)(y + i) | (uintptr_t)(residual ? residual + i : x + i)) % 16 == 0;
    float4 in = vector ? *(const float4 *)(x + i) : make_float4(0, 0, 0, 0);
    float4 r = vector && residual ? *(const float4 *)(residual + i) : make_float4(0, 0, 0, 0);
    float v[4] = {in.x, in.y, in.z, in.w}, add[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (i + k < n) {
            v[k] = vector ? v[k] : x[i + k];
            v[k] = keep(bias ? gelu_of(v[k] + bias[(i + k) % cols]) : v[k], c[k], d);
            v[k] = residual ? v[k] + (vector ? add[k] : residual[i + k]) : v[k];
        }
    }
    if (vector) {
        *(float4 *)(y + i) = make_float4(v[0], v[1], v[2], v[3]);
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (i + k < n) {
            y[i + k] = v[k];
        }
    }
}

__global__ void layer_kernel(const float *x, const float *bias, const float *residual, float *y, int n, int cols,
                             struct drop d) {
    int quad = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (quad < (n + 3) / 4) {
        four(x, bias, residual, y, n, cols, quad, d);
    }
}

void bias_gelu_dropout(const float *x, const float *bias, const float *residual, float *y, int rows, int cols, float p,
                       unsigned long long seed, unsigned long long call, cudaStream_t stream) {
    int n = rows * cols, quads = (n + 3) / 4;
    if (quads > 0) {
        dim3 grid((quads + 7 * 128 - 1) / (7 * 128), 7);
        layer_kernel<<<grid, 128, 0, stream>>>(x, bias, residual, y, n, cols, drop_of(p, seed, call));
        CUDA_CHECK_LAUNCH();
    }
}

__global__ void dropout_kernel(const float *x, float *y, int n, struct drop d) {
    int quads = (n + 3) / 4, half = (quads + 1) / 2, quad = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 2; k++) {
        if (quad < half && quad + k * half < quads) {
            four(x, NULL, NULL, y, n, 1, quad + k * half, d);
        }
    }
}

void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call,
             cudaStream_t stream) {
    if (n >= 1) {
        dropout_kernel<<<(n + 8 * 256 - 1) / (8 * 256), 256, 0, stream>>>(x, y, n, drop_of(p, seed, call));
        CUDA_CHECK_LAUNCH();
    }
}

/* Rows in y, of which a grid has 65535 at most: the blocks take more of them by steps. */
__global__ void bias_gelu_kernel(const float *x, const float *bias, float *y, int rows, int cols) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y) {
        if (column < cols) {
            y[row * cols + column] = gelu_of(x[row * cols + column] + bias[column]);
        }
    }
}

void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    if (rows > 0 && cols > 0) {
        dim3 block(32, 8), grid((cols + 31) / 32, min((rows + 7) / 8, 65535));
        bias_gelu_kernel<<<grid, block, 0, stream>>>(x, bias, y, rows, cols);
        CUDA_CHECK_LAUNCH();
    }
}

__global__ void words_kernel(const uint4 *counters, const uint2 *keys, uint4 *words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned c[4] = {counters[i].x, counters[i].y, counters[i].z, counters[i].w};
        philox(c, keys[i].x, keys[i].y);
        words[i] = make_uint4(c[0], c[1], c[2], c[3]);
    }
}

void philox_words(const uint4 *counters, const uint2 *keys, uint4 *words, int n, cudaStream_t stream) {
    if (n > 0) {
        words_kernel<<<(n + 255) / 256, 256, 0, stream>>>(counters, keys, words, n);
        CUDA_CHECK_LAUNCH();
    }
}
