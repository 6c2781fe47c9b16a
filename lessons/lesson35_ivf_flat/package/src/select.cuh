/* select.cuh - the k smallest keys that a warp has seen, in its registers. All 32 lanes call these functions together. */
#pragma once

enum { WARP = 32 };
#define ALL_LANES 0xffffffffu

/* A distance and an id in one number: the smaller distance first, of equal ones the smaller id. The bits of floats that are not negative are in
 * the order of the floats. */
typedef unsigned long long key;
#define NOTHING (~0ull)

__device__ inline key key_of(float distance, int id) {
    return (key)__float_as_uint(distance) << 32 | (unsigned)id;
}

__device__ inline key smaller(key a, key b) {
    return a < b ? a : b;
}

__device__ inline key larger(key a, key b) {
    return a < b ? b : a;
}

/* One step of a bitonic network: lanes `step` apart compare; the lower one of both keeps the smaller key where `up`. */
__device__ inline key compare_lanes(key mine, int step, bool up) {
    key other = __shfl_xor_sync(ALL_LANES, mine, step);
    bool lower = (threadIdx.x & step) == 0;
    return lower == up ? smaller(mine, other) : larger(mine, other);
}

/* 32 keys that rise and then fall, or fall and then rise, become sorted. */
__device__ inline key finish_sorting(key mine) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        mine = compare_lanes(mine, step, true);
    }
    return mine;
}

__device__ inline key sort_lanes(key mine) {
#pragma unroll
    for (int size = 2; size < WARP; size *= 2) {
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
            mine = compare_lanes(mine, step, (threadIdx.x & size) == 0);
        }
    }
    return finish_sorting(mine);
}

/* The k smallest keys, k <= 32 * SLOTS. Key number r is in slot r / 32 of lane r % 32. */
template <int SLOTS> struct best {
    key kept[SLOTS];
    key waiting;   // of this lane: a key that is to be merged
    key threshold; // the k-th key: what is not below does not come in

    __device__ void clear() {
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            kept[s] = NOTHING;
        }
        waiting = threshold = NOTHING;
    }

    /* Takes in a key of each lane. */
    __device__ void merge(key fresh, int k) {
        fresh = sort_lanes(fresh);
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            // The 32 smallest of 64 stay in this slot; the others go on to the next slot.
            key turned = __shfl_xor_sync(ALL_LANES, fresh, WARP - 1);
            fresh = finish_sorting(larger(kept[s], turned));
            kept[s] = finish_sorting(smaller(kept[s], turned));
        }
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            // Of every slot: a slot that is chosen by a variable would make kept an array in local memory.
            key last = __shfl_sync(ALL_LANES, kept[s], (k - 1) % WARP);
            threshold = s == (k - 1) / WARP ? last : threshold;
        }
    }

    /* A key of each lane. Most are above the threshold, and cost two comparisons. Others wait, until a lane has a second one. */
    __device__ void offer(key candidate, int k) {
        bool comes_in = candidate < threshold;
        if (__any_sync(ALL_LANES, comes_in && waiting != NOTHING)) {
            merge(waiting, k);
            waiting = NOTHING;
        }
        waiting = comes_in ? candidate : waiting;
    }

    /* Before kept is read. */
    __device__ void flush(int k) {
        merge(waiting, k);
        waiting = NOTHING;
    }

    __device__ void store(key *to, int k) const {
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            int rank = s * WARP + threadIdx.x % WARP;
            if (rank < k) {
                to[rank] = kept[s];
            }
        }
    }

    /* `count` keys in memory, in any order. */
    __device__ void offer_all(const key *from, int count, int k) {
        for (int first = 0; first < count; first += WARP) {
            int i = first + threadIdx.x % WARP;
            offer(i < count ? from[i] : NOTHING, k);
        }
    }
};
