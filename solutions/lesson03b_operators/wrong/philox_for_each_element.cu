// expect: access_limit
// says: Philox returns four words at once
/* Right, but each thread has one element, and throws three of four words away. */
#include <stdint.h>

#include "common/check.h"

enum { BLOCK = 256 }; // threads in a block

__device__ float gelu_of(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.7071067812f));
}

__global__ void bias_gelu_kernel(const float *x, const float *bias, float *y, int n, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = gelu_of(x[i] + bias[i % cols]);
    }
}

void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    int n = rows * cols;
    if (n > 0) {
        bias_gelu_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, bias, y, n, cols);
        CUDA_CHECK_LAUNCH();
    }
}

__device__ uint4 philox_round(uint4 counter, uint2 key) {
    unsigned high_a = __umulhi(0xD2511F53u, counter.x), low_a = 0xD2511F53u * counter.x;
    unsigned high_b = __umulhi(0xCD9E8D57u, counter.z), low_b = 0xCD9E8D57u * counter.z;
    return make_uint4(high_b ^ counter.y ^ key.x, low_b, high_a ^ counter.w ^ key.y, low_a);
}

__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; round++) {
        counter = philox_round(counter, key);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

__global__ void philox_kernel(const uint4 *counters, const uint2 *keys, uint4 *words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        words[i] = philox(counters[i], keys[i]);
    }
}

void philox_words(const uint4 *counters, const uint2 *keys, uint4 *words, int n, cudaStream_t stream) {
    if (n > 0) {
        philox_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(counters, keys, words, n);
        CUDA_CHECK_LAUNCH();
    }
}

struct dropping {
    unsigned threshold; // words below it drop their element
    float scale;        // what is kept is multiplied by it
    unsigned long long seed, call;
};

static struct dropping dropping_of(float p, unsigned long long seed, unsigned long long call) {
    struct dropping d = {0, 1.0f, seed, call};
    d.threshold = (unsigned)(p * 4294967296.0);
    d.scale = 1.0f / (1.0f - p);
    return d;
}

__device__ uint4 words_of(unsigned quad, struct dropping d) {
    uint4 counter = make_uint4(quad, 0, (unsigned)d.call, (unsigned)(d.call >> 32));
    uint2 key = make_uint2((unsigned)d.seed, (unsigned)(d.seed >> 32));
    return philox(counter, key);
}

__device__ float kept_or_zero(float v, unsigned word, struct dropping d) {
    return word < d.threshold ? 0.0f : v * d.scale;
}

__device__ float4 load4(const float *a, int count) {
    if (count >= 4 && (uintptr_t)a % sizeof(float4) == 0) {
        return *(const float4 *)a;
    }
    return make_float4(a[0], count > 1 ? a[1] : 0.0f, count > 2 ? a[2] : 0.0f, count > 3 ? a[3] : 0.0f);
}

__device__ void store4(float *a, float4 v, int count) {
    if (count >= 4 && (uintptr_t)a % sizeof(float4) == 0) {
        *(float4 *)a = v;
        return;
    }
    a[0] = v.x;
    if (count > 1) {
        a[1] = v.y;
    }
    if (count > 2) {
        a[2] = v.z;
    }
    if (count > 3) {
        a[3] = v.w;
    }
}

__device__ float4 dropout4(float4 v, uint4 words, struct dropping d) {
    return make_float4(kept_or_zero(v.x, words.x, d), kept_or_zero(v.y, words.y, d), kept_or_zero(v.z, words.z, d),
                       kept_or_zero(v.w, words.w, d));
}

__global__ void dropout_kernel(const float *x, float *y, int n, struct dropping d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uint4 words = words_of(i / 4, d);
        unsigned word = i % 4 == 0 ? words.x : i % 4 == 1 ? words.y : i % 4 == 2 ? words.z : words.w;
        y[i] = kept_or_zero(x[i], word, d);
    }
}

void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call,
             cudaStream_t stream) {
    if (n > 0) {
        dropout_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n, dropping_of(p, seed, call));
        CUDA_CHECK_LAUNCH();
    }
}

__global__ void bias_gelu_dropout_kernel(const float *x, const float *bias, const float *residual, float *y, int n,
                                         int cols, struct dropping d) {
    int quad = blockIdx.x * blockDim.x + threadIdx.x;
    int first = 4 * quad;
    if (first < n) {
        float4 v = load4(x + first, n - first);
        v.x = gelu_of(v.x + bias[first % cols]);
        v.y = gelu_of(v.y + bias[(first + 1) % cols]);
        v.z = gelu_of(v.z + bias[(first + 2) % cols]);
        v.w = gelu_of(v.w + bias[(first + 3) % cols]);
        v = dropout4(v, words_of(quad, d), d);
        if (residual) {
            float4 r = load4(residual + first, n - first);
            v = make_float4(v.x + r.x, v.y + r.y, v.z + r.z, v.w + r.w);
        }
        store4(y + first, v, n - first);
    }
}

void bias_gelu_dropout(const float *x, const float *bias, const float *residual, float *y, int rows, int cols, float p,
                       unsigned long long seed, unsigned long long call, cudaStream_t stream) {
    int n = rows * cols;
    if (n > 0) {
        int quads = (n + 3) / 4, blocks = (quads + BLOCK - 1) / BLOCK;
        bias_gelu_dropout_kernel<<<blocks, BLOCK, 0, stream>>>(x, bias, residual, y, n, cols,
                                                               dropping_of(p, seed, call));
        CUDA_CHECK_LAUNCH();
    }
}
