/* Exercise 20b: attention for one new token, over keys and values in pages, by several blocks.
 *
 * There is one query q of 128 numbers, and `length` keys and values, 128 numbers each; all of them float. Over all keys n:
 *
 *     score[n] = (q . k[n]) / sqrt(128)      out = sum of exp(score[n]) * v[n], divided by the sum of exp(score[n])
 *
 * Keys and values are stored in pages of page_size rows, in any order: key n is row n % page_size of page table[n / page_size].
 * Page p begins at row p * page_size of K and of V.
 *
 * The keys are divided into chunks of `chunk` keys; the last one may be shorter, and a chunk may begin in the middle of a page. A
 * block has one chunk c, and writes
 *
 *     parts[c] = sum of exp(score[n]) * v[n] over its own keys, divided by the sum of exp(score[n]) over its own keys
 *     logs[c] = the natural logarithm of the sum of exp(score[n]) over its own keys
 *
 * A second kernel combines these. A warp processes whole rows: lane i has the four elements from 4 i on.
 *
 * The grader (make exercise20b) calls, from the host:
 *
 *     void decode_chunks(const float *q, const float *K, const float *V, const int *table, int length, int page_size,
 *                        int chunk, float *parts, float *logs, cudaStream_t stream);
 *     void combine(const float *parts, const float *logs, int chunks, float *out, cudaStream_t stream);
 *
 *   - length is from 0 to 2^20, and chunks the number of chunks, which is 0 for a length of 0; page_size and chunk are from 1 to
 *     2^20; K and V have less than 2^31 rows; all arrays begin on multiples of 16 bytes, and none overlap;
 *   - table has as many numbers as the keys need pages, parts 128 for each chunk, logs one for each chunk, out 128;
 *   - scores and logs may be as large as 500 and as small as -500: exp(500) overflows a float, and exp(-500) is 0;
 *   - combine must also handle chunks without keys: their log is -INFINITY, and their part may contain anything, even NaN. If
 *     no chunk has a key, out is 0;
 *   - other pages, and rows past the last key, may contain anything; nothing outside the arrays is read or written;
 *   - the work is queued in `stream`, and the functions return without waiting for it;
 *   - on the emulator, in every call of decode_chunks: each chunk has its own block, which writes its part and log; each
 *     row of K and of V is read once (limit: 1.1 times its sectors), q once for a warp, and of the table at most four sectors
 *     for a key, by loads of 16 bytes: at most 5 loads of a warp for each key (the solution 3) and 8 for each warp;
 *   - it is compiled for compute capability 8.0.
 *
 * When all checks pass, several blocks decode one token over pages in any order, and the joined chunks give what one
 * pass would.
 * First step: TODO 8, about ten minutes: the check "combine, no chunk has a key" passes.
 */
// fails as given: stale_output
#include <math.h>

#include "common/check.h"

#pragma nv_diag_suppress 177 // as given, some functions ...
#pragma nv_diag_suppress 550 // ... and variables still wait for their TODO

enum { WARP = 32, WARPS = 4, THREADS = WARPS * WARP };

static __device__ float warp_sum(float x) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        x += __shfl_xor_sync(~0u, x, step);
    }
    return x;
}

/* Describes some keys: the largest score; the sum of exp(score - largest); and the sum of exp(score - largest) * v,
 * of which a lane has four elements. Before the first key: -INFINITY, 0 and zeros. */
struct seen {
    float largest, sum;
    float4 value;
};

static __device__ struct seen nothing(void) {
    return {-INFINITY, 0.0f, make_float4(0.0f, 0.0f, 0.0f, 0.0f)};
}

/* Joins b to a, which then describes the keys of both. */
static __device__ void join(struct seen &a, const struct seen &b) {
    // TODO 1: the larger one of the two largest scores; then both sums, of which those made with the smaller one have to be scaled.
    // What if b has seen nothing?
}

/* Joins the keys of all warps of the block in warp 0. Every thread of the block calls this. */
static __device__ void join_warps(struct seen &seen) {
    __shared__ struct seen all[WARPS][WARP];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    // TODO 2: each thread stores its numbers; then warp 0 joins those of the other warps. What must separate the two?
}

/* The row of K and V that has key n. */
static __device__ size_t row_of(int n, const int *table, int page_size) {
    // TODO 3: which page, and which row of it? Rows are counted in size_t: a large cache has more than an int can count.
    return 0;
}

/* Rows are 32 float4 here: number `row * WARP + lane` is this lane's part of a row. Grid: a block for each chunk. */
static __global__ __launch_bounds__(THREADS) void chunk_kernel(const float4 *q, const float4 *K, const float4 *V,
                                                               const int *table, int length, int page_size, int chunk,
                                                               float4 *parts, float *logs) {
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const float scale = 0.08838834765f; // 1 / sqrt(128)
    float4 own = q[lane];
    struct seen seen = nothing();

    // TODO 4: the first key of this block's chunk, and the one after its last.
    int begin = 0, end = 0;

    for (int n = begin + warp; n < end; n += WARPS) {
        // TODO 5: this lane's part of k and v; the score of the key, which all lanes need; and join this one key.
    }
    join_warps(seen);

    // TODO 6: warp 0 writes the chunk's part, four numbers for each lane, and one of its lanes the chunk's log. (seen.sum is of
    // exp(score - largest), not of exp(score).)
}

/* One block. A warp takes every fourth chunk. */
static __global__ __launch_bounds__(THREADS) void combine_kernel(const float4 *parts, const float *logs, int chunks,
                                                                 float4 *out) {
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    struct seen seen = nothing();
    for (int c = warp; c < chunks; c += WARPS) {
        // TODO 7: join chunk c, as if it were one key: with which score, and which v?
    }
    join_warps(seen);
    // TODO 8: warp 0 writes the result. What if no chunk has a key?
}

void decode_chunks(const float *q, const float *K, const float *V, const int *table, int length, int page_size,
                   int chunk, float *parts, float *logs, cudaStream_t stream) {
    int chunks = (length + chunk - 1) / chunk;
    if (chunks > 0) {
        chunk_kernel<<<chunks, THREADS, 0, stream>>>((const float4 *)q, (const float4 *)K, (const float4 *)V, table,
                                                     length, page_size, chunk, (float4 *)parts, logs);
        CUDA_CHECK_LAUNCH();
    }
}

void combine(const float *parts, const float *logs, int chunks, float *out, cudaStream_t stream) {
    combine_kernel<<<1, THREADS, 0, stream>>>((const float4 *)parts, logs, chunks, (float4 *)out);
    CUDA_CHECK_LAUNCH();
}
