/* Exercise 03b: the operators that a layer of a network applies to the output of its matrix product, in one kernel.
 *
 *     y = residual + dropout(gelu(x + bias))        x, residual and y: rows x cols; bias: one number for each column
 *
 * Dropout sets each element to 0 with probability p, and multiplies the others by 1 / (1 - p). Its random numbers come from Philox4x32-10,
 * a function that computes four random words from a counter (four words) and a key (two). One round of it, with counter = (x, y, z, w):
 *
 *     a = 0xD2511F53 * x        b = 0xCD9E8D57 * z        64 bits each
 *     x' = high(b) ^ y ^ key.x        y' = low(b)        z' = high(a) ^ w ^ key.y        w' = low(a)
 *
 * There are ten rounds. Before each but the first, 0x9E3779B9 is added to key.x and 0xBB67AE85 to key.y. The grader uses Philox's published
 * test vectors: counter (0, 0, 0, 0) and key (0, 0) give 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
 *
 * Element i, from 0 on, uses word i % 4 (x, y, z, w in this order) of the result of Philox for
 *
 *     counter = (i / 4, 0, low 32 bits of call, high 32 bits of call)        key = (low 32 bits of seed, high 32 bits of seed)
 *
 * and is dropped if that word is less than the threshold, which is p * 2^32, rounded down.
 *
 * The grader (make exercise03b) calls, from the host:
 *
 *     void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream);
 *     void philox_words(const uint4 *counters, const uint2 *keys, uint4 *words, int n, cudaStream_t stream);
 *     void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call, cudaStream_t stream);
 *     void bias_gelu_dropout(const float *x, const float *bias, const float *residual, float *y, int rows, int cols, float p,
 *                            unsigned long long seed, unsigned long long call, cudaStream_t stream);
 *
 *   - all arrays are device memory; rows, cols, n and rows * cols are from 0 to 2^30, and 0 <= p < 1;
 *   - arrays of floats may begin at any address of a float; y may be x itself, or residual; residual may be NULL, and then nothing is added;
 *   - gelu is the erf form of exercise 03, within 1e-6 + 1e-5 * |y|; an element that dropout keeps is scaled with a relative error of at most 1e-6;
 *   - an element that is dropped is exactly 0, or exactly the residual, whatever it was before: also NaN;
 *   - the work is queued in `stream`, and the function returns without waiting for it; a failed launch is reported (CUDA_CHECK_LAUNCH);
 *   - kernels write all of y and words, and nothing else; a function frees the memory that it allocates, or reuses it;
 *   - each function makes one launch, which reads and writes each element once (of the bias, once for each row). Where all arrays lie on
 *     multiples of 16 bytes, and cols is a multiple of 4, at most 1.1 times the sectors are touched that hold x, residual and y; elsewhere,
 *     and of the bias, 4.5 times;
 *   - the work is spread over many threads: of 65536 elements and more, no block writes more than half, and at least 512 threads write;
 *   - dropout needs at most 80 instructions for an element (the solution 37), bias_gelu_dropout at most 80 more than bias_gelu (24).
 *
 * When all checks pass, bias, GELU, dropout and residual take one launch that touches each element once, and the same
 * seed repeats the same dropout.
 * First step: TODO 1, about ten minutes: the check "bias_gelu, 0 to 65537 elements, odd columns" passes.
 */
// fails as given: stale_output
#include <stdint.h>

#include "common/check.h"

enum { BLOCK = 256 }; // threads in a block

// ---------------------------------------------------------------- bias and GELU

__device__ float gelu_of(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.7071067812f));
}

/* Grid: n threads or more. Thread i writes y[i]. */
__global__ void bias_gelu_kernel(const float *x, const float *bias, float *y, int n, int cols) {
    // TODO 1: y[i] becomes gelu_of(x[i] + the bias of its column). Rows lie one behind the other: in which column is element i?
    (void)x, (void)bias, (void)y, (void)n, (void)cols;
}

void bias_gelu(const float *x, const float *bias, float *y, int rows, int cols, cudaStream_t stream) {
    int n = rows * cols;
    if (n > 0) {
        bias_gelu_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, bias, y, n, cols);
        CUDA_CHECK_LAUNCH();
    }
}

// ---------------------------------------------------------------- Philox

__device__ uint4 philox_round(uint4 counter, uint2 key) {
    // TODO 2: one round. For two unsigned numbers a * b has the lower 32 bits of their product, and __umulhi(a, b) the upper ones.
    (void)key;
    return counter;
}

__device__ uint4 philox(uint4 counter, uint2 key) {
    // TODO 3: ten rounds, and a new key before each but the first.
    (void)key;
    return philox_round(counter, key);
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

// ---------------------------------------------------------------- dropout

/* All that a thread needs to know to drop elements: no state, and nothing in memory. */
struct dropping {
    unsigned threshold; // words below it drop their element
    float scale;        // what is kept is multiplied by it
    unsigned long long seed, call;
};

static struct dropping dropping_of(float p, unsigned long long seed, unsigned long long call) {
    struct dropping d = {0, 1.0f, seed, call};
    // TODO 4: the threshold and the scale. 2^32 is 4294967296.0.
    (void)p;
    return d;
}

/* The words of elements 4 * quad to 4 * quad + 3. */
__device__ uint4 words_of(unsigned quad, struct dropping d) {
    // TODO 5: what philox makes of their counter and of the key. (unsigned)call is its lower half, (unsigned)(call >> 32) its upper one.
    (void)quad, (void)d;
    return make_uint4(0, 0, 0, 0);
}

/* v, scaled, or 0 if its word drops it. */
__device__ float kept_or_zero(float v, unsigned word, struct dropping d) {
    // TODO 6: what becomes of v? Mind that v may be NaN, and that 0 * NaN is NaN.
    (void)word, (void)d;
    return v;
}

/* Four elements from `a` on, or `count` if there are fewer: as a float4 where the address allows it. */
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

/* Grid: a thread for each four elements, or more. Thread `quad` has elements 4 * quad to 4 * quad + 3, as far as they exist. */
__global__ void dropout_kernel(const float *x, float *y, int n, struct dropping d) {
    int quad = blockIdx.x * blockDim.x + threadIdx.x;
    int first = 4 * quad;
    if (first < n) {
        float4 v = load4(x + first, n - first);
        store4(y + first, dropout4(v, words_of(quad, d), d), n - first);
    }
}

void dropout(const float *x, float *y, int n, float p, unsigned long long seed, unsigned long long call,
             cudaStream_t stream) {
    if (n > 0) {
        int quads = (n + 3) / 4;
        dropout_kernel<<<(quads + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n, dropping_of(p, seed, call));
        CUDA_CHECK_LAUNCH();
    }
}

// ---------------------------------------------------------------- all of it

/* Grid: as for dropout_kernel. */
__global__ void bias_gelu_dropout_kernel(const float *x, const float *bias, const float *residual, float *y, int n,
                                         int cols, struct dropping d) {
    // TODO 7: as dropout_kernel, with bias and GELU before the dropout, and the residual behind it, if there is one. The four
    // elements need not lie in the same row: each finds its column by itself.
    (void)x, (void)bias, (void)residual, (void)y, (void)n, (void)cols, (void)d;
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
