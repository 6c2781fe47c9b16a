// expect: wrong_result
// says: it also attends to its own position
/* A query does not see the key at its own place. */
#include <math.h>

#include "common/check.h"

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

/* 32 rows of one head, from row `first` on; zeros where there is none. A warp loads a row at a time, 128 bytes. */
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

    int head_kv = head / (heads / heads_kv);

    int last = min(first + ROWS, queries) - 1;
    int seen_by_last = max(0, last + keys - queries);
    int tiles = (seen_by_last + KEYS - 1) / KEYS;

    for (int r = 0; r < MINE; r++) {
        largest[r] = -INFINITY;
        sum[r] = value[r] = 0.0f;
    }

    load(tile_Q, Q, first, queries, heads, head);
    for (int tile = 0; tile < tiles; tile++) {
        __syncthreads();
        load(tile_K, K, tile * KEYS, keys, heads_kv, head_kv);
        load(tile_V, V, tile * KEYS, keys, heads_kv, head_kv);
        __syncthreads();
        for (int r = 0; r < MINE; r++) {
            float dot = 0.0f;
            for (int c = 0; c < D; c++) {
                dot += tile_Q[mine + r][c] * tile_K[lane][c];
            }
            bool seen = tile * KEYS + lane < first + mine + r + keys - queries;
            float score = seen ? dot * scale : -INFINITY;

            float now = fmaxf(largest[r], warp_max(score)), subtract = now == -INFINITY ? 0.0f : now;
            float factor = expf(largest[r] - subtract), p = expf(score - subtract);
            largest[r] = now;

            sum[r] = sum[r] * factor + warp_sum(p);
            value[r] *= factor;
            for (int j = 0; j < KEYS; j++) {
                value[r] += __shfl_sync(~0u, p, j) * tile_V[j][lane];
            }
        }
    }

    for (int r = 0; r < MINE; r++) {
        int row = first + mine + r;
        if (row < queries) {
            O[((size_t)row * heads + head) * D + lane] = sum[r] == 0.0f ? 0.0f : value[r] / sum[r];
        }
    }
}

void attention(int queries, int keys, int heads, int heads_kv, const float *Q, const float *K, const float *V, float *O,
               cudaStream_t stream) {
    if (queries == 0 || heads == 0) {
        return;
    }
    dim3 grid((queries + ROWS - 1) / ROWS, heads);
    attention_kernel<<<grid, THREADS, 0, stream>>>(queries, keys, heads, heads_kv, Q, K, V, O);
    CUDA_CHECK_LAUNCH();
}
