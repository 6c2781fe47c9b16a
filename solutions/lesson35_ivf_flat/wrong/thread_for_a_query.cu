// expect: access_limit
// says: sectors of 32 bytes were read
/* A thread for each query, as on a CPU. */
#include "common/check.h"

enum { WARP = 32, WARPS = 4 };  // a warp has a query
enum { D = 32, UNITS = D / 4 }; // numbers of a vector; units of 16 bytes
#define ALL_LANES 0xffffffffu

/* A score and an id in one number: the smaller key is the better one. */
typedef unsigned long long key;
#define NOTHING (~0ull)

__device__ key key_of(float score, int id) {
    unsigned bits = __float_as_uint(score);
    bits = bits >> 31 ? bits : ~bits & 0x7fffffffu;
    return (key)bits << 32 | (unsigned)id;
}

/* The score that key_of has made this of. */
__device__ float score_of(key found) {
    unsigned bits = (unsigned)(found >> 32);
    bits = bits >> 31 ? bits : ~bits & 0x7fffffffu;
    return __uint_as_float(bits);
}

/* The score of the vector in this lane's slot, one of a group. */
__device__ float score(const float4 *vectors, int slot, const float4 *query) {
    float sum = 0.0f;
    for (int unit = 0; unit < UNITS; unit++) {
        float4 v = vectors[((size_t)(slot / WARP) * UNITS + unit) * WARP + slot % WARP], q = query[unit];
        sum = fmaf(v.x, q.x, sum);
        sum = fmaf(v.y, q.y, sum);
        sum = fmaf(v.z, q.z, sum);
        sum = fmaf(v.w, q.w, sum);
    }
    return sum;
}

__global__ void search_kernel(const float4 *vectors, const int *ids, const unsigned *deleted, const int *lists,
                              const float4 *queries, const int *probes, int count, int nprobe, int k, float *scores,
                              int *found) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= count) {
        return;
    }
    key kept[WARP];
    for (int r = 0; r < k; r++) {
        kept[r] = NOTHING;
    }
    for (int p = 0; p < nprobe; p++) {
        int list = probes[q * nprobe + p], start = lists[2 * list], length = lists[2 * list + 1];
        for (int slot = start; slot < start + length; slot++) {
            if (deleted[slot / WARP] >> slot % WARP & 1) {
                continue;
            }
            key mine = key_of(score(vectors, slot, queries + (size_t)q * UNITS), ids[slot]);
            for (int r = 0; r < k; r++) {
                key larger = mine < kept[r] ? kept[r] : mine;
                kept[r] = mine < kept[r] ? mine : kept[r];
                mine = larger;
            }
        }
    }
    for (int r = 0; r < k; r++) {
        bool there = kept[r] != NOTHING;
        scores[(size_t)q * k + r] = there ? score_of(kept[r]) : -INFINITY;
        found[(size_t)q * k + r] = there ? (int)kept[r] : -1;
    }
}

void search_lists(const float *vectors, const int *ids, const unsigned *deleted, const int *lists, const float *queries,
                  const int *probes, int count, int nprobe, int k, float *scores, int *found, cudaStream_t stream) {
    if (count == 0) {
        return;
    }
    search_kernel<<<(count + WARPS - 1) / WARPS, WARPS * WARP, 0, stream>>>(
        (const float4 *)vectors, ids, deleted, lists, (const float4 *)queries, probes, count, nprobe, k, scores, found);
    CUDA_CHECK_LAUNCH();
}
