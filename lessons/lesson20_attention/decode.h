/* decode.h - lesson 20, attention for one new token: keys and values lie in pages, and the only question is how fast they are read.
 *
 *     decode_section(seed, size);        all versions on odd lengths, verified, then measured (or counted)
 *
 *     decode_kernel1    a block for each query head of each sequence
 *     decode_kernel2    a block for each K/V head: all query heads of its group share what it reads, on tensor cores
 *     decode_kernel3    several blocks for each sequence, and a kernel that combines their results
 *
 * While a language model writes, it has one query for each head of each sequence, and the keys and values of all tokens so
 * far: the KV cache. Nobody knows how long a sequence will become, so the cache is cut into pages of 16 or 64 keys, and a
 * table says which pages a sequence has, in order. Two sequences that begin alike have their first pages in common.
 *
 *     key n of sequence s, K/V head h:    page = table[s][n / page_size], row n % page_size
 *     k and v: [page][K/V head][row][d]   so what one block reads of a page lies side by side
 *     q and out: [sequence][head][d]      d = 128; heads / heads_kv query heads form a group
 *
 * A sequence without keys has the result 0. Everything is bfloat16, sums are fp32.
 */
#ifndef LESSONS_LESSON20_ATTENTION_DECODE_H
#define LESSONS_LESSON20_ATTENTION_DECODE_H

#include <cuda_bf16.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/turns.h"
#include "../../common/verify.h"
#include "attention.h"

/* Keys of a warp's step; heads that share a read; a block; the fewest keys worth a block of their own in version 3. */
enum { DECODE_TILE = 16, DECODE_HEADS = 8, DECODE_WARPS = 4, DECODE_CHUNK = 256 };
enum { DECODE_THREADS = DECODE_WARPS * WARP, DECODE_COMBINE_WARPS = 16 };

/* What the kernels get. All of it lies on the device. */
struct decode {
    int sequences, heads, heads_kv, page_size, pages; // pages: that a row of the table has room for
    const bf16 *q, *k, *v;
    const int *table, *lengths;
    bf16 *out;
    float scale;             // of q * k, times log2(e): weights are powers of 2
    int chunk, chunks;       // version 3: keys of a block; blocks for the longest sequence
    float *partial, *logsum; // version 3: [sequence][head][chunk][d] and [sequence][head][chunk]
};

// ---------------------------------------------------------------- the reference

/* Sequences and heads 0, step, 2 * step, ... of all, in double; squares: the squares of what is summed up. q, k, v, table and lengths lie on the
 * host. */
static void decode_cpu(const struct decode *d, double *out, double *squares, size_t step) {
    for (size_t i = 0; i < (size_t)d->sequences * d->heads; i += step) {
        size_t s = i / d->heads, head = i % d->heads / (d->heads / d->heads_kv);
        int length = d->lengths[s];
        double *weight = (double *)verify_host_alloc(length * sizeof(double)), highest = -INFINITY, sum = 0;
        for (int pass = 0; pass < 2; pass++) { // the scores, then the values
            for (int e = 0; e < D && pass == 1; e++) {
                out[i * D + e] = squares[i * D + e] = 0;
            }
            for (int n = 0; n < length; n++) {
                size_t page = d->table[s * d->pages + n / d->page_size];
                size_t at = ((page * d->heads_kv + head) * d->page_size + n % d->page_size) * D;
                double score = 0;
                for (int e = 0; e < D && pass == 0; e++) {
                    score += (double)__bfloat162float(d->q[i * D + e]) * __bfloat162float(d->k[at + e]);
                }
                if (pass == 0) {
                    weight[n] = score * d->scale;
                    highest = fmax(highest, weight[n]);
                    continue;
                }
                double w = exp2(weight[n] - highest);
                sum += w;
                for (int e = 0; e < D; e++) {
                    double term = w * __bfloat162float(d->v[at + e]);
                    out[i * D + e] += term;
                    squares[i * D + e] += term * term;
                }
            }
        }
        for (int e = 0; e < D && length > 0; e++) {
            out[i * D + e] /= sum;
            squares[i * D + e] /= sum * sum;
        }
        free(weight);
    }
}

// ---------------------------------------------------------------- what several versions share

/* Where row 0 to 15 of a tile begins in k and v: the number of an element. */
static __device__ size_t decode_place(const struct decode &d, int page, int head_kv, int row) {
    return (((size_t)page * d.heads_kv + head_kv) * d.page_size + row) * D;
}

/* What is left of a sum that was made with `highest` as the largest score, when `all` is the largest of more scores. */
static __device__ float decode_share(float highest, float all) {
    return highest == -INFINITY ? 0.0f : exp2_fast(highest - all);
}

/* What the warps of a block have found, for HEADS heads: each has seen other keys. */
template <int HEADS> struct decode_found {
    float sum[DECODE_WARPS][HEADS][D + 8]; // of weight * v; 8: rows begin in different banks
    float highest[DECODE_WARPS][HEADS];    // score
    float weight[DECODE_WARPS][HEADS];     // their sum
};

/* Adds up what the warps have found, and writes `count` heads: the result, or, with `partial`, this chunk's part of it. */
template <int HEADS>
static __device__ void decode_write(const struct decode &d, const decode_found<HEADS> &found, int s, int head,
                                    int count, bool partial, int chunk) {
    __syncthreads();
    for (int i = threadIdx.x; i < count * D / 2; i += DECODE_THREADS) {
        int h = i / (D / 2), e = i % (D / 2) * 2;
        float highest = -INFINITY, weight = 0, x = 0, y = 0;
        for (int w = 0; w < DECODE_WARPS; w++) {
            highest = fmaxf(highest, found.highest[w][h]);
        }
        for (int w = 0; w < DECODE_WARPS; w++) {
            float share = decode_share(found.highest[w][h], highest);
            weight += share * found.weight[w][h];
            x += share * found.sum[w][h][e];
            y += share * found.sum[w][h][e + 1];
        }
        float inverse = weight > 0 ? 1 / weight : 0;
        size_t row = (size_t)s * d.heads + head + h;
        if (!partial) {
            *(__nv_bfloat162 *)(d.out + row * D + e) = __floats2bfloat162_rn(x * inverse, y * inverse);
            continue;
        }
        *(float2 *)(d.partial + (row * d.chunks + chunk) * D + e) = make_float2(x * inverse, y * inverse);
        if (e == 0) {
            d.logsum[row * d.chunks + chunk] = highest + log2f(weight);
        }
    }
}

// ---------------------------------------------------------------- version 1

/* Four neighbours: 8 bytes. */
static __device__ float4 decode_load4(const bf16 *from) {
    uint2 bits = *(const uint2 *)from;
    float2 low = __bfloat1622float2(*(const __nv_bfloat162 *)&bits.x);
    float2 high = __bfloat1622float2(*(const __nv_bfloat162 *)&bits.y);
    return make_float4(low.x, low.y, high.x, high.y);
}

/* Version 1: grid: heads x sequences. A warp takes every fourth key, a lane four elements of q, k and v. The softmax is
 * online: when a score is larger than all before it, what was summed up so far shrinks. */
static __global__ __launch_bounds__(DECODE_THREADS) void decode_kernel1(struct decode d) {
    __shared__ decode_found<1> found;
    int head = blockIdx.x, s = blockIdx.y, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    int length = d.lengths[s], head_kv = head / (d.heads / d.heads_kv);
    float4 q = decode_load4(d.q + ((size_t)s * d.heads + head) * D + lane * 4), sum = {};
    float highest = -INFINITY, weight = 0;
    for (int n = warp; n < length; n += DECODE_WARPS) {
        int page = d.table[(size_t)s * d.pages + n / d.page_size];
        size_t at = decode_place(d, page, head_kv, n % d.page_size) + lane * 4;
        float4 k = decode_load4(d.k + at), v = decode_load4(d.v + at);
        float score = warp_sum(q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w) * d.scale;
        float before = highest;
        highest = fmaxf(highest, score);
        float share = exp2_fast(before - highest),
              w = exp2_fast(score - highest); // the first time: exp2_fast(-INFINITY) = 0
        weight = weight * share + w;
        sum.x = sum.x * share + w * v.x;
        sum.y = sum.y * share + w * v.y;
        sum.z = sum.z * share + w * v.z;
        sum.w = sum.w * share + w * v.w;
    }
    *(float4 *)&found.sum[warp][0][lane * 4] = sum;
    found.highest[warp][0] = highest;
    found.weight[warp][0] = weight;
    decode_write(d, found, s, head, 1, false, 0);
}

// ---------------------------------------------------------------- versions 2 and 3

/* 16 bytes that nobody will ask for again, or zeros: then `from` is not read. One instruction, no branch. */
static __device__ void decode_load8(uint32_t (&v)[4], const bf16 *from, bool inside) {
    asm volatile("{\n"
                 ".reg .pred inside;\n"
                 "setp.ne.b32 inside, %5, 0;\n"
                 "mov.b32 %0, 0;\n"
                 "mov.b32 %1, 0;\n"
                 "mov.b32 %2, 0;\n"
                 "mov.b32 %3, 0;\n"
                 "@inside ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];\n"
                 "}"
                 : "=&r"(v[0]), "=&r"(v[1]), "=&r"(v[2]), "=&r"(v[3])
                 : "l"(from), "r"((int)inside));
}

/* The weights of 8 keys and 8 heads, a row for each key; turned round: a row for each head. */
static __device__ uint32_t decode_turned(float x, float y) {
    __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
    uint32_t turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(*(const uint32_t *)&pair));
    return turned;
}

/* A warp's work on 16 keys, for 8 heads. Keys and values go from memory into registers, as they lie there, 16 bytes for
 * a lane, and are fragments of tensor cores there: with g = lane / 4 and t = lane % 4,
 *
 *     scores[key][head] = K * Q':     lane has of keys g and g + 8, and of head g, the elements 32j + 8t .. 32j + 8t + 7
 *     sums[d][head] = V' * weights:   lane has of keys 2t, 2t + 1, 2t + 8, 2t + 9 the elements 64j + 8g .. 64j + 8g + 7
 *
 * A product does not care in which order its terms are added, so it does not matter that mma would number the elements
 * otherwise. In both results a lane has heads 2t and 2t + 1: so the scores' maximum and the sums' shrinking meet in one lane. */
struct decode_warp {
    uint32_t q[4][4], k[2][4][4], v[4][2][4];
    float sum[8][4], highest[2], weight[2];
};

/* Asks for the keys `first` to `first` + 15, of which those before `end` exist; k: the first one's row. */
static __device__ void decode_ask_keys(decode_warp &w, const bf16 *k, int first, int end) {
    int g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int r = 0; r < 2; r++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            decode_load8(w.k[r][j], k + (g + 8 * r) * D + 32 * j + 8 * t, first + g + 8 * r < end);
        }
    }
}

static __device__ void decode_ask_values(decode_warp &w, const bf16 *v, int first, int end) {
    int g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        int row = 2 * t + r % 2 + r / 2 * 8;
#pragma unroll
        for (int j = 0; j < 2; j++) {
            decode_load8(w.v[r][j], v + row * D + 64 * j + 8 * g, first + row < end);
        }
    }
}

/* s[0], s[1]: key g, heads 2t and 2t + 1; s[2], s[3]: key g + 8. A key that does not exist has a weight of 0. */
static __device__ void decode_scores(const decode_warp &w, float (&s)[4], float scale, int first, int end) {
    int g = threadIdx.x % WARP / 4;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const uint32_t left[4] = {w.k[0][j][0], w.k[1][j][0], w.k[0][j][1], w.k[1][j][1]};
        const uint32_t right[4] = {w.k[0][j][2], w.k[1][j][2], w.k[0][j][3], w.k[1][j][3]};
        mma(s, left, w.q[j][0], w.q[j][1]);
        mma(s, right, w.q[j][2], w.q[j][3]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        s[i] = first + g + i / 2 * 8 < end ? s[i] * scale : -INFINITY;
    }
}

/* Scores become weights; what was summed up so far shrinks where a head's highest score has grown. */
static __device__ void decode_softmax(decode_warp &w, float (&s)[4]) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float highest = fmaxf(s[h], s[h + 2]);
        for (int step = 4; step < WARP; step *= 2) { // the lanes with this t
            highest = fmaxf(highest, __shfl_xor_sync(0xffffffff, highest, step));
        }
        highest = fmaxf(highest, w.highest[h]);
        float share = exp2_fast(w.highest[h] - highest);
        s[h] = exp2_fast(s[h] - highest);
        s[h + 2] = exp2_fast(s[h + 2] - highest);
        w.weight[h] = w.weight[h] * share + s[h] + s[h + 2]; // this lane's keys only
        w.highest[h] = highest;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            w.sum[i][h] *= share;
            w.sum[i][h + 2] *= share;
        }
    }
}

/* A fragment wants two keys of one element in a register, memory has two elements of one key: so two registers are
 * cut in halves, and joined the other way. */
static __device__ void decode_add_values(decode_warp &w, const float (&s)[4]) {
    uint32_t b0 = decode_turned(s[0], s[1]), b1 = decode_turned(s[2], s[3]);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        uint32_t x = w.v[0][i / 4][i % 4], y = w.v[1][i / 4][i % 4];
        uint32_t x8 = w.v[2][i / 4][i % 4], y8 = w.v[3][i / 4][i % 4];
        const uint32_t a[4] = {__byte_perm(x, y, 0x5410), __byte_perm(x, y, 0x7632), __byte_perm(x8, y8, 0x5410),
                               __byte_perm(x8, y8, 0x7632)};
        mma(w.sum[i], a, b0, b1);
    }
}

/* What this warp has found of heads 2t and 2t + 1, for the others. */
static __device__ void decode_leave(decode_warp &w, decode_found<DECODE_HEADS> &found) {
    int warp = threadIdx.x / WARP, g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float weight = w.weight[h];
        for (int step = 4; step < WARP; step *= 2) {
            weight += __shfl_xor_sync(0xffffffff, weight, step);
        }
        if (g == 0) {
            found.highest[warp][2 * t + h] = w.highest[h];
            found.weight[warp][2 * t + h] = weight;
        }
#pragma unroll
        for (int i = 0; i < 8; i += 2) {
            *(float4 *)&found.sum[warp][2 * t + h][i / 4 * 64 + 8 * g + i % 4 * 2] =
                make_float4(w.sum[i][h], w.sum[i][h + 2], w.sum[i + 1][h], w.sum[i + 1][h + 2]);
        }
    }
}

/* Keys `begin` to `end` of one sequence and one K/V head, by all warps of a block: every fourth 16 keys are a warp's. While
 * it waits for keys, the values of the same 16 are on their way, and while it waits for those, the next keys. */
static __device__ void decode_walk(const struct decode &d, decode_warp &w, const int *table, int head_kv, int begin,
                                   int end) {
    int lane = threadIdx.x % WARP, first = begin + threadIdx.x / WARP * DECODE_TILE, page = 0;
    auto place_of = [&](int key, int step) { // each lane looks up the page of one of the next 32 steps
        if (step % WARP == 0) {
            int own = key + lane * DECODE_WARPS * DECODE_TILE;
            page = own < end ? table[own / d.page_size] : 0;
        }
        return decode_place(d, __shfl_sync(0xffffffff, page, step % WARP), head_kv, key % d.page_size);
    };
    size_t at = place_of(first, 0);
    decode_ask_keys(w, d.k + at, first, end);
    decode_ask_values(w, d.v + at, first, end);
    for (int step = 1; first < end; step++) {
        int next = first + DECODE_WARPS * DECODE_TILE;
        float s[4] = {};
        decode_scores(w, s, d.scale, first, end);
        at = place_of(next, step);
        decode_ask_keys(w, d.k + at, next, end);
        decode_softmax(w, s);
        decode_add_values(w, s);
        decode_ask_values(w, d.v + at, next, end);
        first = next;
    }
}

/* Version 2: grid: 1 x eights of heads x sequences. A group of more than 8 heads is several eights, which find what they
 * read in the L2 cache. SPLIT, version 3: grid: chunks x eights of heads x sequences; chunks behind a sequence's end
 * have nothing to do, and write nothing. */
template <bool SPLIT> static __device__ void decode_block(const struct decode &d) {
    __shared__ __align__(16) decode_found<DECODE_HEADS> found;
    int group = d.heads / d.heads_kv, eights = (group + DECODE_HEADS - 1) / DECODE_HEADS;
    int head_kv = blockIdx.y / eights, in_group = blockIdx.y % eights * DECODE_HEADS, s = blockIdx.z;
    int head = head_kv * group + in_group, count = min(DECODE_HEADS, group - in_group);
    int begin = SPLIT ? blockIdx.x * d.chunk : 0, end = d.lengths[s];
    if (SPLIT) {
        if (begin >= end) {
            return;
        }
        end = min(end, begin + d.chunk);
    }
    int g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
    decode_warp w = {};
    w.highest[0] = w.highest[1] = -INFINITY;
    for (int j = 0; j < 4; j++) {
        decode_load8(w.q[j], d.q + ((size_t)s * d.heads + head + g) * D + 32 * j + 8 * t, g < count);
    }
    decode_walk(d, w, d.table + (size_t)s * d.pages, head_kv, begin, end);
    decode_leave(w, found);
    decode_write(d, found, s, head, count, SPLIT, blockIdx.x);
}

static __global__ __launch_bounds__(DECODE_THREADS, 3) void decode_kernel2(struct decode d) {
    decode_block<false>(d);
}

static __global__ __launch_bounds__(DECODE_THREADS, 3) void decode_kernel3(struct decode d) {
    decode_block<true>(d);
}

/* Version 3, the second kernel: grid: heads x sequences. Each chunk has left its result and the logarithm of the sum of its
 * weights: so much does its result count. A warp takes every sixteenth chunk, a lane four elements. The order is always the
 * same, so the same input gives the same bits. */
static __global__ __launch_bounds__(DECODE_COMBINE_WARPS *WARP) void decode_combine_kernel(struct decode d) {
    __shared__ float4 sums[DECODE_COMBINE_WARPS][WARP];
    __shared__ float weights[DECODE_COMBINE_WARPS];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    size_t row = (size_t)blockIdx.y * d.heads + blockIdx.x;
    int chunks = (d.lengths[blockIdx.y] + d.chunk - 1) / d.chunk;
    const float *logsum = d.logsum + row * d.chunks;
    float highest = -INFINITY, weight = 0;
    for (int c = lane; c < chunks; c += WARP) {
        highest = fmaxf(highest, logsum[c]);
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        highest = fmaxf(highest, __shfl_xor_sync(0xffffffff, highest, step));
    }
    float4 sum = {};
#pragma unroll 8
    for (int c = warp; c < chunks; c += DECODE_COMBINE_WARPS) {
        float share = exp2_fast(logsum[c] - highest);
        float4 v = ((const float4 *)d.partial)[(row * d.chunks + c) * WARP + lane];
        weight += share;
        sum.x += share * v.x, sum.y += share * v.y, sum.z += share * v.z, sum.w += share * v.w;
    }
    sums[warp][lane] = sum;
    weights[warp] = weight;
    __syncthreads();
    if (warp > 0) {
        return;
    }
    for (int other = 1; other < DECODE_COMBINE_WARPS; other++) {
        float4 v = sums[other][lane];
        weight += weights[other];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    float inverse = chunks > 0 ? 1 / weight : 0;
    __nv_bfloat162 *out = (__nv_bfloat162 *)(d.out + row * D + lane * 4);
    out[0] = __floats2bfloat162_rn(sum.x * inverse, sum.y * inverse);
    out[1] = __floats2bfloat162_rn(sum.z * inverse, sum.w * inverse);
}

// ---------------------------------------------------------------- the launchers

static int decode_eights(const struct decode *d) {
    return (d->heads / d->heads_kv + DECODE_HEADS - 1) / DECODE_HEADS * d->heads_kv;
}

static void decode1(const struct decode *d, cudaStream_t stream) {
    decode_kernel1<<<dim3(d->heads, d->sequences), DECODE_THREADS, 0, stream>>>(*d);
    CUDA_CHECK_LAUNCH();
}

static void decode2(const struct decode *d, cudaStream_t stream) {
    decode_kernel2<<<dim3(1, decode_eights(d), d->sequences), DECODE_THREADS, 0, stream>>>(*d);
    CUDA_CHECK_LAUNCH();
}

static void decode3(const struct decode *d, cudaStream_t stream) {
    if (d->chunks == 1) { // nothing to put together
        decode2(d, stream);
        return;
    }
    if (d->chunks > 0) { // else there is no key
        decode_kernel3<<<dim3(d->chunks, decode_eights(d), d->sequences), DECODE_THREADS, 0, stream>>>(*d);
        CUDA_CHECK_LAUNCH();
    }
    decode_combine_kernel<<<dim3(d->heads, d->sequences), DECODE_COMBINE_WARPS * WARP, 0, stream>>>(*d);
    CUDA_CHECK_LAUNCH();
}

static const struct decode_version {
    const char *name;
    void (*launch)(const struct decode *d, cudaStream_t stream);
} decode_versions[] = {{"decode_kernel1", decode1}, {"decode_kernel2", decode2}, {"decode_kernel3", decode3}};
enum { DECODE_VERSIONS = sizeof decode_versions / sizeof decode_versions[0] };

// ---------------------------------------------------------------- a problem

enum { DECODE_SEQUENCES = 64 };

struct decode_shape {
    int heads, heads_kv, page_size, sequences, lengths[DECODE_SEQUENCES];
    bool one_hot; // q is 0, and each row of v has a single 1: so every key counts the same, and a result is a count
};

struct decode_problem {
    struct decode host, device;
    size_t rows, cache, step;        // rows of q; elements of k; the reference has rows 0, step, 2 * step, ...
    float *found, *expected, *limit; // limit: how far a number may be off
    bool one_hot;
    double bytes; // that have to be read and written
    const struct decode_shape *shape;
};

static int decode_pages(int length, int page_size) {
    return (length + page_size - 1) / page_size;
}

/* How many pages at its beginning a sequence has in common with sequence 0: half of those that both have filled. */
static int decode_common(const struct decode_shape *shape, int s) {
    int shorter = shape->lengths[s] < shape->lengths[0] ? shape->lengths[s] : shape->lengths[0];
    return s == 0 ? 0 : shorter / shape->page_size / 2;
}

/* Hands out pages in an order made by chance. Returns how many there are; behind a sequence's last page the table has
 * numbers of pages that do not exist. */
static int decode_hand_out(const struct decode_shape *shape, int pages, int *table, uint64_t seed) {
    uint64_t state = seed * 2 + 1;
    int count = 0, given = 0;
    for (int s = 0; s < shape->sequences; s++) {
        count += decode_pages(shape->lengths[s], shape->page_size) - decode_common(shape, s);
    }
    int *order = (int *)verify_host_alloc(count * sizeof(int));
    for (int i = 0; i < count; i++) {
        int other = (int)((verify_next(&state) >> 33) % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    for (int s = 0; s < shape->sequences; s++) {
        for (int p = 0; p < pages; p++) {
            bool exists = p < decode_pages(shape->lengths[s], shape->page_size);
            int first = p < decode_common(shape, s);
            table[s * pages + p] = !exists ? INT_MAX : first ? table[p] : order[given++];
        }
    }
    free(order);
    return count;
}

/* n random bfloat16 from -range to range: four of each random number. */
static bf16 *decode_random(size_t n, float range, uint64_t seed) {
    bf16 *x = (bf16 *)verify_host_alloc(n * sizeof(bf16));
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ULL | 1, bits = 0;
    for (size_t i = 0; i < n; i++) {
        bits = i % 4 ? bits >> 16 : verify_next(&state);
        x[i] = __float2bfloat16(range * ((float)(bits & 0xFFFF) / 32768.0f - 1.0f));
    }
    return x;
}

/* The rows behind a sequence's end are NaN, and with one_hot those before it are made here: key n of sequence s has its 1
 * at n + 41 s. Pages that are shared are full, and are written by the first sequence that has them. */
static void decode_fill_rows(struct decode_problem *p) {
    const struct decode *d = &p->host;
    bf16 *k = (bf16 *)d->k, *v = (bf16 *)d->v;
    for (int s = 0; s < d->sequences; s++) {
        int pages = decode_pages(d->lengths[s], d->page_size);
        for (int n = decode_common(p->shape, s) * d->page_size; n < pages * d->page_size; n++) {
            for (int h = 0; h < d->heads_kv; h++) {
                size_t page = d->table[(size_t)s * d->pages + n / d->page_size];
                size_t at = ((page * d->heads_kv + h) * d->page_size + n % d->page_size) * D;
                for (int e = 0; e < D && n >= d->lengths[s]; e++) {
                    k[at + e] = v[at + e] = __float2bfloat16(NAN);
                }
                for (int e = 0; e < D && n < d->lengths[s] && p->one_hot; e++) {
                    v[at + e] = __float2bfloat16(e == (n + 41 * s) % D ? 1.0f : 0.0f);
                }
            }
        }
    }
}

static void *decode_upload(const void *from, size_t bytes) {
    void *to = NULL;
    CUDA_CHECK(cudaMalloc(&to, bytes));
    CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

/* Blocks of version 3 with chunks of this size. */
static double decode_blocks(const struct decode *d, const int *lengths, int chunk) {
    double blocks = 0;
    for (int s = 0; s < d->sequences; s++) {
        blocks += (lengths[s] + chunk - 1) / chunk;
    }
    return blocks * decode_eights(d);
}

/* How many keys a block of version 3 gets: just so many that all blocks run at once, since a few that have to wait for a place take
 * as long as all. A third more may be needed for that, as a sequence's last chunk is shorter, or to leave the sequences
 * whole. But not so few that a block's result costs more than its keys. Whole steps of a block. */
static void decode_cut(struct decode *d, const int *lengths) {
    enum { STEP = DECODE_WARPS * DECODE_TILE };
    double keys = 0, places = 3.0 * multiprocessors();
    int longest = 0;
    for (int s = 0; s < d->sequences; s++) {
        keys += lengths[s];
        longest = lengths[s] > longest ? lengths[s] : longest;
    }
    int least = (int)(keys * decode_eights(d) / places);
    least = least < DECODE_CHUNK ? DECODE_CHUNK : (least + STEP - 1) / STEP * STEP;
    d->chunk = least;
    while (decode_blocks(d, lengths, d->chunk) > places && d->chunk < longest && d->chunk < least + least / 3) {
        d->chunk += STEP;
    }
    d->chunks = (longest + d->chunk - 1) / d->chunk;
}

static void decode_to_device(struct decode_problem *p) {
    struct decode *d = &p->device;
    const struct decode *h = &p->host;
    size_t partial = p->rows * h->chunks;
    *d = *h;
    d->q = (const bf16 *)decode_upload(h->q, p->rows * D * sizeof(bf16));
    d->k = (const bf16 *)decode_upload(h->k, p->cache * sizeof(bf16));
    d->v = (const bf16 *)decode_upload(h->v, p->cache * sizeof(bf16));
    d->table = (const int *)decode_upload(h->table, (size_t)h->sequences * h->pages * sizeof(int));
    d->lengths = (const int *)decode_upload(h->lengths, h->sequences * sizeof(int));
    d->out = (bf16 *)verify_alloc(p->rows * D * sizeof(bf16));
    d->partial = (float *)verify_alloc(partial * D * sizeof(float));
    d->logsum = (float *)verify_alloc(partial * sizeof(float));
}

static struct decode_problem decode_create(const struct decode_shape *shape, uint64_t seed) {
    struct decode_problem p = {};
    struct decode *d = &p.host;
    double keys = 0;
    *d = {shape->sequences, shape->heads, shape->heads_kv, shape->page_size};
    p.shape = shape;
    p.one_hot = shape->one_hot;
    for (int s = 0; s < d->sequences; s++) {
        int pages = decode_pages(shape->lengths[s], d->page_size);
        d->pages = pages > d->pages ? pages : d->pages;
        keys += shape->lengths[s];
    }
    p.rows = (size_t)d->sequences * d->heads;
    p.step = keys * d->heads * D > 1e8 ? (size_t)(keys * d->heads * D / 1e8) | 1 : 1;
    int *table = (int *)verify_host_alloc((size_t)d->sequences * d->pages * sizeof(int));
    p.cache = (size_t)decode_hand_out(shape, d->pages, table, seed) * d->heads_kv * d->page_size * D;
    d->table = table;
    d->lengths = shape->lengths;
    d->q = decode_random(p.rows * D, shape->one_hot ? 0.0f : 4.0f, seed);
    d->k = decode_random(p.cache, 1.0f, seed + 1000);
    d->v = decode_random(p.cache, 1.0f, seed + 2000);
    d->scale = (float)(M_LOG2E / sqrt((double)D));
    decode_cut(d, shape->lengths);
    decode_fill_rows(&p);
    p.bytes = (2 * keys * d->heads_kv + 2.0 * p.rows) * D * sizeof(bf16);
    double *exact = (double *)verify_host_alloc(p.rows * D * sizeof(double));
    double *squares = (double *)verify_host_alloc(p.rows * D * sizeof(double));
    p.expected = (float *)verify_host_alloc(p.rows * D * sizeof(float));
    p.found = (float *)verify_host_alloc(p.rows * D * sizeof(float));
    p.limit = (float *)verify_host_alloc(p.rows * D * sizeof(float));
    decode_cpu(d, exact, squares, p.step);
    for (size_t i = 0; i < p.rows * D; i++) {
        bool computed = i / D % p.step == 0;
        p.expected[i] = computed ? (float)exact[i] : 0.0f;
        p.limit[i] = computed ? attention_limit(exact[i], p.one_hot ? 0 : squares[i]) : 0.0f;
    }
    free(exact);
    free(squares);
    decode_to_device(&p);
    return p;
}

static void decode_free(struct decode_problem *p) {
    struct decode *d = &p->device;
    size_t partial = p->rows * d->chunks;
    verify_free("the result of decode", d->out, p->rows * D * sizeof(bf16));
    verify_free("the chunks' results", d->partial, partial * D * sizeof(float));
    verify_free("the chunks' sums of weights", d->logsum, partial * sizeof(float));
    const void *inputs[] = {d->q, d->k, d->v, d->table, d->lengths};
    const void *own[] = {p->host.q, p->host.k, p->host.v, p->host.table};
    for (int i = 0; i < 5; i++) {
        CUDA_CHECK(cudaFree((void *)inputs[i]));
    }
    for (int i = 0; i < 4; i++) {
        free((void *)own[i]);
    }
    free(p->expected);
    free(p->limit);
    free(p->found);
}

// ---------------------------------------------------------------- verify

/* A result may be off as O may: attention_limit. With one_hot all weights are 1 and nothing is rounded but the result. */
static bool decode_verify(struct decode_problem *p, const char *name) {
    size_t count = p->rows * D;
    char title[120];
    bf16 *bits = (bf16 *)verify_host_alloc(count * sizeof(bf16));
    snprintf(title, sizeof title, "%s, %d sequences, %d heads (%d of K and V), pages of %d%s", name, p->host.sequences,
             p->host.heads, p->host.heads_kv, p->host.page_size, p->one_hot ? ", counting" : "");
    CUDA_CHECK(cudaMemcpy(bits, p->device.out, count * sizeof(bf16), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) {
        float x = __bfloat162float(bits[i]);
        p->found[i] = i / D % p->step == 0 || isnan(x) ? x : 0.0f; // the reference lacks the other rows
    }
    free(bits);
    return attention_compare(title, p->found, p->expected, p->limit, 0, count);
}

/* Nothing may be left of the version before, the chunks' results neither. */
static void decode_poison(struct decode_problem *p) {
    size_t partial = p->rows * p->device.chunks;
    verify_poison_device(p->device.out, p->rows * D * sizeof(bf16));
    verify_poison_device(p->device.partial, partial * D * sizeof(float));
    verify_poison_device(p->device.logsum, partial * sizeof(float));
}

struct decode_job {
    struct decode d;
    void (*launch)(const struct decode *d, cudaStream_t stream);
};

static void decode_launch_job(void *job, cudaStream_t stream) {
    const struct decode_job *j = (const struct decode_job *)job;
    j->launch(&j->d, stream);
}

static bool decode_verify_shape(const struct decode_shape *shape, uint64_t seed) {
    struct decode_problem p = decode_create(shape, seed);
    bool good = true;
    for (int v = 0; v < DECODE_VERSIONS; v++) {
        decode_poison(&p);
        decode_versions[v].launch(&p.device, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        good &= decode_verify(&p, decode_versions[v].name);
    }
    decode_free(&p);
    return good;
}

// ---------------------------------------------------------------- the table

/* On the emulator. A key: one key of one K/V head. */
static bool decode_count(struct decode_problem *p) {
    const struct decode *d = &p->device;
    double keys = (p->bytes / sizeof(bf16) / D - 2 * p->rows) / 2;
    bool good = true;
    printf("\n%-18s  %12s  %12s  %12s  %12s  %12s\n", "", "", "bytes loaded", "sectors", "loads", "instructions");
    printf("%-18s  %12s  %12s  %12s  %12s  %12s\n", "version", "blocks", "/ needed", "per load", "in flight",
           "per key");
    for (int v = 0; v < DECODE_VERSIONS; v++) {
        const int blocks[] = {d->heads * d->sequences, decode_eights(d) * d->sequences,
                              decode_eights(d) * d->sequences * d->chunks};
        struct decode_job job = {*d, decode_versions[v].launch};
        struct emulatorCounters c;
        decode_poison(p);
        bench_count(&c, decode_launch_job, &job);
        printf("%-18s  %12d", decode_versions[v].name, blocks[v]);
        bench_cell((double)c.global_load_bytes, p->bytes);
        bench_cell((double)c.global_load_sectors, (double)c.global_load_requests);
        bench_cell((double)c.global_loads_together, (double)c.global_load_requests);
        bench_cell((double)c.warp_instructions, keys);
        printf("\n");
        good &= decode_verify(p, decode_versions[v].name);
    }
    printf("\n");
    return good;
}

/* On a GPU: in turns with a copy that moves as many bytes, half of them read, half written. What was timed is verified. */
static bool decode_time(struct decode_problem *p) {
    struct bench_copy copy = {NULL, NULL, (size_t)(p->bytes / 2 / sizeof(float4))};
    struct decode_job jobs[DECODE_VERSIONS];
    struct turns turns = turns_start();
    bool good = true;
    CUDA_CHECK(cudaMalloc((void **)&copy.from, copy.n * sizeof(float4)));
    CUDA_CHECK(cudaMalloc((void **)&copy.to, copy.n * sizeof(float4)));
    CUDA_CHECK(cudaMemset(copy.from, 0, copy.n * sizeof(float4)));
    turns_add(&turns, "copy kernel", bench_launch_copy, &copy, p->bytes, 0);
    decode_poison(p);
    for (int v = 0; v < DECODE_VERSIONS; v++) {
        jobs[v] = {p->device, decode_versions[v].launch};
        jobs[v].d.out = (bf16 *)verify_alloc(p->rows * D * sizeof(bf16));
        turns_add(&turns, decode_versions[v].name, decode_launch_job, &jobs[v], p->bytes, 0);
    }
    turns_run(&turns);
    turns_print(&turns, "% of copy");
    turns_end(&turns);
    CUDA_CHECK(cudaFree(copy.from));
    CUDA_CHECK(cudaFree(copy.to));
    for (int v = 0; v < DECODE_VERSIONS; v++) {
        struct decode_problem own = *p;
        own.device.out = jobs[v].d.out;
        good &= decode_verify(&own, decode_versions[v].name);
        verify_free("the result of decode", own.device.out, p->rows * D * sizeof(bf16));
    }
    return good;
}

/* `sequences` sequences of about `length` keys: from half of it to all of it where there are several. */
static struct decode_shape decode_batch(int sequences, int length, int page_size) {
    struct decode_shape shape = {32, 8, page_size, sequences};
    for (int s = 0; s < sequences; s++) {
        shape.lengths[s] = length - (int)((long long)length / 2 * s / sequences);
    }
    return shape;
}

static bool decode_measure(struct decode_shape shape, uint64_t seed) {
    struct decode_problem p = decode_create(&shape, seed);
    printf("decode: %d sequences, %d to %d keys, %d heads (%d of K and V), pages of %d; version 3: chunks of %d\n",
           shape.sequences, shape.lengths[shape.sequences - 1], shape.lengths[0], shape.heads, shape.heads_kv,
           shape.page_size, p.device.chunk);
    record_part("decode, %d x %d, pages of %d", shape.sequences, shape.lengths[0], shape.page_size);
    record_row("decode_kernel3", "keys of a chunk", p.device.chunk, "");
    bool good = device_is_emulator() ? decode_count(&p) : decode_time(&p);
    fflush(stdout);
    decode_free(&p);
    return good;
}

/* Verifies all versions; when they are right, measures them. size: the length of the sequences; -1: the lesson's own. */
static bool decode_section(uint64_t seed, long long size) {
    static const struct decode_shape shapes[] = {
        {8, 2, 16, 6, {1000, 17, 16, 15, 1, 0}, false},
        {8, 2, 16, 6, {1000, 17, 16, 15, 1, 0}, true},
        {8, 1, 64, 5, {700, 129, 65, 64, 63}, false},
        {8, 1, 64, 5, {600, 129, 65, 64, 63}, true},
        {3, 3, 16, 2, {33, 5}, false},
        {24, 2, 64, 3, {100, 0, 257}, true},
        {12, 1, 16, 2, {130, 70}, false},
        {4, 2, 16, 1, {0}, false},
    };
    bool good = true;
    if (size >= 0) {
        int n = (int)size;
        struct decode_shape around = {8, 2, 16, 3, {n, n / 2, n / 3 + 1}, false};
        good &= decode_verify_shape(&around, seed);
        around.one_hot = true;
        good &= decode_verify_shape(&around, seed);
    } else {
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            good &= decode_verify_shape(&shapes[s], seed + s);
        }
    }
    if (!good || size == 0) {
        return good;
    }
    if (size > 0) {
        return decode_measure(decode_batch(device_is_emulator() ? 1 : 16, (int)size, 16), seed);
    }
    if (device_is_emulator()) {
        return decode_measure({8, 2, 16, 2, {1024, 700}}, seed);
    }
    good &= decode_measure(decode_batch(1, 131072, 16), seed);
    good &= decode_measure(decode_batch(4, 32768, 16), seed);
    good &= decode_measure(decode_batch(16, 16384, 16), seed);
    good &= decode_measure(decode_batch(16, 16384, 64), seed);
    return good & decode_measure(decode_batch(64, 4096, 16), seed);
}

#endif
