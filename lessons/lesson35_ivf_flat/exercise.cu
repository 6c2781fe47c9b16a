/* Exercise 35: the search of lists by inner product, in an index from which vectors can be deleted.
 *
 * The inner product of two vectors is their score; larger is better. Scores may be negative, so the bits of a score are not yet a key.
 *
 * The grader (make exercise35) calls
 *
 *     void search_lists(const float *vectors, const int *ids, const unsigned *deleted, const int *lists, const float *queries,
 *                       const int *probes, int count, int nprobe, int k, float *scores, int *found, cudaStream_t stream);
 *
 *   - list c begins at slot lists[2 * c], a multiple of 32, and has lists[2 * c + 1] vectors, or none;
 *   - a vector has D = 32 numbers. Vectors are stored in groups, as in version 4: number j of the vector in slot s is
 *     vectors[((s / 32 * (D / 4) + j / 4) * 32 + s % 32) * 4 + j % 4]. ids[s] is its id, 0 or more;
 *   - bit s % 32 of deleted[s / 32] is 1 if the vector in slot s has been deleted: it must not be found any more;
 *   - the slots after a list's end, up to a multiple of 32, exist, with arbitrary contents, also in `ids` and `deleted`;
 *   - query q, queries[q * D] to queries[q * D + D - 1], searches the lists probes[q * nprobe] to probes[q * nprobe + nprobe - 1], which
 *     differ;
 *   - scores[q * k + r] and found[q * k + r] become the score and the id of number r, r from 0 to k - 1: the largest score first, of equal
 *     ones the smaller id. Where there are fewer than k, the score is -INFINITY and the id -1;
 *   - 0 <= count, 1 <= nprobe, 1 <= k <= 32; all arrays are device memory, and begin at a multiple of 16 bytes;
 *   - the work is queued in `stream`, and the function returns without waiting for it; a failed launch is reported;
 *   - a call releases what it has created before it returns: memory (in stream order), streams, events;
 *   - a group is read once for a query that probes its list, and not at all if it has no vector that counts. A warp needs at most 265
 *     instructions for a group of 32 vectors (the solution about 170). From 64 queries on, no block reads more than half.
 *
 * When all checks pass, you have an approximate search whose results are kept sorted in registers, and the counts show
 * what it reads.
 * First step: TODO 10, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { WARP = 32, WARPS = 4 };  // a warp has a query
enum { D = 32, UNITS = D / 4 }; // numbers of a vector; units of 16 bytes
#define ALL_LANES 0xffffffffu

/* A score and an id in one number: the smaller key is the better one. */
typedef unsigned long long key;
#define NOTHING (~0ull)

__device__ key key_of(float score, int id) {
    unsigned bits = __float_as_uint(score);
    // TODO 1: as integers, the bits of floats of 0 or more rise with the float. Those of the others have the highest bit set, and fall. Make of
    // `bits` a number that falls where the score rises, for all scores.
    return (key)bits << 32 | (unsigned)id;
}

/* The score that key_of has made this of. */
__device__ float score_of(key found) {
    unsigned bits = (unsigned)(found >> 32);
    // TODO 2: the inverse.
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
    // TODO 3: steps of 16, 8, 4, 2 and 1.
    return mine;
}

/* Any 32 keys become sorted. */
__device__ key sort_lanes(key mine) {
    // TODO 4: pieces of `size` = 2, 4, 8, 16 lanes are sorted, one up and the next one down (lane & size). Two of them together then rise
    // and fall, so steps from size / 2 down to 1 are enough. When pieces of 16 are sorted, finish.
    return mine;
}

/* The best that a warp has seen: number r is in lane r. */
struct best {
    key kept = NOTHING;
    key waiting = NOTHING;   // of this lane: a key that is to be merged
    key threshold = NOTHING; // the k-th best: a candidate that is not below it is rejected

    /* Of the 32 keys that wait and the 32 that are kept, the 32 smallest are kept. */
    __device__ void merge(int k) {
        // TODO 5: sort the waiting keys. When they are reversed (__shfl_xor_sync with 31), which of kept and waiting does each lane keep? These
        // rise and fall: finish. Then no key waits, and all lanes need the new threshold: in which lane is it?
        (void)k;
    }

    /* A key of each lane, or NOTHING. All lanes call it. */
    __device__ void offer(key candidate, int k) {
        // TODO 6: a candidate below the threshold waits. If a lane already has a waiting key, it has no room: then all lanes merge first
        // (__any_sync).
        (void)candidate, (void)k;
    }
};

/* The score of the vector in this lane's slot, one of a group. */
__device__ float score(const float4 *vectors, int slot, const float4 *query) {
    float sum = 0.0f;
    // TODO 7: 16 bytes at a time. What neighbouring lanes load lies side by side.
    (void)vectors, (void)slot, (void)query;
    return sum;
}

__global__ void search_kernel(const float4 *vectors, const int *ids, const unsigned *deleted, const int *lists,
                              const float4 *queries, const int *probes, int count, int nprobe, int k, float *scores,
                              int *found) {
    int lane = threadIdx.x % WARP, q = blockIdx.x * WARPS + threadIdx.x / WARP;
    if (q >= count) {
        return;
    }
    struct best best;
    for (int p = 0; p < nprobe; p++) {
        int list = probes[q * nprobe + p], start = lists[2 * list], length = lists[2 * list + 1];
        for (int first = 0; first < length; first += WARP) {
            int slot = start + first + lane;
            // TODO 8: does this lane's vector count? It is in the list, and not deleted. If none of the group counts, it is not read. If
            // one does, all lanes call offer.
            (void)vectors, (void)ids, (void)deleted, (void)queries, (void)slot, (void)best;
        }
    }
    // TODO 9: keys may still be waiting. Then lane r writes number r, if that is below k.
    (void)scores, (void)found, (void)k, (void)score_of(0);
}

void search_lists(const float *vectors, const int *ids, const unsigned *deleted, const int *lists, const float *queries,
                  const int *probes, int count, int nprobe, int k, float *scores, int *found, cudaStream_t stream) {
    // TODO 10: a warp for each query, WARPS of them in a block. A grid of no blocks is an error.
    (void)vectors, (void)ids, (void)deleted, (void)lists, (void)queries, (void)probes, (void)count;
    (void)nprobe, (void)k, (void)scores, (void)found, (void)stream, (void)search_kernel;
}
