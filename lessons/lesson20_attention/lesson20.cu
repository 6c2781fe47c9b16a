/* Lesson 20: attention, from three kernels and a huge matrix to one kernel on Hopper.
 *
 *     make lesson20 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson20 run V=3 SIZE=200        one version, 200 queries and 200 keys (V=7: backward, V=8: decode)
 *
 * You will learn what attention computes, why its matrix of scores must not be stored, how softmax is corrected while
 * the scores come, and how one kernel keeps tensor cores busy with two products and a softmax between them.
 *
 *     attention1           three kernels: scores, softmax, values; the scores go through memory
 *     attention_kernel2    one kernel: online softmax over tiles of keys, mma.sync, the scores stay in registers
 *     attention_kernel3    the same with 32 rows for each warp, and copies a tile ahead
 *     attention_kernel4    Hopper: TMA fetches, wgmma multiplies; a warp group of its own asks for the copies
 *     attention_kernel5    Hopper: the exponentials of one tile while tensor cores work on others
 *     attention_kernel6    Hopper: blocks that go on with the next queries while the last ones end
 *     backward.h           the backward pass: what training needs
 *     decode.h             one new token, and a cache of keys and values in pages: what a language model does while it writes
 *
 * Q, K, V and O are bfloat16, [batch, sequence, heads, d] with d = 128; sums are fp32. Sequences may have different
 * lengths: then they lie one after the other. Several heads of Q may share a head of K and V. Causal: a query sees the keys
 * up to its own place, where the last query stands at the last key. A row without any key is 0. lse, the logarithm of
 * the sum of exp(score), is float [batch, heads, sequence]; the backward pass needs it.
 */
// arch: sm_80 sm_90a
// sizes: 0 1 31 33 200
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <math.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/hopper.h"
#include "../../common/verify.h"
#include "attention.h"

#pragma nv_diag_suppress 177 // on sm_80 nobody uses what is for Hopper

typedef __nv_bfloat16 bf16;

enum { WARP = 32 };

// ---------------------------------------------------------------- the reference

/* One query and the `seen` keys that it sees, whose rows are `stride` numbers apart. limit: how far each number of o may be off. */
static void attention_cpu(const float *q, const float *K, const float *V, int seen, size_t stride, double scale,
                          float *o, float *limit, float *lse) {
    double *score = (double *)verify_host_alloc(seen * sizeof(double)), largest = -INFINITY, sum = 0;
    double value[D] = {}, squares[D] = {};
    for (int j = 0; j < seen; j++) {
        double dot = 0;
        for (int c = 0; c < D; c++) {
            dot += (double)q[c] * K[j * stride + c];
        }
        score[j] = dot * scale;
        largest = score[j] > largest ? score[j] : largest;
    }
    for (int j = 0; j < seen; j++) {
        double p = exp(score[j] - largest);
        sum += p;
        for (int c = 0; c < D; c++) {
            double term = p * V[j * stride + c];
            value[c] += term;
            squares[c] += term * term;
        }
    }
    for (int c = 0; c < D; c++) {
        o[c] = seen ? (float)(value[c] / sum) : 0.0f;
        limit[c] = seen ? attention_limit(value[c] / sum, squares[c] / (sum * sum)) : 0.0f;
    }
    *lse = seen ? (float)(largest + log(sum)) : -INFINITY;
    free(score);
}

// ---------------------------------------------------------------- what all versions share

/* The rows of one sequence: where they begin, how many they are. */
struct sequence {
    int first_q, queries, first_k, keys;
};

static __device__ struct sequence sequence_of(const struct attention &a, int b) {
    if (!a.starts_q) {
        return {b * a.queries, a.queries, b * a.keys, a.keys};
    }
    return {a.starts_q[b], a.starts_q[b + 1] - a.starts_q[b], a.starts_k[b], a.starts_k[b + 1] - a.starts_k[b]};
}

/* How many keys the query `row` sees: 0, 1, ... seen - 1. This function alone defines the masks. */
static __device__ int seen_by(const struct attention &a, const struct sequence &s, int row) {
    return a.causal ? max(0, min(s.keys, row + 1 + s.keys - s.queries)) : s.keys;
}

/* The numbers of a row that begin at row `row` of the sequence, in one head. */
static __device__ const bf16 *row_of(const bf16 *x, int row, int heads, int head) {
    return x + ((size_t)row * heads + head) * D;
}

// ---------------------------------------------------------------- version 1: three kernels

enum { EDGE = 16 }; // a block of scores_kernel has 16 x 16 scores, one for each thread

/* Scores: S = Q * transposed K * scale. Where a query does not see a key, -infinity, whose exp is 0. */
static __global__ void scores_kernel(struct attention a) {
    __shared__ float tile_Q[EDGE][D + 1], tile_K[EDGE][D + 1];
    int b = blockIdx.z / a.heads, h = blockIdx.z % a.heads, x = threadIdx.x, y = threadIdx.y;
    struct sequence s = sequence_of(a, b);
    int row = blockIdx.y * EDGE + y, key = blockIdx.x * EDGE + x, head_kv = h / (a.heads / a.heads_kv);
    for (int c = x; c < D; c += EDGE) { // 16 rows of either matrix; row y of both is this thread's to load
        int other = blockIdx.x * EDGE + y;
        tile_Q[y][c] = row < s.queries ? __bfloat162float(row_of(a.Q, s.first_q + row, a.heads, h)[c]) : 0;
        tile_K[y][c] = other < s.keys ? __bfloat162float(row_of(a.K, s.first_k + other, a.heads_kv, head_kv)[c]) : 0;
    }
    __syncthreads();
    if (row < s.queries && key < s.keys) {
        float dot = 0;
        for (int c = 0; c < D; c++) {
            dot += tile_Q[y][c] * tile_K[x][c];
        }
        size_t at = ((size_t)blockIdx.z * a.queries + row) * a.keys + key;
        a.scores[at] = key < seen_by(a, s, row) ? dot * a.scale : -INFINITY;
    }
}

static __device__ float warp_max(float x) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
    }
    return x;
}

static __device__ float warp_sum(float x) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        x += __shfl_xor_sync(~0u, x, step);
    }
    return x;
}

/* Softmax of each row, in place, as in lesson 12: a warp has a row, and walks along it three times. */
static __global__ void softmax_kernel(struct attention a) {
    int b = blockIdx.y / a.heads, lane = threadIdx.x;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    struct sequence s = sequence_of(a, b);
    if (row >= s.queries) {
        return;
    }
    float *score = a.scores + ((size_t)blockIdx.y * a.queries + row) * a.keys, largest = -INFINITY, sum = 0;
    int seen = seen_by(a, s, row);
    for (int j = lane; j < seen; j += WARP) {
        largest = fmaxf(largest, score[j]);
    }
    largest = warp_max(largest);
    for (int j = lane; j < seen; j += WARP) {
        sum += expf(score[j] - largest);
    }
    sum = warp_sum(sum);
    for (int j = lane; j < s.keys; j += WARP) {
        score[j] = j < seen ? expf(score[j] - largest) / sum : 0.0f;
    }
    if (lane == 0) {
        a.lse[(size_t)blockIdx.y * a.queries + row] = seen ? largest + logf(sum) : -INFINITY;
    }
}

enum { ROWS_TOGETHER = 8 }; // a block of values_kernel has 8 rows of O, and a thread a column of them

/* Values: O = P * V. Each row of O is a mean of the rows of V, weighted by the probabilities. */
static __global__ __launch_bounds__(D) void values_kernel(struct attention a) {
    int b = blockIdx.y / a.heads, h = blockIdx.y % a.heads, head_kv = h / (a.heads / a.heads_kv), c = threadIdx.x;
    struct sequence s = sequence_of(a, b);
    int first = blockIdx.x * ROWS_TOGETHER, rows = min(ROWS_TOGETHER, s.queries - first);
    float sum[ROWS_TOGETHER] = {};
    if (rows <= 0) {
        return;
    }
    const float *p = a.scores + ((size_t)blockIdx.y * a.queries + first) * a.keys;
    int seen = seen_by(a, s, first + rows - 1);
    for (int j = 0; j < seen; j++) {
        float v = __bfloat162float(row_of(a.V, s.first_k + j, a.heads_kv, head_kv)[c]);
        for (int r = 0; r < rows; r++) {
            sum[r] += p[(size_t)r * a.keys + j] * v;
        }
    }
    for (int r = 0; r < rows; r++) {
        a.O[((size_t)(s.first_q + first + r) * a.heads + h) * D + c] = __float2bfloat16(sum[r]);
    }
}

// ---------------------------------------------------------------- tensor cores, as in lesson 18

/* c += a * b, 16 x 16 times 16 x 8. With g = lane / 4 and t = lane % 4 a lane has of c row g, columns 2t and 2t + 1, in
 * c[0] and c[1]; and row g + 8 in c[2] and c[3]. Two neighbours of c, rounded to bfloat16, are just what the same lane has
 * to give as a 16 x 16 operand a of the next product. */
static __device__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Four 8 x 8 matrices; lane i points to a row, 16 bytes, of matrix i / 8. */
static __device__ void ldmatrix(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

static __device__ void ldmatrix_transposed(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

static __device__ void copy8(bf16 *to, const bf16 *from, bool inside) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(inside ? 16 : 0)
                 : "memory");
}

/* Where a tile with rows of D numbers has the piece of eight that begins at (row, col): lesson 18's swizzle. */
static __device__ int swizzled(int row, int col) {
    return row * D + ((col / 8) ^ (row % 8)) * 8;
}

/* Asks for ROWS rows, the first `count` of which exist; the others are zeros. Rows lie `stride` numbers apart. A thread's
 * pieces are in rows that differ by a multiple of eight, so they have the same place in the swizzle. */
template <int ROWS, int THREADS>
static __device__ void copy_rows(bf16 *tile, const bf16 *from, size_t stride, int count) {
    enum { TOGETHER = THREADS / (D / 8) }; // rows that all threads copy at once
    static_assert(TOGETHER % 8 == 0, "a multiple of eight");
    int row = threadIdx.x / (D / 8), col = threadIdx.x % (D / 8) * 8;
    tile += swizzled(row, col);
    from += row * stride + col;
#pragma unroll
    for (int i = 0; i < ROWS; i += TOGETHER) {
        copy8(tile + i * D, from, row + i < count);
        from += TOGETHER * stride;
    }
}

// ---------------------------------------------------------------- softmax in fragments

/* 2 to the power of x, in one instruction; 2^-infinity is 0. */
static __device__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Scores of R groups of 16 rows and 8 S columns, as mma leaves them: what is not seen becomes -infinity. `row` and `key` are
 * those of the first row and column. */
template <int R, int S>
static __device__ void hide(float (&score)[R][S][4], const struct attention &a, const struct sequence &s, int row,
                            int key) {
    int g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < 2 * R; i++) {
        int seen = seen_by(a, s, row + i * 8 + g) - key - 2 * t;
#pragma unroll
        for (int j = 0; j < S; j++) {
            for (int c = 0; c < 2; c++) {
                if (j * 8 + c >= seen) {
                    score[i / 2][j][i % 2 * 2 + c] = -INFINITY;
                }
            }
        }
    }
}

/* What a lane knows of its 2 R rows: the largest score so far; its own part of the sum of exp(score - largest). */
template <int R> struct online { float largest[2 * R], sum[2 * R]; };

template <int R> static __device__ void online_begin(struct online<R> &o) {
#pragma unroll
    for (int i = 0; i < 2 * R; i++) {
        o.largest[i] = -INFINITY;
        o.sum[i] = 0;
    }
}

/* One more tile of scores, which become exp(score - largest). Where the largest score has grown, all that was summed up
 * before has to become smaller by `factor`. exp(x) is 2^(x * log2(e)): `scale` has both factors of a score in it, so
 * that a score costs one multiply-add and one instruction for the power. A row that has seen nothing yet has -infinity
 * as its largest score, and -infinity minus -infinity is NaN: so 0 is subtracted there. */
template <int R, int S>
static __device__ void online_step(struct online<R> &o, float (&score)[R][S][4], float scale, float (&factor)[2 * R]) {
#pragma unroll
    for (int i = 0; i < 2 * R; i++) {
        float largest = o.largest[i], sum = 0;
#pragma unroll
        for (int j = 0; j < S; j++) {
            largest = fmaxf(largest, fmaxf(score[i / 2][j][i % 2 * 2], score[i / 2][j][i % 2 * 2 + 1]));
        }
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 1)); // the four lanes of a row
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 2));
        float subtract = largest == -INFINITY ? 0.0f : largest * scale;
        factor[i] = exp2_fast(o.largest[i] * scale - subtract);
#pragma unroll
        for (int j = 0; j < S; j++) {
#pragma unroll
            for (int c = 0; c < 2; c++) {
                float &x = score[i / 2][j][i % 2 * 2 + c];
                x = exp2_fast(x * scale - subtract);
                sum += x;
            }
        }
        o.sum[i] = o.sum[i] * factor[i] + sum;
        o.largest[i] = largest;
    }
}

/* The sums of O become smaller with the others. */
template <int R> static __device__ void rescale(float (&value)[R][D / 8][4], const float (&factor)[2 * R]) {
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int j = 0; j < D / 8; j++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                value[i][j][c] *= factor[2 * i + c / 2];
            }
        }
    }
}

/* At the end: divides O by the sums of all four lanes, and writes log-sum-exp. `row`: the warp's first. */
template <int R>
static __device__ void online_end(const struct online<R> &o, float (&value)[R][D / 8][4], const struct attention &a,
                                  const struct sequence &s, int row, float *lse) {
    float factor[2 * R];
#pragma unroll
    for (int i = 0; i < 2 * R; i++) {
        float sum = o.sum[i];
        int r = row + i * 8 + threadIdx.x % WARP / 4;
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        factor[i] = sum == 0 ? 0.0f : 1 / sum; // 0: there was no key
        if (threadIdx.x % 4 == 0 && r < s.queries) {
            lse[r] = sum == 0 ? -INFINITY : o.largest[i] * a.scale + logf(sum);
        }
    }
    rescale(value, factor);
}

static __device__ uint32_t pack(float low, float high) {
    __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *(uint32_t *)&both;
}

/* The 16 columns 16 k, ... of probabilities as an operand of the next product: no lane needs anything from another. */
template <int S> static __device__ void operand_of(uint32_t (&p)[4], const float (&score)[S][4], int k) {
    p[0] = pack(score[2 * k][0], score[2 * k][1]);
    p[1] = pack(score[2 * k][2], score[2 * k][3]);
    p[2] = pack(score[2 * k + 1][0], score[2 * k + 1][1]);
    p[3] = pack(score[2 * k + 1][2], score[2 * k + 1][3]);
}

// ---------------------------------------------------------------- version 2: one kernel

/* What a block works on: `rows` queries of one head, from `row` on. All heads of all sequences are numbered, and come one after the
 * other: the tiles of a head read the same keys, so these should be computed at the same time. A head's last tile comes first. With a
 * causal mask it has most to do, and what takes longest must not begin last. `number` counts the tiles of all heads in this order. */
struct place {
    struct sequence s;
    int b, head, head_kv, row;
};

/* How many places a head has. */
static __host__ __device__ int places_of_head(const struct attention &a, int rows) {
    return (a.queries + rows - 1) / rows;
}

static __device__ struct place place_of(const struct attention &a, int rows, int number) {
    int tiles = places_of_head(a, rows), tile = tiles - 1 - number % tiles;
    int b = number / tiles / a.heads, head = number / tiles % a.heads;
    return {sequence_of(a, b), b, head, head / (a.heads / a.heads_kv), tile * rows};
}

/* Keys that at least one of the place's `rows` queries sees. Causal: tiles behind them are not even loaded. */
static __device__ int keys_for(const struct attention &a, const struct place &p, int rows) {
    return p.row < p.s.queries ? seen_by(a, p.s, min(p.row + rows, p.s.queries) - 1) : 0;
}

static __device__ float *lse_of(const struct attention &a, const struct place &p) {
    return a.lse + ((size_t)p.b * a.heads + p.head) * a.queries;
}

/* The scores of 16 R rows and 8 S keys: fragments of K, whose rows are keys, come by ldmatrix as they are. Q comes
 * as fragments, too, which `load_q(i, k)` gives. */
template <int R, int S, class LoadQ>
static __device__ void multiply_QK(float (&score)[R][S][4], const bf16 *tile_K, LoadQ load_q) {
    int lane = threadIdx.x % WARP, down = lane / 16 * 8 + lane % 8, right = lane / 8 % 2 * 8;
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
        uint32_t q[R][4], b[4];
#pragma unroll
        for (int i = 0; i < R; i++) {
            load_q(q[i], i, k);
        }
#pragma unroll
        for (int j = 0; j < S / 2; j++) {
            ldmatrix(b, tile_K + swizzled(j * 16 + down, k * 16 + right));
#pragma unroll
            for (int i = 0; i < R; i++) {
                mma(score[i][2 * j], q[i], b[0], b[1]);
                mma(score[i][2 * j + 1], q[i], b[2], b[3]);
            }
        }
    }
}

/* O += P * V: here the rows of V are what is summed over, so its fragments are transposed on their way. */
template <int R, int S>
static __device__ void multiply_PV(float (&value)[R][D / 8][4], const float (&score)[R][S][4], const bf16 *tile_V) {
    int lane = threadIdx.x % WARP, down = lane % 16, right = lane / 16 * 8;
#pragma unroll
    for (int k = 0; k < S / 2; k++) {
        uint32_t p[R][4], b[4];
#pragma unroll
        for (int i = 0; i < R; i++) {
            operand_of(p[i], score[i], k);
        }
#pragma unroll
        for (int j = 0; j < D / 16; j++) {
            ldmatrix_transposed(b, tile_V + swizzled(k * 16 + down, j * 16 + right));
#pragma unroll
            for (int i = 0; i < R; i++) {
                mma(value[i][2 * j], p[i], b[0], b[1]);
                mma(value[i][2 * j + 1], p[i], b[2], b[3]);
            }
        }
    }
}

enum { KEYS = 64, THREADS = 128 }; // of a tile of K and V; of a block of versions 2 and 3

/* Version 2: a block of 4 warps has 64 queries, 16 for each warp, and walks along the keys in tiles of 64. A warp's part of Q
 * stays in registers, and so do its scores and its part of O. One tile of K and one of V are in shared memory: V comes
 * while the scores are computed, the next K while V is used. */
static __global__ __launch_bounds__(THREADS) void attention_kernel2(struct attention a) {
    enum { ROWS = 64, S = KEYS / 8 };
    __shared__ __align__(128) bf16 tile_K[KEYS * D], tile_V[KEYS * D];
    struct place p = place_of(a, ROWS, blockIdx.x);
    int keys = keys_for(a, p, ROWS), tiles = (keys + KEYS - 1) / KEYS;
    int row = p.row + threadIdx.x / WARP * 16, g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
    size_t stride = (size_t)a.heads_kv * D;
    const bf16 *K = row_of(a.K, p.s.first_k, a.heads_kv, p.head_kv),
               *V = row_of(a.V, p.s.first_k, a.heads_kv, p.head_kv);
    uint32_t q[D / 16][4];
    for (int i = 0; i < 4; i++) {
        int r = row + i % 2 * 8 + g;
        const bf16 *from = row_of(a.Q, p.s.first_q + r, a.heads, p.head) + i / 2 * 8 + 2 * t;
        for (int k = 0; k < D / 16; k++) {
            q[k][i] = r < p.s.queries ? *(const uint32_t *)(from + k * 16) : 0;
        }
    }
    struct online<1> online;
    float value[1][D / 8][4] = {};
    online_begin(online);
    if (tiles > 0) {
        copy_rows<KEYS, THREADS>(tile_K, K, stride, p.s.keys);
        __pipeline_commit();
    }
    for (int tile = 0; tile < tiles; tile++) {
        int first = tile * KEYS;
        float score[1][S][4] = {}, factor[2];
        __pipeline_wait_prior(0);
        __syncthreads(); // K has arrived, and no thread reads the last V any more
        copy_rows<KEYS, THREADS>(tile_V, V + first * stride, stride, p.s.keys - first);
        __pipeline_commit();
        multiply_QK(score, tile_K, [&](uint32_t(&to)[4], int, int k) { memcpy(to, q[k], sizeof to); });
        if (first + KEYS > seen_by(a, p.s, row)) { // else every row of this warp sees all of the tile
            hide(score, a, p.s, row, first);
        }
        online_step(online, score, a.scale * (float)M_LOG2E, factor);
        rescale(value, factor);
        __pipeline_wait_prior(0);
        __syncthreads(); // V has arrived, and no thread reads K any more
        if (tile + 1 < tiles) {
            copy_rows<KEYS, THREADS>(tile_K, K + (first + KEYS) * stride, stride, p.s.keys - first - KEYS);
            __pipeline_commit();
        }
        multiply_PV(value, score, tile_V);
    }
    online_end(online, value, a, p.s, row, lse_of(a, p));
    for (int i = 0; i < 2; i++) {
        int r = row + i * 8 + g;
        for (int j = 0; j < D / 8 && r < p.s.queries; j++) {
            bf16 *to = a.O + ((size_t)(p.s.first_q + r) * a.heads + p.head) * D + j * 8 + 2 * t;
            *(uint32_t *)to = pack(value[0][j][2 * i], value[0][j][2 * i + 1]);
        }
    }
}

// ---------------------------------------------------------------- version 3: larger pieces

/* A warp's 16 R rows of O leave through shared memory as whole rows, as in lesson 18. `mine`: 16 R rows that are nobody else's. */
template <int R>
static __device__ void store_rows(const float (&value)[R][D / 8][4], bf16 *mine, const struct attention &a,
                                  const struct place &p, int row) {
    int lane = threadIdx.x % WARP, g = lane / 4, t = lane % 4;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 2 * R; i++) {
#pragma unroll
        for (int j = 0; j < D / 8; j++) {
            *(uint32_t *)(mine + swizzled(i * 8 + g, j * 8) + 2 * t) =
                pack(value[i / 2][j][i % 2 * 2], value[i / 2][j][i % 2 * 2 + 1]);
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 16 * R; i += 2) { // 16 lanes write a row
        int r = i + lane / 16, col = lane % 16 * 8;
        if (row + r < p.s.queries) {
            *(uint4 *)(a.O + ((size_t)(p.s.first_q + row + r) * a.heads + p.head) * D + col) =
                *(const uint4 *)(mine + swizzled(r, col));
        }
    }
}

/* Version 3: 32 rows for each warp. A fragment of K or V is then used for two groups of 16 rows, so half as much comes from
 * shared memory for each mma. Twice the sums: Q has no room in registers any more, and stays in shared memory. Of K
 * and V there are two stages each: a tile is asked for a whole step before it is needed. */
struct Tile3 {
    static constexpr int ROWS = 128, R = ROWS / 16 / (THREADS / WARP), STAGES = 2, S = KEYS / 8;
    static constexpr int SHARED = (ROWS + 2 * STAGES * KEYS) * D * (int)sizeof(bf16);
};

static __global__ __launch_bounds__(THREADS, 2) void attention_kernel3(struct attention a) {
    typedef Tile3 T;
    extern __shared__ __align__(1024) bf16 shared[];
    bf16 *tile_Q = shared, *tile_K = tile_Q + T::ROWS * D, *tile_V = tile_K + T::STAGES * KEYS * D;
    struct place p = place_of(a, T::ROWS, blockIdx.x);
    int keys = keys_for(a, p, T::ROWS), tiles = (keys + KEYS - 1) / KEYS, lane = threadIdx.x % WARP;
    int inside = threadIdx.x / WARP * 16 * T::R,
        row = p.row + inside; // the warp's first row in the tile; in the sequence
    size_t stride = (size_t)a.heads_kv * D;
    auto ask_for = [&](bf16 *ring, const bf16 *from,
                       int tile) { // one group of copies, an empty one behind the last tile
        int first = tile * KEYS;
        if (tile < tiles) {
            copy_rows<KEYS, THREADS>(ring + tile % T::STAGES * KEYS * D,
                                     row_of(from, p.s.first_k + first, a.heads_kv, p.head_kv), stride,
                                     p.s.keys - first);
        }
        __pipeline_commit();
    };
    auto load_q = [&](uint32_t(&q)[4], int i, int k) {
        ldmatrix(q, tile_Q + swizzled(inside + i * 16 + lane % 16, k * 16 + lane / 16 * 8));
    };
    struct online<T::R> online;
    float value[T::R][D / 8][4] = {};
    online_begin(online);
    if (tiles > 0) {
        copy_rows<T::ROWS, THREADS>(tile_Q, row_of(a.Q, p.s.first_q + p.row, a.heads, p.head), (size_t)a.heads * D,
                                    p.s.queries - p.row);
    }
    ask_for(tile_K, a.K, 0);
    ask_for(tile_V, a.V, 0);
    for (int tile = 0; tile < tiles; tile++) {
        float score[T::R][T::S][4] = {}, factor[2 * T::R];
        __pipeline_wait_prior(1);
        __syncthreads(); // K has arrived, V may be in flight
        ask_for(tile_K, a.K, tile + 1);
        multiply_QK(score, tile_K + tile % T::STAGES * KEYS * D, load_q);
        if (tile * KEYS + KEYS > seen_by(a, p.s, row)) {
            hide(score, a, p.s, row, tile * KEYS);
        }
        online_step(online, score, a.scale * (float)M_LOG2E, factor);
        rescale(value, factor);
        __pipeline_wait_prior(1);
        __syncthreads(); // V has arrived, the next K may be in flight
        ask_for(tile_V, a.V, tile + 1);
        multiply_PV(value, score, tile_V + tile % T::STAGES * KEYS * D);
    }
    online_end(online, value, a, p.s, row, lse_of(a, p));
    __pipeline_wait_prior(0);
    store_rows(value, tile_Q + inside * D, a, p, row); // nobody else has read these rows of Q
}

// ---------------------------------------------------------------- versions 4 to 6: Hopper

/* Tensor maps of Q, K and V: TMA copies boxes of them into shared memory, swizzled. */
struct maps {
    CUtensorMap Q, K, V;
};

enum { GROUP = 128, CONSUMERS = 2, GROUP_ROWS = 64 }; // threads of a warp group; who computes, and how many rows each

/* A block has 128 queries and 128 keys in a tile. A row of 128 numbers is 256 bytes, and the hardware's swizzle goes over 128: so each
 * tile is two halves, columns 0 to 63 and 64 to 127, with rows of 128 bytes. */
struct Tile4 {
    static constexpr int ROWS = CONSUMERS * GROUP_ROWS, KEYS = 128, STAGES = 3, S = KEYS / 8, HALF = D / 2;
    static constexpr int THREADS = (CONSUMERS + 1) * GROUP;
    bf16 Q[CONSUMERS][2][GROUP_ROWS * HALF];
    bf16 K[STAGES][2][KEYS * HALF], V[STAGES][2][KEYS * HALF];
    uint64_t full_Q[CONSUMERS], empty_Q[CONSUMERS], full_K[STAGES], full_V[STAGES], empty_K[STAGES], empty_V[STAGES];
};

/* The compiler reads this file once for each architecture. What follows is for sm_90a only: elsewhere the kernels never come to it, and so
 * it is left out. */
static __device__ constexpr bool is_hopper(void) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
    return true;
#else
    return false;
#endif
}

/* Both halves of a box: 64 numbers wide, one head, as many rows as the map says; rows behind the last one are zeros. */
template <int N>
static __device__ void fetch(bf16 (&to)[2][N], const CUtensorMap *map, int head, int row, uint64_t *barrier) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        asm volatile(
            "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
            "[%5];" ::"r"(shared_address(to[half])),
            "l"(map), "r"(half * Tile4::HALF), "r"(head), "r"(row), "r"(shared_address(barrier))
            : "memory");
    }
}

/* A tile for wgmma (common/hopper.h). `lead` is the distance of the halves, where a product goes across both. */
static __device__ uint64_t descriptor(const bf16 *tile, int lead) {
    return tile_descriptor(tile, 1024, lead); // eight rows of 128 bytes are 1024
}

/* An empty instruction that seems to change registers: the compiler moves nothing that uses them across it. It does not know
 * that a product is still writing them. */
static __device__ void hold(float (&x)[16][4]) {
#pragma unroll
    for (int i = 0; i < 64; i++) {
        asm volatile("" : "+f"(x[i / 4][i % 4])::"memory");
    }
}

#define FOUR(x)     "+f"((x)[0]), "+f"((x)[1]), "+f"((x)[2]), "+f"((x)[3])
#define SIXTEEN(x)  FOUR((x)[0]), FOUR((x)[1]), FOUR((x)[2]), FOUR((x)[3])
#define ALL_SUMS(x) SIXTEEN((x)), SIXTEEN((x) + 4), SIXTEEN((x) + 8), SIXTEEN((x) + 12)
#define SUMS                                                                                                           \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "  \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "   \
    "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "

/* c = a * b, or c += a * b where `add`: 64 x 16 times 16 x 128, by the four warps of a group; both lie in shared memory. Each warp has
 * 16 rows of c, in registers as mma has them. */
static __device__ void wgmma_shared(float (&c)[16][4], uint64_t a, uint64_t b, int add) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 " SUMS
                 "%64, %65, p, 1, 1, 0, 0; }"
                 : ALL_SUMS(c)
                 : "l"(a), "l"(b), "r"(add)
                 : "memory");
}

/* c += a * b with a in registers, as mma has it; b is transposed: its rows are what is summed over. */
static __device__ void wgmma_registers(float (&c)[16][4], const uint32_t (&a)[4], uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 " SUMS "{%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : ALL_SUMS(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
                 : "memory");
}

/* Starts a group's 64 x 128 scores. */
static __device__ void start_QK(float (&score)[16][4], const bf16 (&Q)[2][GROUP_ROWS * Tile4::HALF],
                                const bf16 (&K)[2][Tile4::KEYS * Tile4::HALF]) {
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
        wgmma_shared(score, descriptor(Q[k / 4] + k % 4 * 16, 16), descriptor(K[k / 4] + k % 4 * 16, 16), k > 0);
    }
    wgmma_commit();
}

/* Starts O += P * V. The 128 columns of V lie in its two halves. */
static __device__ void start_PV(float (&value)[16][4], const uint32_t (&p)[Tile4::KEYS / 16][4],
                                const bf16 (&V)[2][Tile4::KEYS * Tile4::HALF]) {
#pragma unroll
    for (int k = 0; k < Tile4::KEYS / 16; k++) {
        wgmma_registers(value, p[k], descriptor(V[0] + k * 16 * Tile4::HALF, sizeof V[0]));
    }
    wgmma_commit();
}

/* The producer asks for things in the order in which they are needed, as soon as their place is empty. For queries that is
 * when a group of consumers has multiplied the ones before for the last time; `turn` counts how often. */
static __device__ void ask_for_queries(Tile4 &t, const struct maps &maps, const struct place &p, int turn) {
    for (int group = 0; group < CONSUMERS; group++) {
        mbarrier_wait(&t.empty_Q[group], !(turn % 2));
        mbarrier_expect(&t.full_Q[group], sizeof t.Q[group]);
        fetch(t.Q[group], &maps.Q, p.head, p.s.first_q + p.row + group * GROUP_ROWS, &t.full_Q[group]);
    }
}

/* Tiles `begin` to `end` - 1 of the keys and values of a place that has `tiles`; the last keys come first. Its first one is the
 * block's tile `first`. */
static __device__ void ask_for_keys(Tile4 &t, const struct maps &maps, const struct place &p, int tiles, int begin,
                                    int end, int first) {
#pragma unroll 1 // it waits anyway, and has few registers
    for (int i = begin; i < end; i++) {
        int stage = (first + i) % Tile4::STAGES, parity = (first + i) / Tile4::STAGES % 2;
        int row = p.s.first_k + (tiles - 1 - i) * Tile4::KEYS;
        mbarrier_wait(&t.empty_K[stage], !parity);
        mbarrier_expect(&t.full_K[stage], sizeof t.K[0]);
        fetch(t.K[stage], &maps.K, p.head_kv, row, &t.full_K[stage]);
        mbarrier_wait(&t.empty_V[stage], !parity);
        mbarrier_expect(&t.full_V[stage], sizeof t.V[0]);
        fetch(t.V[stage], &maps.V, p.head_kv, row, &t.full_V[stage]);
    }
}

/* Each of the eight warps that compute says for itself that it is done with a tile. */
static __device__ void release(uint64_t *empty) {
    if (threadIdx.x % WARP == 0) {
        mbarrier_arrive(empty);
    }
}

enum { TURN = 1, BOTH = 3, ALONE = 4 }; // named barriers: 1 and 2, 3, 4 and 5

/* Behind the last key of a sequence the next one begins, and the box has its rows, too. Their probabilities are 0, but 0 times
 * NaN is NaN. So the first tile, which has the last keys, gets zeros there. What threads write with ordinary stores wgmma sees only
 * behind a fence: it reads by another way, the asynchronous proxy. */
static __device__ void clear_behind(bf16 (&V)[2][Tile4::KEYS * Tile4::HALF], int keys) {
    if (keys < Tile4::KEYS) {
        for (int i = keys * Tile4::HALF / 8 + threadIdx.x - GROUP; i < Tile4::KEYS * Tile4::HALF / 8;
             i += CONSUMERS * GROUP) {
            ((uint4 *)V[0])[i] = ((uint4 *)V[1])[i] = make_uint4(0, 0, 0, 0);
        }
        proxy_fence();
        named_barrier(BOTH, CONSUMERS * GROUP);
    }
}

/* The mask, the power of two and the sum of one tile. `row`: the warp's first; `key`: the tile's first. */
static __device__ void soften(struct online<1> &online, float (&score)[1][16][4], float (&factor)[2],
                              const struct attention &a, const struct place &p, int row, int key) {
    if (key + Tile4::KEYS > seen_by(a, p.s, row)) {
        hide(score, a, p.s, row, key);
    }
    online_step(online, score, a.scale * (float)M_LOG2E, factor);
}

static __device__ void operands_of(uint32_t (&prob)[Tile4::KEYS / 16][4], const float (&score)[16][4]) {
#pragma unroll
    for (int k = 0; k < Tile4::KEYS / 16; k++) {
        operand_of(prob[k], score, k);
    }
}

/* Version 4: a consumer does one thing after the other. The copies run ahead, and the other group may multiply meanwhile. */
static __device__ void consume_in_turn(Tile4 &t, float (&value)[1][16][4], struct online<1> &online,
                                       const struct attention &a, const struct place &p, int group, int row,
                                       int tiles) {
    for (int i = 0; i < tiles; i++) {
        int stage = i % Tile4::STAGES, parity = i / Tile4::STAGES % 2, key = (tiles - 1 - i) * Tile4::KEYS;
        float score[1][16][4], factor[2];
        uint32_t prob[Tile4::KEYS / 16][4];
        mbarrier_wait(&t.full_K[stage], parity);
        wgmma_fence();
        start_QK(score[0], t.Q[group], t.K[stage]);
        wgmma_wait<0>();
        hold(score[0]);
        release(&t.empty_K[stage]);
        soften(online, score, factor, a, p, row, key);
        rescale(value, factor);
        operands_of(prob, score[0]);
        mbarrier_wait(&t.full_V[stage], parity);
        if (i == 0) {
            clear_behind(t.V[stage], p.s.keys - key);
        }
        hold(value[0]);
        wgmma_fence();
        start_PV(value[0], prob, t.V[stage]);
        wgmma_wait<0>();
        hold(value[0]);
        release(&t.empty_V[stage]);
    }
}

/* The two consumers take turns in starting products, so that each has exponentials to do while the products of the other run. */
static __device__ void wait_for_turn(int group) {
    named_barrier(TURN + group, CONSUMERS * GROUP);
}

static __device__ void give_turn_to(int group) {
    named_arrive(TURN + group, CONSUMERS * GROUP);
}

/* Tile n of the block: its scores are started first, then O += P * V of the tile before. What follows until end_sums is done
 * while this is added up. */
static __device__ void start_tile(Tile4 &t, float (&score)[1][16][4], float (&value)[1][16][4],
                                  const uint32_t (&prob)[Tile4::KEYS / 16][4], int group, int n) {
    int stage = n % Tile4::STAGES;
    mbarrier_wait(&t.full_K[stage], n / Tile4::STAGES % 2);
    wait_for_turn(group);
    hold(value[0]);
    wgmma_fence();
    start_QK(score[0], t.Q[group], t.K[stage]);
    start_PV(value[0], prob, t.V[(n - 1) % Tile4::STAGES]);
    give_turn_to(1 - group);
    wgmma_wait<1>(); // the scores are complete
    hold(score[0]);
    release(&t.empty_K[stage]);
}

/* Tile n - 1 is in O, and tile n of V is there for the next round. */
static __device__ void end_sums(Tile4 &t, float (&score)[1][16][4], float (&value)[1][16][4], int n) {
    hold(score[0]);
    mbarrier_wait(&t.full_V[n % Tile4::STAGES], n / Tile4::STAGES % 2);
    wgmma_wait<0>();
    hold(value[0]);
    release(&t.empty_V[(n - 1) % Tile4::STAGES]);
}

/* The first tile of a block has none before it. `key`: its first key. */
static __device__ void begin_tiles(Tile4 &t, float (&score)[1][16][4], uint32_t (&prob)[Tile4::KEYS / 16][4],
                                   struct online<1> &online, const struct attention &a, const struct place &p,
                                   int group, int row, int key) {
    float factor[2]; // O is still 0: no need to rescale it
    if (group == 1) {
        give_turn_to(0); // it begins
    }
    mbarrier_wait(&t.full_K[0], 0);
    wait_for_turn(group);
    wgmma_fence();
    start_QK(score[0], t.Q[group], t.K[0]);
    give_turn_to(1 - group);
    wgmma_wait<0>();
    hold(score[0]);
    release(&t.empty_K[0]);
    soften(online, score, factor, a, p, row, key);
    operands_of(prob, score[0]);
    mbarrier_wait(&t.full_V[0], 0);
    clear_behind(t.V[0], p.s.keys - key);
}

/* The last one, n, has none behind it. */
static __device__ void end_tiles(Tile4 &t, float (&value)[1][16][4], const uint32_t (&prob)[Tile4::KEYS / 16][4],
                                 int group, int n) {
    hold(value[0]);
    wgmma_fence();
    start_PV(value[0], prob, t.V[n % Tile4::STAGES]);
    if (group == 0) {
        wait_for_turn(0); // group 1 gave it once more than it was used
    }
    wgmma_wait<0>();
    hold(value[0]);
}

/* Version 5: while O += P * V of one tile is added up, the group takes the exponentials of the next one. */
static __device__ void consume_overlapped(Tile4 &t, float (&value)[1][16][4], struct online<1> &online,
                                          const struct attention &a, const struct place &p, int group, int row,
                                          int tiles) {
    if (tiles == 0) {
        return;
    }
    float score[1][16][4], factor[2];
    uint32_t prob[Tile4::KEYS / 16][4];
    int key = (tiles - 1) * Tile4::KEYS;
    begin_tiles(t, score, prob, online, a, p, group, row, key);
    for (int i = 1; i < tiles; i++) {
        start_tile(t, score, value, prob, group, i);
        soften(online, score, factor, a, p, row, key - i * Tile4::KEYS);
        end_sums(t, score, value, i);
        rescale(value, factor);
        operands_of(prob, score[0]);
    }
    end_tiles(t, value, prob, group, tiles - 1);
}

static __device__ void init_barriers(Tile4 &t) {
    if (threadIdx.x == 0) {
        for (int group = 0; group < CONSUMERS; group++) {
            mbarrier_init(&t.full_Q[group], 1);
            mbarrier_init(&t.empty_Q[group], GROUP / WARP);
        }
        for (int stage = 0; stage < Tile4::STAGES; stage++) {
            mbarrier_init(&t.full_K[stage], 1);
            mbarrier_init(&t.full_V[stage], 1);
            mbarrier_init(&t.empty_K[stage], CONSUMERS * GROUP / WARP);
            mbarrier_init(&t.empty_V[stage], CONSUMERS * GROUP / WARP);
        }
        mbarrier_init_done();
    }
    __syncthreads();
}

/* Threads 0 to 127 are the producer, 128 to 255 and 256 to 383 the consumers. The producer gives its registers to them: a thread
 * has 168 at first, 65536 / 384; then 24 or 240. */
template <bool OVERLAPPED> static __device__ void attention_hopper(const struct attention &a, const struct maps &maps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Tile4 &t = *(Tile4 *)memory;
    struct place p = place_of(a, Tile4::ROWS, blockIdx.x);
    int keys = keys_for(a, p, Tile4::ROWS), tiles = (keys + Tile4::KEYS - 1) / Tile4::KEYS;
    init_barriers(t);
    if (threadIdx.x < GROUP) {
        registers_give<24>();
        if (threadIdx.x == 0 && tiles > 0) {
            ask_for_queries(t, maps, p, 0);
            ask_for_keys(t, maps, p, tiles, 0, tiles, 0);
        }
        return;
    }
    registers_take<240>();
    int group = threadIdx.x / GROUP - 1, row = p.row + group * GROUP_ROWS + threadIdx.x % GROUP / WARP * 16;
    struct online<1> online;
    float value[1][D / 8][4] = {};
    online_begin(online);
    if (tiles > 0) {
        mbarrier_wait(&t.full_Q[group], 0);
    }
    (OVERLAPPED ? consume_overlapped : consume_in_turn)(t, value, online, a, p, group, row, tiles);
    online_end(online, value, a, p.s, row, lse_of(a, p));
    named_barrier(ALONE + group, GROUP); // nobody in this group reads Q any more
    store_rows(value, (bf16 *)t.Q[group] + threadIdx.x % GROUP / WARP * 16 * D, a, p, row);
}

static __global__ __launch_bounds__(Tile4::THREADS,
                                    1) void attention_kernel4(struct attention a,
                                                              const __grid_constant__ struct maps maps) {
    if constexpr (is_hopper()) {
        attention_hopper<false>(a, maps);
    } else {
        __trap();
    }
}

static __global__ __launch_bounds__(Tile4::THREADS,
                                    1) void attention_kernel5(struct attention a,
                                                              const __grid_constant__ struct maps maps) {
    if constexpr (is_hopper()) {
        attention_hopper<true>(a, maps);
    } else {
        __trap();
    }
}

// ---------------------------------------------------------------- version 6: blocks that go on

/* One of the places that a block of version 6 has, one after the other. */
struct work {
    int round, tiles; // tiles of keys; 0: there is none any more
    struct place p;
};

/* The number of the block's place in this round. As many blocks as places: its own. Else without a mask all have as much to do, and a
 * block takes every `blocks`-th one. With a mask the first and the last place of a head have together as much to do as the
 * second and the last but one: so it takes pairs. Of an odd number the middle one is alone, and its second round is -1. */
static __device__ int number_of(const struct attention &a, int round) {
    int blocks = gridDim.x, of_head = places_of_head(a, Tile4::ROWS);
    if (!a.causal || blocks == of_head * a.batch * a.heads) {
        return round * blocks + blockIdx.x;
    }
    int pairs = (of_head + 1) / 2, pair = round / 2 * blocks + blockIdx.x, first = pair % pairs;
    int other = of_head - 1 - first, in_head = round % 2 ? other : first;
    return round % 2 && other == first ? -1 : pair / pairs * of_head + in_head;
}

/* The block's next place behind `round` that has queries. Where no query sees a key there is one tile, all of it behind the
 * mask: so zeros come out as they should, and nobody has to think of it. */
static __device__ struct work next_work(const struct attention &a, int round) {
    int places = places_of_head(a, Tile4::ROWS) * a.batch * a.heads;
    for (int number = 0; number < places;) {
        number = number_of(a, ++round);
        if (number >= 0 && number < places) {
            struct place p = place_of(a, Tile4::ROWS, number);
            if (p.row < p.s.queries) {
                return {round, max(1, (keys_for(a, p, Tile4::ROWS) + Tile4::KEYS - 1) / Tile4::KEYS), p};
            }
        }
    }
    return {round, 0};
}

/* One thread asks for everything. The first keys and values of a place come before its queries: they can be on their way while
 * the place for queries is still taken. */
static __device__ void produce(Tile4 &t, const struct attention &a, const struct maps &maps) {
    int first = 0, turn = 0;
    for (struct work w = next_work(a, -1); w.tiles > 0; w = next_work(a, w.round)) {
        ask_for_keys(t, maps, w.p, w.tiles, 0, 1, first);
        ask_for_queries(t, maps, w.p, turn++);
        ask_for_keys(t, maps, w.p, w.tiles, 1, w.tiles, first);
        first += w.tiles;
    }
}

/* Of four 8 x 8 matrices a lane has one register each: two columns of its row. Then it has all eight columns of its row in one of
 * them, that of its number in the row. */
static __device__ uint4 exchange_in_row(const uint32_t (&own)[4]) {
    bool odd = threadIdx.x % 2, high = threadIdx.x % 4 / 2;
    uint32_t x[4], y[4];
#pragma unroll
    for (int j = 0; j < 4; j += 2) { // with the neighbour: halves of pairs of matrices
        uint32_t other = __shfl_xor_sync(~0u, odd ? own[j] : own[j + 1], 1);
        x[j] = odd ? other : own[j];
        x[j + 1] = odd ? own[j + 1] : other;
    }
#pragma unroll
    for (int j = 0; j < 2; j++) { // with the lane of the other pair
        uint32_t other = __shfl_xor_sync(~0u, high ? x[j] : x[j + 2], 2);
        y[j] = high ? other : x[j];
        y[j + 2] = high ? x[j + 2] : other;
    }
    return make_uint4(y[0], y[1], y[2], y[3]);
}

/* A warp's 16 rows of O leave from registers: in shared memory is no room any more. Four lanes write 64 bytes of a row at once. */
static __device__ void store_registers(const float (&value)[16][4], const struct attention &a, const struct place &p,
                                       int row) {
    int g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int r = row + i * 8 + g;
        bf16 *to = a.O + ((size_t)(p.s.first_q + r) * a.heads + p.head) * D + t * 8;
#pragma unroll
        for (int j = 0; j < D / 8; j += 4) {
            uint32_t own[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                own[k] = pack(value[j + k][2 * i], value[j + k][2 * i + 1]);
            }
            uint4 all = exchange_in_row(own);
            if (r < p.s.queries) {
                *(uint4 *)(to + j * 8) = all;
            }
        }
    }
}

/* Version 6: behind the last tile of a place comes the first one of the next place, as if it were one more tile: the old queries'
 * last O += P * V is added up while the new queries' first scores become probabilities. Then O is written, and begins again. */
static __device__ void consume_all(Tile4 &t, const struct attention &a, int group) {
    int inside = group * GROUP_ROWS + threadIdx.x % GROUP / WARP * 16, n = 0; // n: the tile
    struct work now = next_work(a, -1);
    if (now.tiles == 0) {
        return;
    }
    float score[1][16][4], value[1][16][4] = {}, factor[2];
    uint32_t prob[Tile4::KEYS / 16][4];
    struct online<1> state, fresh;
    online_begin(state);
    mbarrier_wait(&t.full_Q[group], 0);
    begin_tiles(t, score, prob, state, a, now.p, group, now.p.row + inside, (now.tiles - 1) * Tile4::KEYS);
    for (int turn = 1;; turn++) {
        struct work next = next_work(a, now.round);
        for (int key = (now.tiles - 2) * Tile4::KEYS; key >= 0; key -= Tile4::KEYS) {
            start_tile(t, score, value, prob, group, ++n);
            if (key == 0) {
                release(&t.empty_Q[group]);
            }
            soften(state, score, factor, a, now.p, now.p.row + inside, key);
            end_sums(t, score, value, n);
            rescale(value, factor);
            operands_of(prob, score[0]);
        }
        if (now.tiles == 1) {
            release(&t.empty_Q[group]);
        }
        if (next.tiles == 0) {
            break;
        }
        int key = (next.tiles - 1) * Tile4::KEYS;
        mbarrier_wait(&t.full_Q[group], turn % 2);
        start_tile(t, score, value, prob, group, ++n);
        online_begin(fresh);
        soften(fresh, score, factor, a, next.p, next.p.row + inside, key);
        end_sums(t, score, value, n);
        clear_behind(t.V[n % Tile4::STAGES], next.p.s.keys - key);
        online_end(state, value, a, now.p.s, now.p.row + inside, lse_of(a, now.p));
        store_registers(value[0], a, now.p, now.p.row + inside);
#pragma unroll
        for (int i = 0; i < 64; i++) {
            value[0][i / 4][i % 4] = 0;
        }
        operands_of(prob, score[0]);
        state = fresh;
        now = next;
    }
    end_tiles(t, value, prob, group, n);
    online_end(state, value, a, now.p.s, now.p.row + inside, lse_of(a, now.p));
    store_registers(value[0], a, now.p, now.p.row + inside);
}

static __global__ __launch_bounds__(Tile4::THREADS,
                                    1) void attention_kernel6(struct attention a,
                                                              const __grid_constant__ struct maps maps) {
    if constexpr (is_hopper()) {
        extern __shared__ __align__(1024) unsigned char memory[];
        Tile4 &t = *(Tile4 *)memory;
        init_barriers(t);
        if (threadIdx.x < GROUP) {
            registers_give<24>();
            if (threadIdx.x == 0) {
                produce(t, a, maps);
            }
        } else {
            registers_take<240>();
            consume_all(t, a, threadIdx.x / GROUP - 1);
        }
    } else {
        __trap();
    }
}

// ---------------------------------------------------------------- the launchers

/* All are queued in `stream`, without waiting. There may be no sequence, no query and no key. */

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

static int blocks_for(const struct attention &a, int rows) {
    return places_of_head(a, rows) * a.batch * a.heads;
}

static int multiprocessors(void) {
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

static void attention1(const struct attention &a, cudaStream_t stream) {
    int heads = a.batch * a.heads;
    if (heads == 0 || a.queries == 0) {
        return;
    }
    if (a.keys > 0) {
        scores_kernel<<<dim3(ceil_div(a.keys, EDGE), ceil_div(a.queries, EDGE), heads), dim3(EDGE, EDGE), 0, stream>>>(
            a);
        CUDA_CHECK_LAUNCH();
    }
    softmax_kernel<<<dim3(ceil_div(a.queries, 8), heads), dim3(WARP, 8), 0, stream>>>(a);
    CUDA_CHECK_LAUNCH();
    values_kernel<<<dim3(ceil_div(a.queries, ROWS_TOGETHER), heads), D, 0, stream>>>(a);
    CUDA_CHECK_LAUNCH();
}

static void attention2(const struct attention &a, cudaStream_t stream) {
    if (blocks_for(a, 64) > 0) {
        attention_kernel2<<<blocks_for(a, 64), THREADS, 0, stream>>>(a);
        CUDA_CHECK_LAUNCH();
    }
}

static void attention3(const struct attention &a, cudaStream_t stream) {
    if (blocks_for(a, Tile3::ROWS) > 0) {
        CUDA_CHECK(cudaFuncSetAttribute(attention_kernel3, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile3::SHARED));
        attention_kernel3<<<blocks_for(a, Tile3::ROWS), THREADS, Tile3::SHARED, stream>>>(a);
        CUDA_CHECK_LAUNCH();
    }
}

/* A map of [rows][heads][D], and of boxes of `box` rows of one head, 64 numbers wide. */
static CUtensorMap map_of(const bf16 *x, int rows, int heads, int box_rows) {
    typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static encoder encode = (encoder)hopper_driver_function("cuTensorMapEncodeTiled");
    CUtensorMap map;
    cuuint64_t sizes[] = {D, (cuuint64_t)heads, (cuuint64_t)rows};
    cuuint64_t strides[] = {D * sizeof(bf16), heads * D * sizeof(bf16)}; // of a head, of a row
    cuuint32_t box[] = {Tile4::HALF, 1, (cuuint32_t)box_rows}, steps[] = {1, 1, 1};
    CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, (void *)x, sizes, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CUDA_CHECK(result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue);
    return map;
}

static struct maps maps_of(const struct attention &a) {
    return {map_of(a.Q, a.rows_q, a.heads, GROUP_ROWS), map_of(a.K, a.rows_k, a.heads_kv, Tile4::KEYS),
            map_of(a.V, a.rows_k, a.heads_kv, Tile4::KEYS)};
}

/* The barriers and tiles of a block: three stages, 224 KB, fill what a block may have on Hopper. */
enum { SHARED4 = sizeof(Tile4) };
static_assert(SHARED4 <= 227 << 10, "a block of compute capability 9.0 has at most 227 KB");

/* A tensor map cannot describe a tensor without rows. There version 3 does what is left: it writes zeros. */
static bool left_to_3(const struct attention &a, cudaStream_t stream) {
    if (a.rows_q == 0 || a.rows_k == 0) {
        attention3(a, stream);
        return true;
    }
    return false;
}

static void attention4(const struct attention &a, cudaStream_t stream) {
    if (!left_to_3(a, stream)) {
        CUDA_CHECK(cudaFuncSetAttribute(attention_kernel4, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED4));
        attention_kernel4<<<blocks_for(a, Tile4::ROWS), Tile4::THREADS, SHARED4, stream>>>(a, maps_of(a));
        CUDA_CHECK_LAUNCH();
    }
}

static void attention5(const struct attention &a, cudaStream_t stream) {
    if (!left_to_3(a, stream)) {
        CUDA_CHECK(cudaFuncSetAttribute(attention_kernel5, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED4));
        attention_kernel5<<<blocks_for(a, Tile4::ROWS), Tile4::THREADS, SHARED4, stream>>>(a, maps_of(a));
        CUDA_CHECK_LAUNCH();
    }
}

/* As many blocks as multiprocessors, if they come out even, where all sequences are as long; otherwise a block for each place, and
 * the hardware gives the next one to whoever is ready. With a mask pairs of places are handed out: if in the last round of
 * pairs more than a tenth of all blocks' time were idle, single ones are better. */
static int blocks_at_once(const struct attention &a) {
    int most = multiprocessors(), places = blocks_for(a, Tile4::ROWS);
    if (a.starts_q || places <= most) {
        return places;
    }
    int pairs = (places_of_head(a, Tile4::ROWS) + 1) / 2 * a.batch * a.heads, rounds = ceil_div(pairs, most);
    return a.causal && pairs < 0.9 * rounds * most ? places : most;
}

static void attention6(const struct attention &a, cudaStream_t stream) {
    if (!left_to_3(a, stream)) {
        CUDA_CHECK(cudaFuncSetAttribute(attention_kernel6, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED4));
        attention_kernel6<<<blocks_at_once(a), Tile4::THREADS, SHARED4, stream>>>(a, maps_of(a));
        CUDA_CHECK_LAUNCH();
    }
}

static const struct version versions[] = {
    {"attention1", attention1, false, true}, {"attention_kernel2", attention2},
    {"attention_kernel3", attention3},       {"attention_kernel4", attention4, true},
    {"attention_kernel5", attention5, true}, {"attention_kernel6", attention6, true},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

/* The other two sections are numbered behind the versions. */
enum { BACKWARD = VERSIONS + 1, DECODE };

#include "backward.h"
#include "decode.h"

// ---------------------------------------------------------------- verify and measure

/* Versions 4 to 6 have instructions that compute capability 9.0 alone knows. */
static int versions_here(void) {
    int device = 0, major = 0, minor = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    return major == 9 && minor == 0 ? VERSIONS : 3;
}

static void verify_versions(int first, int last, struct shape shape, uint64_t seed) {
    struct problem problem = problem_create(shape, seed, attention_cpu);
    for (int v = first; v <= last; v++) {
        problem_verify_version(&problem, &versions[v]);
    }
    problem_free(&problem);
}

/* batch, heads, heads of K and V, queries, keys, causal, ragged. Lengths that fit no tile, fewer keys than queries and more, no keys, no
 * queries, sequences of different lengths; more places than multiprocessors, with a mask in pairs that come out even on 132. */
static void verify_shapes(int first, int last, uint64_t seed) {
    static const struct shape shapes[] = {
        {1, 1, 1, 1, 1, true},       {1, 2, 1, 31, 31, true},         {2, 2, 2, 33, 33, false},
        {1, 2, 1, 200, 200, true},   {1, 1, 1, 130, 300, true},       {1, 1, 1, 300, 65, true},
        {1, 2, 2, 129, 257, false},  {1, 1, 1, 5, 0, false},          {1, 1, 1, 0, 5, true},
        {0, 2, 1, 8, 8, false},      {4, 4, 2, 100, 150, true, true}, {5, 2, 1, 131, 140, false, true},
        {1, 1, 1, 1000, 1000, true}, {1, 280, 70, 9, 140, false},     {1, 66, 33, 257, 140, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        verify_versions(first, last, shapes[i], seed);
    }
}

static void measure_versions(int first, int last, struct shape shape, uint64_t seed) {
    struct problem problem = problem_create(shape, seed, attention_cpu);
    problem_measure(&problem, &versions[first], last - first + 1);
    problem_free(&problem);
}

/* Versions `first` to `last` of the forward pass. */
static void forward_section(int first, int last, uint64_t seed, long long size) {
    bool emulator = device_is_emulator();
    int n = size >= 0 ? (int)size : emulator ? 256 : 4096; // queries and keys of the table
    if (size >=
        0) { // what a profiler shows, the first launch or the largest one, is the problem that the table is about
        verify_versions(first, last, {1, 2, 1, n, n, false}, seed);
        verify_versions(first, last, {1, 2, 1, n, n, true}, seed);
    } else {
        verify_shapes(first, last, seed);
    }
    for (int causal = 0; causal < 2 && n > 0 && verify_tally()->failures == 0; causal++) {
        int batch = emulator || n > 16384 ? 1 : 16384 / n < 8 ? 16384 / n : 8, heads = emulator ? 2 : 16;
        measure_versions(first, last, {batch, heads, heads, n, n, causal == 1}, seed);
    }
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, DECODE);
    int here = versions_here(), v = options.version;
    device_print_backend();
    if (options.size > 32768) {
        options_usage_error(argv[0], "SIZE is the number of queries and of keys in this lesson, at most 32768", NULL);
    }
    if (v > here && v <= VERSIONS) {
        printf("Version %d needs compute capability 9.0 (Hopper).\n", v);
        return CHECK_EXIT_USAGE;
    }
    if (v == 0 && here < VERSIONS) {
        printf("Versions 4 to 6 need compute capability 9.0 (Hopper): they are left out.\n");
    }
    if (v <= VERSIONS) {
        forward_section(v ? v - 1 : 0, v ? v - 1 : here - 1, options.seed, options.size);
    }
    if (v == 0 || v == BACKWARD) {
        backward_section(options.seed, options.size, attention3);
    }
    if (v == 0 || v == DECODE) {
        decode_section(options.seed, options.size);
    }
    return verify_finish("attention");
}
