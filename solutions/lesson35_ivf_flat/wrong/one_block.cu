// expect: access_limit
// says: one block read more than half
/* Right, but one block takes all queries, one after the other. */
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

/* Lanes `step` apart compare; the lower one of both keeps the smaller key where `up`. All lanes call it. */
__device__ key compare_lanes(key mine, int step, bool up) {
    key other = __shfl_xor_sync(ALL_LANES, mine, step);
    bool lower = (threadIdx.x & step) == 0;
    return (mine < other) == (lower == up) ? mine : other;
}

/* 32 keys that rise and then fall, or fall and then rise, become sorted, the smallest in lane 0. */
__device__ key finish_sorting(key mine) {
    for (int step = 16; step > 0; step /= 2) {
        mine = compare_lanes(mine, step, true);
    }
    return mine;
}

/* Any 32 keys become sorted. */
__device__ key sort_lanes(key mine) {
    for (int size = 2; size < WARP; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            mine = compare_lanes(mine, step, (threadIdx.x & size) == 0);
        }
    }
    mine = finish_sorting(mine);
    return mine;
}

/* The best that a warp has seen: number r is in lane r. */
struct best {
    key kept = NOTHING;
    key waiting = NOTHING;   // of this lane: a key that is to be merged
    key threshold = NOTHING; // the k-th best: what is not below does not come in

    /* Of the 32 keys that wait and the 32 that are kept, the 32 smallest are kept. */
    __device__ void merge(int k) {
        key turned = __shfl_xor_sync(ALL_LANES, sort_lanes(waiting), WARP - 1);
        kept = finish_sorting(kept < turned ? kept : turned);
        waiting = NOTHING;
        threshold = __shfl_sync(ALL_LANES, kept, k - 1);
    }

    /* A key of each lane, or NOTHING. All lanes call it. */
    __device__ void offer(key candidate, int k) {
        bool comes_in = candidate < threshold;
        if (__any_sync(ALL_LANES, comes_in && waiting != NOTHING)) {
            merge(k);
        }
        waiting = comes_in ? candidate : waiting;
    }
};

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

static __device__ void one_part(int BX, int BY, const float4 *vectors, const int *ids, const unsigned *deleted,
                                const int *lists, const float4 *queries, const int *probes, int count, int nprobe,
                                int k, float *scores, int *found) {
    int lane = threadIdx.x % WARP, q = BX * WARPS + threadIdx.x / WARP;
    if (q >= count) {
        return;
    }
    struct best best;
    for (int p = 0; p < nprobe; p++) {
        int list = probes[q * nprobe + p], start = lists[2 * list], length = lists[2 * list + 1];
        for (int first = 0; first < length; first += WARP) {
            int slot = start + first + lane;
            bool counts = first + lane < length && !(deleted[slot / WARP] >> lane & 1);
            if (__any_sync(ALL_LANES, counts)) {
                float own = score(vectors, slot, queries + (size_t)q * UNITS);
                best.offer(counts ? key_of(own, ids[slot]) : NOTHING, k);
            }
        }
    }
    best.merge(k);
    if (lane < k) {
        bool there = best.kept != NOTHING;
        scores[(size_t)q * k + lane] = there ? score_of(best.kept) : -INFINITY;
        found[(size_t)q * k + lane] = there ? (int)best.kept : -1;
    }
}

__global__ void all_queries_kernel(const float4 *vectors, const int *ids, const unsigned *deleted, const int *lists,
                                   const float4 *queries, const int *probes, int count, int nprobe, int k,
                                   float *scores, int *found) {
    for (int b = 0; b * WARPS < count; b++) {
        one_part(b, 0, vectors, ids, deleted, lists, queries, probes, count, nprobe, k, scores, found);
    }
}

void search_lists(const float *vectors, const int *ids, const unsigned *deleted, const int *lists, const float *queries,
                  const int *probes, int count, int nprobe, int k, float *scores, int *found, cudaStream_t stream) {
    if (count == 0) {
        return;
    }
    all_queries_kernel<<<1, WARPS * WARP, 0, stream>>>(
        (const float4 *)vectors, ids, deleted, lists, (const float4 *)queries, probes, count, nprobe, k, scores, found);
    CUDA_CHECK_LAUNCH();
}
