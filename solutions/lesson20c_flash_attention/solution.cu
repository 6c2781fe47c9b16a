/* Exercise 20c: the inner loop of FlashAttention-2, on mma.sync: two products on tensor cores, and an online softmax
 * between them.
 *
 * Q and O are [heads][queries][64], K and V are [heads][keys][64]; O is float, the others are bfloat16. For each head
 * and each query i, over the keys j that it sees:
 *
 *     score[j] = (q[i] . k[j]) / sqrt(64)      o[i] = sum of exp(score[j]) * v[j], divided by sum of exp(score[j])
 *
 * Query i sees all keys; or, if `causal` is 1, the keys 0, 1, ... i + keys - queries, so that the last query sees the
 * last key. A query that sees no key has o = 0.
 *
 * A block of 4 warps has 64 queries of one head, 16 for each warp, and walks along the keys in tiles of 32. For each
 * tile a warp computes S = Q * transposed K, then P = exp(S - largest), then O += P * V. S, P and O stay in its
 * registers.
 *
 * The grader (make exercise20c) calls, from the host:
 *
 *     void scores(int queries, int keys, int causal, const __nv_bfloat16 *Q, const __nv_bfloat16 *K, float *S,
 *                 cudaStream_t stream);
 *     void attention(int heads, int queries, int keys, int causal, const __nv_bfloat16 *Q, const __nv_bfloat16 *K,
 *                    const __nv_bfloat16 *V, float *O, cudaStream_t stream);
 *
 *   - scores needs TODO 1 and 2 only. It writes what a warp has before the softmax, of one head: S is [queries][keys,
 *     rounded up to a multiple of 32], and -INFINITY where a query does not see the key, or where no such key exists;
 *   - heads is from 0 to 65535, queries and keys from 0 to 2^20; no array has more than 2^31 - 1 elements; the arrays
 *     begin on multiples of 16 bytes and do not overlap;
 *   - scores may be as large as 500 and as small as -500: exp(500) overflows a float, and exp(-500) is 0;
 *   - O and S are only written; nothing outside the arrays is read or written;
 *   - the work is queued in `stream`, and the functions return without waiting for it;
 *   - on the emulator, in every call of attention: each 64 queries of a head have their own block. It loads its
 *     queries once, and of K and V once each tile of which at least one of its queries sees a key (limit: 1.1 times
 *     these sectors). Both products are made by mma.m16n8k16, 128 for each block and tile (fewer where a warp sees
 *     nothing of a tile). P stays in registers: what is stored in shared memory are the tiles of Q, K and V (limit:
 *     1.1 times these wavefronts), in global memory O (limit: 1.3 times its sectors), in local memory nothing. A
 *     score costs at most 32 operations in fp32, and a tile two barriers;
 *   - it is compiled for compute capability 8.0.
 *
 * When all checks pass, P goes from one product to the next in registers alone, as in FlashAttention-2.
 * First step: TODO 1, about ten minutes: the check "scores are scaled: whole tiles, 64 x 32 and 70 x 96" passes.
 */
// arch: sm_80
// fails as given: wrong_result
#include <cuda_bf16.h>
#include <math.h>
#include <stdint.h>

#include "common/check.h"

#pragma nv_diag_suppress 177 // as given, some functions ...
#pragma nv_diag_suppress 550 // ... and variables still wait for their TODO

typedef __nv_bfloat16 bf16;

enum { D = 64, ROWS = 64, KEYS = 32 }; // numbers in a row; queries of a block; keys of a tile
enum { WARP = 32, THREADS = ROWS / 16 * WARP };
enum { SCORES = KEYS / 8, VALUES = D / 8 }; // products of 16 x 8 next to each other, of a warp's S and of its O

// ---------------------------------------------------------------- given: tensor cores, as in lesson 18

/* c += a * b, 16 x 16 times 16 x 8. With g = lane / 4 and t = lane % 4, a lane has
 *   of c: c[0], c[1]: row g, columns 2 t and 2 t + 1; c[2], c[3]: row g + 8, the same columns;
 *   of a: a[0]: row g, columns 2 t (in the low half) and 2 t + 1; a[1]: row g + 8, the same columns;
 *         a[2]: row g, columns 2 t + 8 and 2 t + 9; a[3]: row g + 8, the same columns. */
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
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* The same with each matrix transposed. */
static __device__ void ldmatrix_transposed(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* Two floats, rounded to bfloat16, in one register: a pair of neighbours in a row of an operand. */
static __device__ uint32_t pack(float low, float high) {
    __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *(uint32_t *)&both;
}

/* The row, of the warp's 16, that element c of any of this lane's sums belongs to: c[0] and c[1], c[2] and c[3]. */
static __device__ int row_of(int c) {
    return threadIdx.x % WARP / 4 + c / 2 * 8;
}

/* The column that element c of product j belongs to. */
static __device__ int column_of(int j, int c) {
    return j * 8 + threadIdx.x % 4 * 2 + c % 2;
}

// ---------------------------------------------------------------- given: tiles

/* What one head's queries and keys are. */
struct problem {
    int queries, keys, causal;
};

/* How many keys query i sees: 0, 1, ... seen_by - 1. */
static __device__ int seen_by(const struct problem &p, int i) {
    return p.causal ? max(0, min(p.keys, i + 1 + p.keys - p.queries)) : p.keys;
}

/* Where a tile has the piece of eight that begins at (row, col): lesson 18's swizzle. */
static __device__ int place(int row, int col) {
    return row * D + ((col / 8) ^ (row % 8)) * 8;
}

/* Copies COUNT rows of x, from row `first` on, to shared memory, 16 at a time; zeros for rows that do not exist. */
template <int COUNT> static __device__ void load(bf16 *tile, const bf16 *x, int first, int rows) {
    int row = threadIdx.x / (D / 8), col = threadIdx.x % (D / 8) * 8;
#pragma unroll
    for (; row < COUNT; row += THREADS / (D / 8)) {
        bool exists = first + row < rows;
        *(uint4 *)(tile + place(row, col)) =
            exists ? *(const uint4 *)(x + (size_t)(first + row) * D + col) : make_uint4(0, 0, 0, 0);
    }
}

/* This warp's 16 rows of Q, as the operand a of four steps of 16 columns. */
static __device__ void load_q(uint32_t (&q)[D / 16][4], const bf16 *tile_Q) {
    int lane = threadIdx.x % WARP, row = threadIdx.x / WARP * 16 + lane % 16;
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
        ldmatrix(q[k], tile_Q + place(row, k * 16 + lane / 16 * 8));
    }
}

/* The first product: S = Q * transposed K, 16 queries and the tile's 32 keys. */
static __device__ void multiply_QK(float (&score)[SCORES][4], const uint32_t (&q)[D / 16][4], const bf16 *tile_K) {
    int lane = threadIdx.x % WARP, down = lane / 16 * 8 + lane % 8, right = lane / 8 % 2 * 8;
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
#pragma unroll
        for (int j = 0; j < SCORES; j += 2) {
            uint32_t b[4];
            ldmatrix(b, tile_K + place(j * 8 + down, k * 16 + right));
            mma(score[j], q[k], b[0], b[1]);
            mma(score[j + 1], q[k], b[2], b[3]);
        }
    }
}

// ---------------------------------------------------------------- yours: between the two products, and the second one

/* Keep `#pragma unroll` on your loops: registers have no addresses, so an array can only be in registers if all its
 * indices are constants. */

/* Scores are the products of q and k, divided by sqrt(64). */
static __device__ void scale(float (&score)[SCORES][4]) {
    //> TODO 1: scale all of this lane's scores: four in each of the products. Then `make exercise20c` passes its
    //> first check.
    const float factor = 0.125f;
#pragma unroll
    for (int j = 0; j < SCORES; j++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            score[j][c] *= factor;
        }
    }
    //<
}

/* Hides keys that the queries do not see. `query` and `key` are those of the first row and of the first column. */
static __device__ void hide(float (&score)[SCORES][4], const struct problem &p, int query, int key) {
    //> TODO 2: a score of a key that its query does not see becomes -INFINITY. `row_of`, `column_of` and `seen_by`
    //> are above. This also hides what is past the last key, where the tile has zeros.
#pragma unroll
    for (int c = 0; c < 4; c++) {
        int seen = seen_by(p, query + row_of(c));
#pragma unroll
        for (int j = 0; j < SCORES; j++) {
            if (key + column_of(j, c) >= seen) {
                score[j][c] = -INFINITY;
            }
        }
    }
    //<
}

/* What a lane knows of its two rows, g and g + 8: the largest score so far; and the sum of exp(score - largest) over
 * those keys whose scores this lane has had. */
struct softmax {
    float largest[2], sum[2];
};

/* Makes largest[0] the largest score of row g, and largest[1] that of row g + 8, including the value that is already
 * there. */
static __device__ void row_max(float (&largest)[2], const float (&score)[SCORES][4]) {
    //> TODO 3: first the largest of this lane's own scores of each row. The other scores of the row are in three
    //> other lanes: which ones? Two steps of __shfl_xor_sync give all four lanes the same result.
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < SCORES; j++) {
            largest[i] = fmaxf(largest[i], fmaxf(score[j][2 * i], score[j][2 * i + 1]));
        }
        largest[i] = fmaxf(largest[i], __shfl_xor_sync(~0u, largest[i], 1));
        largest[i] = fmaxf(largest[i], __shfl_xor_sync(~0u, largest[i], 2));
    }
    //<
}

/* The online softmax: scores become exp(score - largest), and all that was summed up before is rescaled. */
static __device__ void online_step(struct softmax &s, float (&score)[SCORES][4], float (&value)[VALUES][4]) {
    //> TODO 4: for each row the new largest score, and the factor by which its old sum and its old values are
    //> multiplied. Then p = exp(score - largest) in the place of each score, and this lane's sum of them. As long as
    //> a row has seen no key, its largest score is -INFINITY, and -INFINITY - -INFINITY is NaN: subtract 0 there.
    float largest[2] = {s.largest[0], s.largest[1]}, subtract[2], factor[2];
    row_max(largest, score);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        subtract[i] = largest[i] == -INFINITY ? 0.0f : largest[i];
        factor[i] = expf(s.largest[i] - subtract[i]);
        s.largest[i] = largest[i];
        s.sum[i] *= factor[i];
    }
#pragma unroll
    for (int j = 0; j < VALUES; j++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            value[j][c] *= factor[c / 2];
        }
    }
#pragma unroll
    for (int j = 0; j < SCORES; j++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            score[j][c] = expf(score[j][c] - subtract[c / 2]);
            s.sum[c / 2] += score[j][c];
        }
    }
    //<
}

/* The second product: O += P * V. P is 16 x 32, two steps of 16 keys. */
static __device__ void multiply_PV(float (&value)[VALUES][4], const float (&prob)[SCORES][4], const bf16 *tile_V) {
    int lane = threadIdx.x % WARP, down = lane % 16, right = lane / 16 * 8;
#pragma unroll
    for (int k = 0; k < KEYS / 16; k++) {
        //> TODO 5: the operand a, columns 16 k to 16 k + 15 of P. They are in two of the products 16 x 8: compare the
        //> layouts of a and of c at `mma`. Which two numbers belong in which register? Then two mma for each pair of
        //> products of O.
        //| uint32_t p[4] = {};
        uint32_t p[4] = {
            pack(prob[2 * k][0], prob[2 * k][1]),
            pack(prob[2 * k][2], prob[2 * k][3]),
            pack(prob[2 * k + 1][0], prob[2 * k + 1][1]),
            pack(prob[2 * k + 1][2], prob[2 * k + 1][3]),
        };
        //| for (int j = 0; j < VALUES; j += 2) {
        //|     uint32_t b[4]; // b[0] and b[1]: V for the columns of value[j]; b[2] and b[3]: for those of value[j + 1]
        //|     ldmatrix_transposed(b, tile_V + place(k * 16 + down, j * 8 + right));
        //|     // ... the two mma
        //| }
#pragma unroll
        for (int j = 0; j < VALUES; j += 2) {
            uint32_t b[4]; // b[0] and b[1]: V for the columns of value[j]; b[2] and b[3]: for those of value[j + 1]
            ldmatrix_transposed(b, tile_V + place(k * 16 + down, j * 8 + right));
            mma(value[j], p, b[0], b[1]);
            mma(value[j + 1], p, b[2], b[3]);
        }
        //<
    }
}

/* After the last tile: divides the values by the sums. */
static __device__ void finish(struct softmax &s, float (&value)[VALUES][4]) {
    //> TODO 6: add up the sums of the four lanes of each row, then divide. A row that has seen no key is 0.
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float sum = s.sum[i];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
#pragma unroll
        for (int j = 0; j < VALUES; j++) {
            value[j][2 * i] *= inverse;
            value[j][2 * i + 1] *= inverse;
        }
    }
    //<
}

// ---------------------------------------------------------------- given: the kernels

/* The scores alone, of all tiles. */
static __global__ __launch_bounds__(THREADS) void scores_kernel(struct problem p, const bf16 *Q, const bf16 *K,
                                                                float *S) {
    __shared__ __align__(128) bf16 tile_Q[ROWS * D], tile_K[KEYS * D];
    int first = blockIdx.x * ROWS, mine = first + threadIdx.x / WARP * 16;
    size_t columns = (size_t)(p.keys + KEYS - 1) / KEYS * KEYS;
    uint32_t q[D / 16][4];
    load<ROWS>(tile_Q, Q, first, p.queries);
    __syncthreads();
    load_q(q, tile_Q);
    for (int key = 0; key < p.keys; key += KEYS) {
        float score[SCORES][4] = {};
        __syncthreads();
        load<KEYS>(tile_K, K, key, p.keys);
        __syncthreads();
        multiply_QK(score, q, tile_K);
        scale(score);
        hide(score, p, mine, key);
        for (int c = 0; c < 4; c += 2) {
            for (int j = 0; j < SCORES && mine + row_of(c) < p.queries; j++) {
                *(float2 *)&S[(mine + row_of(c)) * columns + key + column_of(j, c)] =
                    make_float2(score[j][c], score[j][c + 1]);
            }
        }
    }
}

static __global__ __launch_bounds__(THREADS) void attention_kernel(struct problem p, const bf16 *Q, const bf16 *K,
                                                                   const bf16 *V, float *O) {
    __shared__ __align__(128) bf16 tile_Q[ROWS * D], tile_K[KEYS * D], tile_V[KEYS * D];
    int first = blockIdx.x * ROWS, mine = first + threadIdx.x / WARP * 16;
    int seen = seen_by(p, min(first + ROWS, p.queries) - 1); // by the block's last query: further tiles are skipped
    size_t head_q = (size_t)blockIdx.y * p.queries * D, head_k = (size_t)blockIdx.y * p.keys * D;
    uint32_t q[D / 16][4];
    float value[VALUES][4] = {};
    struct softmax s = {{-INFINITY, -INFINITY}, {0.0f, 0.0f}};
    load<ROWS>(tile_Q, Q + head_q, first, p.queries);
    __syncthreads();
    load_q(q, tile_Q);
    for (int key = 0; key < seen; key += KEYS) {
        float score[SCORES][4] = {};
        __syncthreads(); // no warp reads the previous tile any more
        load<KEYS>(tile_K, K + head_k, key, p.keys);
        load<KEYS>(tile_V, V + head_k, key, p.keys);
        __syncthreads(); // all threads' parts of this one have been written
        multiply_QK(score, q, tile_K);
        scale(score);
        hide(score, p, mine, key);
        online_step(s, score, value);
        multiply_PV(value, score, tile_V);
    }
    finish(s, value);
#pragma unroll
    for (int c = 0; c < 4; c += 2) {
#pragma unroll
        for (int j = 0; j < VALUES; j++) {
            if (mine + row_of(c) < p.queries) {
                *(float2 *)&O[head_q + (size_t)(mine + row_of(c)) * D + column_of(j, c)] =
                    make_float2(value[j][c], value[j][c + 1]);
            }
        }
    }
}

void scores(int queries, int keys, int causal, const bf16 *Q, const bf16 *K, float *S, cudaStream_t stream) {
    if (queries > 0 && keys > 0) {
        scores_kernel<<<(queries + ROWS - 1) / ROWS, THREADS, 0, stream>>>({queries, keys, causal}, Q, K, S);
        CUDA_CHECK_LAUNCH();
    }
}

void attention(int heads, int queries, int keys, int causal, const bf16 *Q, const bf16 *K, const bf16 *V, float *O,
               cudaStream_t stream) {
    if (heads > 0 && queries > 0) {
        attention_kernel<<<dim3((queries + ROWS - 1) / ROWS, heads), THREADS, 0, stream>>>({queries, keys, causal}, Q,
                                                                                           K, V, O);
        CUDA_CHECK_LAUNCH();
    }
}
