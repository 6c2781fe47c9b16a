/* Exercise 20: causal attention in one kernel, with online softmax, which skips the tiles that no query sees.
 *
 * Q is [queries][heads][32], K and V are [keys][heads_kv][32], O is like Q; all of them float. For each head and each query i,
 * over the keys j that it sees:
 *
 *     score[j] = (q[i] . k[j]) / sqrt(32)      o[i] = sum of exp(score[j]) * v[j], divided by the sum of exp(score[j])
 *
 * Causal: the last query sees all keys, so query i sees the keys 0, 1, ... i + keys - queries. A query that sees none has
 * o = 0. Head h of Q uses head h / (heads / heads_kv) of K and V: neighbours share one (grouped-query attention).
 *
 * A block has 32 queries of one head, and walks along the keys in tiles of 32. A warp has 4 of the queries. For a score lane j
 * takes key j of the tile; for the sum over V lane c takes column c.
 *
 * The grader (make exercise20) calls, from the host:
 *
 *     void attention(int queries, int keys, int heads, int heads_kv, const float *Q, const float *K, const float *V,
 *                    float *O, cudaStream_t stream);
 *
 *   - there are any numbers of queries and keys from 0 to 2^20; heads is 0 or a multiple of heads_kv, which is at least 1, and
 *     at most 65535; no array has more than 2^31 - 1 elements; the arrays do not overlap;
 *   - scores may be as large as 500 and as small as -500: exp(500) overflows a float, and exp(-500) is 0;
 *   - O is only written; nothing outside the arrays is read or written;
 *   - the work is queued in `stream`, and the function returns without waiting for it;
 *   - on the emulator, in every call: each 32 queries of a head have their own block, which writes them. It loads its
 *     queries once, and of K and V once each tile of which at least one of its queries sees a key, and no other (limit: for
 *     each array 1.1 times these sectors); it reaches at most two barriers for each of these tiles, and two more, on
 *     average; and what is stored in global memory is O, once (limit 1.1);
 *   - it is compiled for compute capability 8.0.
 *
 * When all checks pass, attention over any number of keys takes one pass, and no score is stored in global memory.
 * First step: TODO 9, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include <math.h>

#include "common/check.h"

#pragma nv_diag_suppress 177 // as given, some functions ...
#pragma nv_diag_suppress 550 // ... and variables still wait for their TODO

enum { D = 32, WARP = 32 };    // numbers in a row, one for each lane
enum { ROWS = 32, KEYS = 32 }; // of a block; of a tile
enum { MINE = 4 };             // queries of a warp
enum { THREADS = ROWS / MINE * WARP };

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

/* 32 rows of one head, from row `first` on; zeros for rows that do not exist. A warp loads a row at a time, 128 bytes. */
static __device__ void load(float (&tile)[32][D + 1], const float *x, int first, int rows, int heads, int head) {
    int lane = threadIdx.x % WARP;
    for (int r = threadIdx.x / WARP; r < 32; r += THREADS / WARP) {
        tile[r][lane] = first + r < rows ? x[((size_t)(first + r) * heads + head) * D + lane] : 0.0f;
    }
}

static __global__ __launch_bounds__(THREADS) void attention_kernel(int queries, int keys, int heads, int heads_kv,
                                                                   const float *Q, const float *K, const float *V,
                                                                   float *O) {
    __shared__ float tile_Q[ROWS][D + 1], tile_K[KEYS][D + 1], tile_V[KEYS][D + 1];
    int first = blockIdx.x * ROWS, head = blockIdx.y, lane = threadIdx.x % WARP;
    int mine = threadIdx.x / WARP * MINE;        // this warp's first query, counted from the block's first
    const float scale = 0.17677669529f;          // 1 / sqrt(32)
    float largest[MINE], sum[MINE], value[MINE]; // of each query: the largest score so far, the sums so far

    // TODO 1: which head of K and V belongs to `head`?
    int head_kv = 0;

    // TODO 2: how many keys, from the first on, does the block's last query see? How many tiles are these?
    int tiles = 0;

    // TODO 3: what are the largest score and the sums before the first key?
    for (int r = 0; r < MINE; r++) {
        largest[r] = sum[r] = value[r] = 0.0f;
    }

    load(tile_Q, Q, first, queries, heads, head);
    for (int tile = 0; tile < tiles; tile++) {
        // TODO 4: load this tile of K and V. Which threads may still read the last one? Which read this one?
        for (int r = 0; r < MINE; r++) {
            // TODO 5: the score of this lane's key, tile * KEYS + lane, for query first + mine + r: -INFINITY where the query
            // does not see the key.
            float score = 0.0f;

            // TODO 6: the new largest score, and the factor by which all sums so far must be multiplied. Then p,
            // exp(score - largest) of this lane's key. Beware of -INFINITY minus -INFINITY.
            float factor = 1.0f, p = 0.0f;

            // TODO 7: bring both sums up to date. value[r] is the sum of p times column `lane` of V; lane j has p of key j:
            // __shfl_sync(~0u, p, j).
        }
    }

    // TODO 8: write column `lane` of this warp's queries. Which of them exist? What if a query has seen nothing?
}

void attention(int queries, int keys, int heads, int heads_kv, const float *Q, const float *K, const float *V, float *O,
               cudaStream_t stream) {
    // TODO 9: launch the kernel, a block for 32 queries of a head. When is there nothing to launch?
}
