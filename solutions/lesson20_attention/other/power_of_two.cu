/* A thread has a query, and 32 threads are a block: scores and sums stay in its registers, exp is a power of two, and
 * there is a new largest score after each key. All threads read the tiles at the same place. */
#include <math.h>

#include "common/check.h"

enum { D = 32, ROWS = 32, KEYS = 32 };

static __global__ __launch_bounds__(ROWS) void attention_kernel(int queries, int keys, int sharing, const float *Q,
                                                                const float *K, const float *V, float *O) {
    __shared__ float rows[ROWS][D + 1], tile_K[KEYS][D], tile_V[KEYS][D];
    int heads = gridDim.y, heads_kv = heads / sharing, head = blockIdx.y, first = blockIdx.x * ROWS, me = threadIdx.x;
    int count = min(ROWS, queries - first), behind = first + count + keys - queries; // behind what the block sees
    float value[D] = {}, largest = -INFINITY, sum = 0;
    const float scale = 0.17677669529f * 1.44269504f; // log2(e) / sqrt(32)
    for (int r = 0; r < count; r++) {
        rows[r][me] = Q[((size_t)(first + r) * heads + head) * D + me];
    }
    for (int start = 0; start < behind; start += KEYS) {
        __syncthreads();
        for (int j = 0; j < min(KEYS, keys - start); j++) {
            size_t at = ((size_t)(start + j) * heads_kv + head / sharing) * D + me;
            tile_K[j][me] = K[at];
            tile_V[j][me] = V[at];
        }
        __syncthreads();
        int seen = me < count ? min(KEYS, first + me + 1 + keys - queries - start) : 0;
        for (int j = 0; j < seen; j++) {
            float dot = 0, before = largest;
            for (int c = 0; c < D; c++) {
                dot = fmaf(rows[me][c], tile_K[j][c], dot);
            }
            largest = fmaxf(largest, dot * scale);
            float factor = exp2f(before - largest), p = exp2f(dot * scale - largest);
            sum = sum * factor + p;
            for (int c = 0; c < D; c++) {
                value[c] = value[c] * factor + p * tile_V[j][c];
            }
        }
    }
    __syncthreads();
    for (int c = 0; c < D; c++) {
        rows[me][c] = sum > 0 ? value[c] / sum : 0.0f;
    }
    __syncthreads();
    for (int r = 0; r < count; r++) {
        O[((size_t)(first + r) * heads + head) * D + me] = rows[r][me];
    }
}

void attention(int queries, int keys, int heads, int heads_kv, const float *Q, const float *K, const float *V, float *O,
               cudaStream_t stream) {
    if (queries > 0 && heads > 0) {
        attention_kernel<<<dim3((queries + ROWS - 1) / ROWS, heads), ROWS, 0, stream>>>(queries, keys, heads / heads_kv,
                                                                                        Q, K, V, O);
        CUDA_CHECK_LAUNCH();
    }
}
