// expect: not_by_kernel
// says: may only have copied it
/* A function of the host combines the parts, and a kernel copies what it has left in pinned memory. */
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

    int begin = blockIdx.x * chunk, end = min(begin + chunk, length);

    for (int n = begin + warp; n < end; n += WARPS) {
        size_t at = row_of(n, table, page_size) * WARP + lane;
        float4 k = K[at], v = V[at];
        float score = warp_sum(own.x * k.x + own.y * k.y + own.z * k.z + own.w * k.w) * scale;
        join(seen, {score, 1.0f, v});
    }
    join_warps(seen);

    if (warp == 0) {
        float inverse = 1.0f / seen.sum;
        parts[blockIdx.x * WARP + lane] =
            make_float4(seen.value.x * inverse, seen.value.y * inverse, seen.value.z * inverse, seen.value.w * inverse);
        if (lane == 0) {
            logs[blockIdx.x] = seen.largest + logf(seen.sum);
        }
    }
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

// What combine needs lies in pinned memory when the function of the host is called, and its result when the kernel is.
static struct work {
    float *parts, *logs, *out;
    int chunks;
} work;

static void CUDART_CB combine_on_host(void *) {
    double largest = -INFINITY, sum = 0, value[128] = {};
    for (int c = 0; c < work.chunks; c++) {
        largest = fmax(largest, work.logs[c]);
    }
    for (int c = 0; c < work.chunks; c++) {
        double e = work.logs[c] == -INFINITY ? 0 : exp(work.logs[c] - largest);
        sum += e;
        for (int i = 0; i < 128 && e > 0; i++) {
            value[i] += e * work.parts[c * 128 + i];
        }
    }
    for (int i = 0; i < 128; i++) {
        work.out[i] = sum > 0 ? (float)(value[i] / sum) : 0.0f;
    }
}

static __global__ void hand_over_kernel(const float *from, float *out) {
    out[threadIdx.x] = from[threadIdx.x];
}

void combine(const float *parts, const float *logs, int chunks, float *out, cudaStream_t stream) {
    enum { MOST = 20000 };
    if (!work.parts) {
        CUDA_CHECK(cudaMallocHost(&work.parts, MOST * 128 * sizeof(float)));
        CUDA_CHECK(cudaMallocHost(&work.logs, MOST * sizeof(float)));
        CUDA_CHECK(cudaMallocHost(&work.out, 128 * sizeof(float)));
    }
    work.chunks = chunks;
    if (chunks > 0) {
        size_t size = chunks * sizeof(float);
        CUDA_CHECK(cudaMemcpyAsync(work.parts, parts, 128 * size, cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaMemcpyAsync(work.logs, logs, size, cudaMemcpyDeviceToHost, stream));
    }
    CUDA_CHECK(cudaLaunchHostFunc(stream, combine_on_host, NULL));
    hand_over_kernel<<<1, 128, 0, stream>>>(work.out, out);
    CUDA_CHECK_LAUNCH();
}
