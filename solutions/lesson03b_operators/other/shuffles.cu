/* Written differently: no float4. A warp has 128 elements, 32 neighbours at a time; each lane makes the words of one of its 32 groups of four,
 * and each element gets its word from the lane that has it. */
#include "common/check.h"

enum { BLOCK = 128, WARP = 32, TILE = 4 * WARP };

struct task {
    const float *x, *bias, *residual;
    float *y;
    int n, cols;
    double p;
    unsigned long long seed, call;
};

__device__ uint4 philox(uint4 c, uint2 k) {
    for (int left = 10; left > 0; left--) {
        unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
        c = make_uint4((unsigned)(b >> 32) ^ c.y ^ k.x, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ k.y, (unsigned)a);
        k = make_uint2(k.x + 0x9E3779B9u, k.y + 0xBB67AE85u);
    }
    return c;
}

__device__ float gelu_of(float v) {
    return v * normcdff(v);
}

/* Word number i % 4 of lane i / 4 of those that this warp holds. All lanes call it together. */
__device__ unsigned word_of(uint4 words, int i) {
    unsigned x = __shfl_sync(~0u, words.x, i / 4), y = __shfl_sync(~0u, words.y, i / 4);
    unsigned z = __shfl_sync(~0u, words.z, i / 4), w = __shfl_sync(~0u, words.w, i / 4);
    return i % 4 == 0 ? x : i % 4 == 1 ? y : i % 4 == 2 ? z : w;
}

__global__ void layer_kernel(struct task t, unsigned threshold, float scale) {
    int lane = threadIdx.x % WARP, warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    uint4 words = philox(make_uint4(warp * WARP + lane, 0, (unsigned)t.call, (unsigned)(t.call >> 32)),
                         make_uint2((unsigned)t.seed, (unsigned)(t.seed >> 32)));
    for (int k = 0; k < TILE; k += WARP) {
        int i = warp * TILE + k + lane;
        bool dropped = word_of(words, k + lane) < threshold;
        if (i < t.n) {
            float v = t.bias ? gelu_of(t.x[i] + t.bias[i % t.cols]) : t.x[i];
            v = dropped ? 0.0f : v * scale;
            t.y[i] = t.residual ? t.residual[i] + v : v;
        }
    }
}

static void launch(struct task t, cudaStream_t stream) {
    if (t.n != 0) {
        layer_kernel<<<(t.n + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK, 0, stream>>>(t, (unsigned)(t.p * 0x1p32),
                                                                                (float)(1 / (1 - t.p)));
        CUDA_CHECK_LAUNCH();
    }
}

void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call,
             cudaStream_t stream) {
    launch({x, NULL, NULL, y, n, 1, p, seed, call}, stream);
}

void bias_gelu_dropout(const float *x, const float *bias, const float *residual, float *y, int rows, int cols, float p,
                       unsigned long long seed, unsigned long long call, cudaStream_t stream) {
    launch({x, bias, residual, y, rows * cols, cols, p, seed, call}, stream);
}

__global__ void bias_gelu_kernel(const float *x, const float *bias, float *y, int n, int cols) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = gelu_of(x[i] + bias[i % cols]);
    }
}

void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    if (rows > 0 && cols > 0) {
        bias_gelu_kernel<<<32, BLOCK, 0, stream>>>(x, bias, y, rows * cols, cols);
        CUDA_CHECK_LAUNCH();
    }
}

__global__ void philox_kernel(const uint4 *counters, const uint2 *keys, uint4 *words, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        words[i] = philox(counters[i], keys[i]);
    }
}

void philox_words(const uint4 *counters, const uint2 *keys, uint4 *words, int n, cudaStream_t stream) {
    if (n != 0) {
        philox_kernel<<<1, BLOCK, 0, stream>>>(counters, keys, words, n);
        CUDA_CHECK_LAUNCH();
    }
}
