/* Eight lanes for a key, so that a warp has four at once; powers of 2; combine with a thread for each column, in two passes. */
#include <math.h>

#include "common/check.h"

enum { LANES = 8, THREADS = 256, GROUPS = THREADS / LANES, D = 128 };

/* Group g of a block takes keys begin + g, begin + g + 32, ... Lane i of it has the columns 4 i + 32 j to 4 i + 32 j + 3. */
static __global__ void chunk_kernel(const float *q, const float *K, const float *V, const int *table, int length,
                                    int page_size, int chunk, float *parts, float *logs) {
    __shared__ float highest[GROUPS], weight[GROUPS], value[GROUPS][D];
    int group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    int begin = blockIdx.x * chunk, end = min(begin + chunk, length);
    const float scale = 1.44269504f / sqrtf(128.0f);
    float most = -INFINITY, sum = 0.0f, own[16] = {};
    float4 query[4];
    for (int j = 0; j < 4; j++) {
        query[j] = *(const float4 *)(q + 32 * j + 4 * lane);
    }
    for (int first = begin; first < end; first += GROUPS) { // all lanes of a warp go round equally often
        int n = first + group;
        float4 k[4] = {}, v[4] = {};
        float dot = 0.0f;
        if (n < end) {
            size_t row = (size_t)table[n / page_size] * page_size + n % page_size;
            for (int j = 0; j < 4; j++) {
                k[j] = *(const float4 *)(K + row * D + 32 * j + 4 * lane);
                v[j] = *(const float4 *)(V + row * D + 32 * j + 4 * lane);
            }
        }
        for (int j = 0; j < 4; j++) {
            dot += query[j].x * k[j].x + query[j].y * k[j].y + query[j].z * k[j].z + query[j].w * k[j].w;
        }
        for (int step = 1; step < LANES; step *= 2) {
            dot += __shfl_xor_sync(~0u, dot, step);
        }
        if (n < end) {
            float before = most;
            most = fmaxf(most, dot * scale);
            float shrink = exp2f(before - most), w = exp2f(dot * scale - most);
            sum = sum * shrink + w;
            for (int j = 0; j < 4; j++) {
                own[4 * j] = own[4 * j] * shrink + w * v[j].x;
                own[4 * j + 1] = own[4 * j + 1] * shrink + w * v[j].y;
                own[4 * j + 2] = own[4 * j + 2] * shrink + w * v[j].z;
                own[4 * j + 3] = own[4 * j + 3] * shrink + w * v[j].w;
            }
        }
    }
    for (int i = 0; i < 16; i++) {
        value[group][i / 4 * 32 + 4 * lane + i % 4] = own[i];
    }
    if (lane == 0) {
        highest[group] = most;
        weight[group] = sum;
    }
    __syncthreads();
    int column = threadIdx.x;
    if (column >= D) {
        return;
    }
    float all = -INFINITY, weights = 0.0f, result = 0.0f;
    for (int g = 0; g < GROUPS; g++) {
        all = fmaxf(all, highest[g]);
    }
    for (int g = 0; g < GROUPS; g++) {
        float share = exp2f(highest[g] - all);
        weights += share * weight[g];
        result += share * value[g][column];
    }
    parts[(size_t)blockIdx.x * D + column] = result / weights;
    if (column == 0) {
        logs[blockIdx.x] = (all + log2f(weights)) * 0.69314718f;
    }
}

static __global__ void combine_kernel(const float *parts, const float *logs, int chunks, float *out) {
    float largest = -INFINITY, weights = 0.0f, sum = 0.0f;
    for (int c = 0; c < chunks; c++) {
        largest = fmaxf(largest, logs[c]);
    }
    for (int c = 0; c < chunks; c++) {
        if (logs[c] != -INFINITY) {
            float weight = expf(logs[c] - largest);
            weights += weight;
            sum += weight * parts[(size_t)c * D + threadIdx.x];
        }
    }
    out[threadIdx.x] = weights > 0.0f ? sum / weights : 0.0f;
}

void decode_chunks(const float *q, const float *K, const float *V, const int *table, int length, int page_size,
                   int chunk, float *parts, float *logs, cudaStream_t stream) {
    if (length == 0) {
        return;
    }
    chunk_kernel<<<(length + chunk - 1) / chunk, THREADS, 0, stream>>>(q, K, V, table, length, page_size, chunk, parts,
                                                                       logs);
    CUDA_CHECK_LAUNCH();
}

void combine(const float *parts, const float *logs, int chunks, float *out, cudaStream_t stream) {
    combine_kernel<<<1, D, 0, stream>>>(parts, logs, chunks, out);
    CUDA_CHECK_LAUNCH();
}
