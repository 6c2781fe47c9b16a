/* Four elements per load, with a head and a tail, whatever the address; one warp joins the pairs of all blocks. */
#include <math.h>
#include <stdint.h>

#include "common/check.h"

enum { BLOCK = 512, WARPS = BLOCK / 32, BLOCKS_MAX = 264 };

static __device__ float2 join(float2 a, float2 b) {
    return make_float2(a.x + b.x, isnan(b.y) || b.y > a.y ? b.y : a.y);
}

static __device__ float2 take(float2 pair, float v) {
    return join(pair, make_float2(v, v));
}

static __device__ float2 over_warp(float2 pair) {
    for (int lanes = 16; lanes; lanes >>= 1) {
        float sum = __shfl_down_sync(~0u, pair.x, lanes), largest = __shfl_down_sync(~0u, pair.y, lanes);
        pair = join(pair, make_float2(sum, largest));
    }
    return pair; // of all lanes: in lane 0 only
}

static __global__ void __launch_bounds__(BLOCK)
    summarize_kernel(const float *__restrict__ x, float *result, int n, float2 *partial, unsigned *done) {
    __shared__ float2 warps[WARPS];
    int head = min(n, (int)(-(uintptr_t)x / sizeof(float) % 4)), vectors = (n - head) / 4;
    int me = blockIdx.x * BLOCK + threadIdx.x, all = gridDim.x * BLOCK;
    const float4 *v = (const float4 *)(x + head);
    float2 pair = make_float2(0.0f, -INFINITY);
    if (me < head) {
        pair = take(pair, x[me]);
    }
    for (int i = me; i < vectors; i += all) {
        float4 four = v[i];
        pair = take(take(take(take(pair, four.x), four.y), four.z), four.w);
    }
    if (me < n - head - 4 * vectors) {
        pair = take(pair, x[head + 4 * vectors + me]);
    }
    pair = over_warp(pair);
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = pair;
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        return;
    }
    pair = over_warp(threadIdx.x < WARPS ? warps[threadIdx.x] : make_float2(0.0f, -INFINITY));
    unsigned number = 0;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = pair;
        __threadfence();
        number = atomicInc(done, gridDim.x - 1);
        __threadfence();
    }
    if (__shfl_sync(~0u, number, 0) != gridDim.x - 1) {
        return;
    }
    pair = make_float2(0.0f, -INFINITY);
    for (unsigned b = threadIdx.x; b < gridDim.x; b += 32) {
        pair = join(pair, __ldcg(&partial[b]));
    }
    pair = over_warp(pair);
    if (threadIdx.x == 0) {
        *(volatile float *)&result[0] = pair.x;
        *(volatile float *)&result[1] = pair.y;
    }
}

void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream) {
    int blocks = max(1, min(n / (4 * BLOCK) + 1, (int)BLOCKS_MAX));
    summarize_kernel<<<blocks, BLOCK, 0, stream>>>(x, result, n, (float2 *)partial, done);
    CUDA_CHECK_LAUNCH();
}
