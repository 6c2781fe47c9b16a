/* Written differently: words and elements in arrays of four, the rounds unrolled with their keys as constants times the round, a division instead
 * of a factor, the mask as four bits, one kernel for dropout with and without a layer before it; the biases as a float4 where that can be. */
#include <stdint.h>

#include "common/check.h"

struct word4 {
    unsigned w[4];
};

template <int ROUND> __device__ struct word4 rounds(struct word4 c, unsigned key0, unsigned key1) {
    if constexpr (ROUND == 10) {
        return c;
    } else {
        uint64_t a = (uint64_t)c.w[0] * 0xD2511F53u, b = (uint64_t)c.w[2] * 0xCD9E8D57u;
        unsigned k0 = key0 + ROUND * 0x9E3779B9u, k1 = key1 + ROUND * 0xBB67AE85u;
        struct word4 next = {
            {(unsigned)(b >> 32) ^ c.w[1] ^ k0, (unsigned)b, (unsigned)(a >> 32) ^ c.w[3] ^ k1, (unsigned)a}};
        return rounds<ROUND + 1>(next, key0, key1);
    }
}

__device__ unsigned mask_of(unsigned four, unsigned threshold, unsigned long long seed, unsigned long long call) {
    struct word4 c = {{four, 0, (unsigned)(call & 0xffffffff), (unsigned)(call >> 32)}};
    c = rounds<0>(c, (unsigned)(seed & 0xffffffff), (unsigned)(seed >> 32));
    unsigned mask = 0;
    for (int k = 0; k < 4; k++) {
        mask |= (unsigned)(c.w[k] >= threshold) << k;
    }
    return mask;
}

__device__ bool holds_vector(const float *a) {
    return ((uintptr_t)a & 15) == 0;
}

__device__ void read(float *v, const float *a, int count) {
    if (count == 4 && holds_vector(a)) {
        float4 all = *(const float4 *)a;
        v[0] = all.x, v[1] = all.y, v[2] = all.z, v[3] = all.w;
    } else {
        for (int k = 0; k < 4; k++) {
            v[k] = k < count ? a[k] : 0.0f;
        }
    }
}

__device__ void write(float *a, const float *v, int count) {
    if (count == 4 && holds_vector(a)) {
        *(float4 *)a = make_float4(v[0], v[1], v[2], v[3]);
    } else {
        for (int k = 0; k < 4; k++) {
            if (k < count) {
                a[k] = v[k];
            }
        }
    }
}

__device__ float gelu_of(float v) {
    return 0.5f * v * erfcf(v * -0.7071067812f);
}

__device__ void add_bias_and_gelu(float *v, const float *bias, int first, int cols) {
    float b[4];
    int column = first % cols;
    read(b, bias + column, min(cols - column, 4));
    for (int k = 0; k < 4; k++) {
        v[k] = gelu_of(v[k] + (column + k < cols ? b[k] : bias[(column + k) % cols]));
    }
}

__global__ void kernel(const float *x, const float *bias, const float *residual, float *y, int n, int cols,
                       unsigned threshold, float divisor, unsigned long long seed, unsigned long long call) {
    int stride = gridDim.x * blockDim.x;
    for (int four = blockIdx.x * blockDim.x + threadIdx.x; four < (n + 3) / 4; four += stride) {
        int first = 4 * four, count = min(n - first, 4);
        unsigned mask = mask_of(four, threshold, seed, call);
        float v[4], r[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        read(v, x + first, count);
        if (cols > 0) {
            add_bias_and_gelu(v, bias, first, cols);
        }
        if (residual != nullptr) {
            read(r, residual + first, count);
        }
        for (int k = 0; k < 4; k++) {
            v[k] = (mask >> k & 1) != 0 ? v[k] / divisor + r[k] : r[k];
        }
        write(y + first, v, count);
    }
}

/* cols 0: dropout alone. */
static void launch(const float *x, const float *bias, const float *residual, float *y, int n, int cols, float p,
                   unsigned long long seed, unsigned long long call, cudaStream_t stream) {
    if (n > 0) {
        unsigned threshold = (unsigned)(long long)((double)p * 4294967296.0);
        kernel<<<64, 192, 0, stream>>>(x, bias, residual, y, n, cols, threshold, 1.0f - p, seed, call);
        CUDA_CHECK_LAUNCH();
    }
}

void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call,
             cudaStream_t stream) {
    launch(x, nullptr, nullptr, y, n, 0, p, seed, call, stream);
}

void bias_gelu_dropout(const float *x, const float *bias, const float *residual, float *y, int rows, int cols, float p,
                       unsigned long long seed, unsigned long long call, cudaStream_t stream) {
    launch(x, bias, residual, y, rows * cols, cols, p, seed, call, stream);
}

/* Nothing is dropped if p is 0; the words are made all the same. */
void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    launch(x, bias, nullptr, y, rows * cols, cols, 0.0f, 0, 0, stream);
}

__global__ void words_kernel(const uint4 *counters, const uint2 *keys, uint4 *words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        struct word4 c = {{counters[i].x, counters[i].y, counters[i].z, counters[i].w}};
        c = rounds<0>(c, keys[i].x, keys[i].y);
        words[i] = make_uint4(c.w[0], c.w[1], c.w[2], c.w[3]);
    }
}

void philox_words(const uint4 *counters, const uint2 *keys, uint4 *words, int n, cudaStream_t stream) {
    if (n > 0) {
        words_kernel<<<(n + 63) / 64, 64, 0, stream>>>(counters, keys, words, n);
        CUDA_CHECK_LAUNCH();
    }
}
