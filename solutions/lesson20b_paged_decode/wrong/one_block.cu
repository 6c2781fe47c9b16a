// expect: access_limit
// says: launch a block for each chunk
/* One block does all chunks, one after the other: right, and a GPU has 131 multiprocessors left over. */
#include <math.h>

#include "common/check.h"

enum { WARP = 32, WARPS = 4, THREADS = WARPS * WARP };

static __device__ float warp_sum(float x) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        x += __shfl_xor_sync(~0u, x, step);
    }
    return x;
}

/* What is known of some keys: the largest score; the sum of exp(score - largest); and the sum of exp(score - largest) * v,
 * of which a lane has four numbers. Nothing is known yet: -INFINITY, 0 and zeros. */
struct seen {
    float largest, sum;
    float4 value;
};

static __device__ struct seen nothing(void) {
    return {-INFINITY, 0.0f, make_float4(0.0f, 0.0f, 0.0f, 0.0f)};
}

/* a becomes what is known of the keys of both. */
static __device__ void join(struct seen &a, const struct seen &b) {
    if (b.largest == -INFINITY) {
        return;
    }
    float largest = fmaxf(a.largest, b.largest);
    float of_a = expf(a.largest - largest), of_b = expf(b.largest - largest);
    a.largest = largest;
    a.sum = a.sum * of_a + b.sum * of_b;
    a.value = make_float4(a.value.x * of_a + b.value.x * of_b, a.value.y * of_a + b.value.y * of_b,
                          a.value.z * of_a + b.value.z * of_b, a.value.w * of_a + b.value.w * of_b);
}

/* Warp 0 gets what all warps of the block know. Every thread of the block calls this. */
static __device__ void join_warps(struct seen &seen) {
    __shared__ struct seen all[WARPS][WARP];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    all[warp][lane] = seen;
    __syncthreads();
    for (int other = 1; other < WARPS && warp == 0; other++) {
        join(seen, all[other][lane]);
    }
}

/* The row of K and V that key n is. */
static __device__ size_t row_of(int n, const int *table, int page_size) {
    return (size_t)table[n / page_size] * page_size + n % page_size;
}

/* Rows are 32 float4 here: number `row * WARP + lane` is this lane's part of a row. Grid: a block for each chunk. */
static __global__ __launch_bounds__(THREADS) void chunk_kernel(const float4 *q, const float4 *K, const float4 *V,
                                                               const int *table, int length, int page_size, int chunk,
                                                               float4 *parts, float *logs) {
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const float scale = 0.08838834765f; // 1 / sqrt(128)
    float4 own = q[lane];
    struct seen seen = nothing();

    for (int c = 0; c * chunk < length; c++) {
        __syncthreads();
        seen = nothing();
        int begin = c * chunk, end = min(begin + chunk, length);

        for (int n = begin + warp; n < end; n += WARPS) {
            size_t at = row_of(n, table, page_size) * WARP + lane;
            float4 k = K[at], v = V[at];
            float score = warp_sum(own.x * k.x + own.y * k.y + own.z * k.z + own.w * k.w) * scale;
            join(seen, {score, 1.0f, v});
        }
        join_warps(seen);

        if (warp == 0) {
            float inverse = 1.0f / seen.sum;
            parts[c * WARP + lane] = make_float4(seen.value.x * inverse, seen.value.y * inverse, seen.value.z * inverse,
                                                 seen.value.w * inverse);
            if (lane == 0) {
                logs[c] = seen.largest + logf(seen.sum);
            }
        }
    }
}

/* One block. A warp takes every fourth chunk. */
static __global__ __launch_bounds__(THREADS) void combine_kernel(const float4 *parts, const float *logs, int chunks,
                                                                 float4 *out) {
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    struct seen seen = nothing();
    for (int c = warp; c < chunks; c += WARPS) {
        join(seen, {logs[c], 1.0f, parts[(size_t)c * WARP + lane]});
    }
    join_warps(seen);
    if (warp == 0) {
        float inverse = seen.sum == 0.0f ? 0.0f : 1.0f / seen.sum;
        out[lane] =
            make_float4(seen.value.x * inverse, seen.value.y * inverse, seen.value.z * inverse, seen.value.w * inverse);
    }
}

void decode_chunks(const float *q, const float *K, const float *V, const int *table, int length, int page_size,
                   int chunk, float *parts, float *logs, cudaStream_t stream) {
    int chunks = (length + chunk - 1) / chunk;
    if (chunks > 0) {
        chunk_kernel<<<1, THREADS, 0, stream>>>((const float4 *)q, (const float4 *)K, (const float4 *)V, table, length,
                                                page_size, chunk, (float4 *)parts, logs);
        CUDA_CHECK_LAUNCH();
    }
}

void combine(const float *parts, const float *logs, int chunks, float *out, cudaStream_t stream) {
    combine_kernel<<<1, THREADS, 0, stream>>>((const float4 *)parts, logs, chunks, (float4 *)out);
    CUDA_CHECK_LAUNCH();
}
