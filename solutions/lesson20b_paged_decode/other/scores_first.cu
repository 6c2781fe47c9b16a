/* In steps of 128 keys: their scores in shared memory, the step's largest, then a thread for each column walks over the values. */
#include <math.h>

#include "common/check.h"

enum { D = 128, STEP = 128, WARPS = 4 };

static __device__ size_t element(int n, const int *table, int page_size) {
    return ((size_t)table[n / page_size] * page_size + n % page_size) * D;
}

static __global__ __launch_bounds__(STEP) void chunk_kernel(const float *q, const float *K, const float *V,
                                                            const int *table, int length, int page_size, int chunk,
                                                            float *parts, float *logs) {
    __shared__ float score[STEP];
    __shared__ __align__(16) float4 value[WARPS][D / 4];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int begin = blockIdx.x * chunk, end = min(begin + chunk, length);
    float4 own = ((const float4 *)q)[lane], sum = {};
    float largest = -INFINITY, weights = 0.0f;
    for (int first = begin; first < end; first += STEP) {
        int count = min((int)STEP, end - first);
        __syncthreads(); // the scores of the step before have been read
        for (int i = warp; i < count; i += WARPS) {
            float4 k = ((const float4 *)(K + element(first + i, table, page_size)))[lane];
            float dot = own.x * k.x + own.y * k.y + own.z * k.z + own.w * k.w;
            for (int step = 16; step > 0; step /= 2) {
                dot += __shfl_down_sync(~0u, dot, step);
            }
            if (lane == 0) {
                score[i] = dot / sqrtf((float)D);
            }
        }
        __syncthreads();
        float now = largest;
        for (int i = 0; i < count; i++) {
            now = fmaxf(now, score[i]);
        }
        float shrink = expf(largest - now);
        largest = now;
        weights *= shrink;
        sum = make_float4(sum.x * shrink, sum.y * shrink, sum.z * shrink, sum.w * shrink);
        for (int i = 0; i < count; i++) {
            float weight = expf(score[i] - largest);
            weights += weight; // the same in all threads
            if (i % WARPS == warp) {
                float4 v = ((const float4 *)(V + element(first + i, table, page_size)))[lane];
                sum =
                    make_float4(sum.x + weight * v.x, sum.y + weight * v.y, sum.z + weight * v.z, sum.w + weight * v.w);
            }
        }
    }
    value[warp][lane] = sum;
    __syncthreads();
    float all = 0.0f;
    for (int w = 0; w < WARPS; w++) {
        all += ((const float *)value[w])[threadIdx.x];
    }
    parts[(size_t)blockIdx.x * D + threadIdx.x] = all / weights;
    if (threadIdx.x == 0) {
        logs[blockIdx.x] = logf(weights) + largest;
    }
}

/* A warp, and the weights one after the other: the largest so far has a weight of 1. */
static __global__ void combine_kernel(const float4 *parts, const float *logs, int chunks, float4 *out) {
    float largest = -INFINITY, weights = 0.0f;
    float4 sum = {};
    for (int c = 0; c < chunks; c++) {
        float log = logs[c];
        if (isinf(log)) {
            continue;
        }
        float4 v = parts[c * 32 + threadIdx.x];
        float old = 1.0f, weight = 1.0f;
        if (log > largest) {
            old = expf(largest - log);
            largest = log;
        } else {
            weight = expf(log - largest);
        }
        weights = weights * old + weight;
        sum = make_float4(sum.x * old + weight * v.x, sum.y * old + weight * v.y, sum.z * old + weight * v.z,
                          sum.w * old + weight * v.w);
    }
    if (weights > 0.0f) {
        sum = make_float4(sum.x / weights, sum.y / weights, sum.z / weights, sum.w / weights);
    }
    out[threadIdx.x] = sum;
}

void decode_chunks(const float *q, const float *K, const float *V, const int *table, int length, int page_size,
                   int chunk, float *parts, float *logs, cudaStream_t stream) {
    int chunks = (int)(((long long)length + chunk - 1) / chunk);
    if (chunks != 0) {
        chunk_kernel<<<chunks, STEP, 0, stream>>>(q, K, V, table, length, page_size, chunk, parts, logs);
        CUDA_CHECK_LAUNCH();
    }
}

void combine(const float *parts, const float *logs, int chunks, float *out, cudaStream_t stream) {
    combine_kernel<<<1, 32, 0, stream>>>((const float4 *)parts, logs, chunks, (float4 *)out);
    CUDA_CHECK_LAUNCH();
}
