/* kernels.cuh - the single-pass scans that the sweep compares: inclusive, of 2^28 elements in one launch.
 *
 * A warp has 128 * K contiguous elements, K rows of 128; a lane has four of each row. All kernels scan a tile like that, with shuffles;
 * they differ in who takes which tile, how the elements get into registers, and how a tile finds the sum of all before it.
 */
#ifndef SCAN_TUNING_KERNELS_CUH
#define SCAN_TUNING_KERNELS_CUH

#include <stdint.h>

enum { WARP = 32 };
#define ALL_LANES 0xffffffffu

typedef unsigned long long word_t; // a status in the high half, a value in the low one
enum { EMPTY = 0, AGGREGATE = 1, PREFIX = 2 };

enum {
    TICKET = 1,     // tiles by atomic ticket, not by number of block
    LOAD_PLAIN = 2, // no hint on loads; otherwise .cs
    STORE_PLAIN = 4,
    LOAD_NO_L1 = 8,  // ld.global.nc.L1::no_allocate
    SLEEP = 16,      // nanosleep between two polls
    BULK = 32,       // one cp.async.bulk for each tile; otherwise a cp.async by each lane
    DELAY = 64,      // the sum before a tile is looked for one tile later
    FIRST_OUT = 128, // asynchronous copies tell the L2 cache to drop their lines first
    NO_CHAIN = 256, // each tile for itself: wrong, but what is the most that this way of loading and storing can reach?
};
enum { ROUNDS = 0 }; // in place of the width of the window: no prefixes, all blocks read the sums of all in a round

static __device__ __forceinline__ word_t word_load(const word_t *p) {
    word_t w;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p));
    return w;
}

static __device__ __forceinline__ void word_store(word_t *p, word_t w) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(w));
}

static __device__ __forceinline__ float from_bits(uint32_t u, float) {
    return __uint_as_float(u);
}

static __device__ __forceinline__ int from_bits(uint32_t u, int) {
    return (int)u;
}

static __device__ __forceinline__ uint32_t to_bits(float x) {
    return __float_as_uint(x);
}

static __device__ __forceinline__ uint32_t to_bits(int x) {
    return (uint32_t)x;
}

static __device__ __forceinline__ int status_of(word_t w) {
    return (int)(w >> 32);
}

template <class T> static __device__ __forceinline__ word_t word_of(int status, T x) {
    return (word_t)status << 32 | to_bits(x);
}

template <class T> struct __align__(16) four {
    T e[4];
};

template <class T, int FLAGS> static __device__ __forceinline__ four<T> load4(const T *p) {
    uint4 u;
    if (FLAGS & LOAD_NO_L1) {
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(u.x), "=r"(u.y), "=r"(u.z), "=r"(u.w)
                     : "l"(p));
    } else if (FLAGS & LOAD_PLAIN) {
        u = *(const uint4 *)p;
    } else {
        u = __ldcs((const uint4 *)p);
    }
    return {{from_bits(u.x, T()), from_bits(u.y, T()), from_bits(u.z, T()), from_bits(u.w, T())}};
}

template <class T, int FLAGS> static __device__ __forceinline__ void store4(T *p, four<T> v) {
    uint4 u = make_uint4(to_bits(v.e[0]), to_bits(v.e[1]), to_bits(v.e[2]), to_bits(v.e[3]));
    if (FLAGS & STORE_PLAIN) {
        *(uint4 *)p = u;
    } else {
        __stcs((uint4 *)p, u);
    }
}

/* K rows of a lane, from `p`, its first element of the warp's first row; `left` elements are there from p on. */
template <class T, int K, int FLAGS>
static __device__ __forceinline__ void load_rows(four<T> (&v)[K], const T *p, long long left, bool full) {
    if (full) {
#pragma unroll
        for (int k = 0; k < K; k++) {
            v[k] = load4<T, FLAGS>(p + k * 128);
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < K; k++) {
        for (int e = 0; e < 4; e++) {
            v[k].e[e] = k * 128 + e < left ? p[k * 128 + e] : T(0);
        }
    }
}

template <class T, int K, int FLAGS>
static __device__ __forceinline__ void store_rows(const four<T> (&v)[K], T before, T *p, long long left, bool full) {
#pragma unroll
    for (int k = 0; k < K; k++) {
        four<T> out = {{before + v[k].e[0], before + v[k].e[1], before + v[k].e[2], before + v[k].e[3]}};
        if (full) {
            store4<T, FLAGS>(p + k * 128, out);
        } else {
            for (int e = 0; e < 4; e++) {
                if (k * 128 + e < left) {
                    p[k * 128 + e] = out.e[e];
                }
            }
        }
    }
}

/* In place; returns the sum of the warp's elements. */
template <class T, int K> static __device__ __forceinline__ T scan_rows(four<T> (&v)[K], int lane) {
    T sum[K], total[K], left[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
        v[k].e[1] += v[k].e[0];
        v[k].e[2] += v[k].e[1];
        v[k].e[3] += v[k].e[2];
        sum[k] = v[k].e[3];
    }
#pragma unroll
    for (int step = 1; step < WARP; step *= 2) {
#pragma unroll
        for (int k = 0; k < K; k++) {
            T up = __shfl_up_sync(ALL_LANES, sum[k], step);
            sum[k] += lane >= step ? up : T(0);
        }
    }
#pragma unroll
    for (int k = 0; k < K; k++) {
        total[k] = __shfl_sync(ALL_LANES, sum[k], WARP - 1);
        left[k] = __shfl_up_sync(ALL_LANES, sum[k], 1);
    }
    T before = T(0);
#pragma unroll
    for (int k = 0; k < K; k++) {
        T mine = before + (lane > 0 ? left[k] : T(0));
#pragma unroll
        for (int e = 0; e < 4; e++) {
            v[k].e[e] += mine;
        }
        before += total[k];
    }
    return before;
}

/* What lies before this warp in its block, from the sums of all warps; *total is the block's. */
template <class T, int WARPS>
static __device__ __forceinline__ T scan_warps(const T *totals, int lane, int warp, T *total) {
    T sum = lane < WARPS ? totals[lane] : T(0);
#pragma unroll
    for (int step = 1; step < WARPS; step *= 2) {
        T up = __shfl_up_sync(ALL_LANES, sum, step);
        sum += lane >= step ? up : T(0);
    }
    *total = __shfl_sync(ALL_LANES, sum, WARPS - 1);
    T left = __shfl_sync(ALL_LANES, sum, (warp + WARP - 1) % WARP);
    return warp > 0 ? left : T(0);
}

template <class T> static __device__ __forceinline__ T warp_sum(T x) {
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2) {
        x += __shfl_xor_sync(ALL_LANES, x, step);
    }
    return x;
}

template <int FLAGS> static __device__ __forceinline__ word_t word_wait(const word_t *p, bool exists, word_t w) {
    while (__any_sync(ALL_LANES, status_of(w) == EMPTY)) {
        if (FLAGS & SLEEP) {
            __nanosleep(40);
        }
        if (exists && status_of(w) == EMPTY) {
            w = word_load(p);
        }
    }
    return w;
}

/* The sum of all tiles before `tile`. A warp looks at R * 32 words at once. */
template <class T, int R, int FLAGS>
static __device__ __forceinline__ T look_back(const word_t *words, int tile, int lane) {
    T sum = T(0);
    for (int at = tile - 1 - lane;; at -= R * WARP) {
        word_t w[R > 0 ? R : 1];
#pragma unroll
        for (int j = 0; j < R; j++) {
            w[j] = at - j * WARP >= 0 ? word_load(words + at - j * WARP) : word_of(PREFIX, T(0));
        }
#pragma unroll
        for (int j = 0; j < R; j++) {
            w[j] = word_wait<FLAGS>(words + at - j * WARP, at - j * WARP >= 0, w[j]);
            unsigned full = __ballot_sync(ALL_LANES, status_of(w[j]) == PREFIX);
            T value = from_bits((uint32_t)w[j], T());
            if (full) {
                sum += lane <= __ffs(full) - 1 ? value : T(0);
                return warp_sum(sum);
            }
            sum += value;
        }
    }
}

/* The sum of the blocks before this one in the round whose words begin at `words`; `carry`, of all earlier rounds, moves on. */
template <class T, int FLAGS>
static __device__ __forceinline__ T look_round(const word_t *words, int blocks, int mine, int lane, T *carry) {
    T before = T(0), all = T(0);
    for (int at = lane; at - lane < blocks; at += 8 * WARP) {
        word_t w[8];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            w[j] = at + j * WARP < blocks ? word_load(words + at + j * WARP) : word_of(AGGREGATE, T(0));
        }
#pragma unroll
        for (int j = 0; j < 8; j++) {
            w[j] = word_wait<FLAGS>(words + at + j * WARP, at + j * WARP < blocks, w[j]);
            T value = from_bits((uint32_t)w[j], T());
            before += at + j * WARP < mine ? value : T(0);
            all += value;
        }
    }
    T sum = *carry + warp_sum(before);
    *carry += warp_sum(all);
    return sum;
}

/* Warp 0: what lies before `tile`, whose own sum is `total`. */
template <class T, int R, int FLAGS>
static __device__ __forceinline__ T find_before(word_t *words, int tile, int tiles, T total, int lane, T *carry) {
    if (FLAGS & NO_CHAIN) {
        return T(0);
    }
    if (R == ROUNDS) {
        int blocks = min((int)gridDim.x, tiles - (tile - (int)blockIdx.x));
        return look_round<T, FLAGS>(words + tile - blockIdx.x, blocks, blockIdx.x, lane, carry);
    }
    T before = look_back<T, R, FLAGS>(words, tile, lane);
    if (lane == 0) {
        word_store(words + tile, word_of(PREFIX, before + total));
    }
    return before;
}

// ---------------------------------------------------------------- a block for each tile

template <class T, int THREADS, int K, int R, int FLAGS>
__global__ void __launch_bounds__(THREADS) one_tile(const T *x, T *y, long long n, word_t *words, unsigned *ticket) {
    constexpr int WARPS = THREADS / WARP, TILE = THREADS * 4 * K;
    __shared__ T totals[WARPS], before_all;
    __shared__ int my_tile;
    int t = threadIdx.x, lane = t % WARP, warp = t / WARP, tile = blockIdx.x;
    if (FLAGS & TICKET) {
        if (t == 0) {
            my_tile = (int)atomicAdd(ticket, 1u);
        }
        __syncthreads();
        tile = my_tile;
    }
    long long first = (long long)tile * TILE + warp * 128 * K + lane * 4, left = n - first;
    bool full = (long long)(tile + 1) * TILE <= n;
    four<T> v[K];
    load_rows<T, K, FLAGS>(v, x + first, left, full);
    T sum = scan_rows<T, K>(v, lane), total;
    if (lane == 0) {
        totals[warp] = sum;
    }
    __syncthreads();
    T before = scan_warps<T, WARPS>(totals, lane, warp, &total), carry;
    if (warp == 0) {
        if (lane == 0) {
            word_store(words + tile, word_of(AGGREGATE, total));
        }
        T found = find_before<T, R, FLAGS>(words, tile, gridDim.x, total, lane, &carry);
        if (lane == 0) {
            before_all = found;
        }
    }
    __syncthreads();
    store_rows<T, K, FLAGS>(v, before_all + before, y + first, left, full);
}

// ---------------------------------------------------------------- as many blocks as fit; the next tile in registers

template <class T, int THREADS, int K, int R, int FLAGS>
__global__ void __launch_bounds__(THREADS)
    in_registers(const T *x, T *y, long long n, word_t *words, unsigned *ticket) {
    constexpr int WARPS = THREADS / WARP, TILE = THREADS * 4 * K;
    __shared__ T totals[WARPS], before_all;
    __shared__ int coming;
    int t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    int tiles = (int)((n + TILE - 1) / TILE), tile = blockIdx.x, next = tile + gridDim.x;
    long long mine = warp * 128 * K + lane * 4;
    unsigned drawn = 0;
    T carry = T(0);
    four<T> v[K], w[K];
    if (tile < tiles) {
        long long first = (long long)tile * TILE + mine;
        load_rows<T, K, FLAGS>(w, x + first, n - first, (long long)(tile + 1) * TILE <= n);
    }
    while (tile < tiles) {
#pragma unroll
        for (int k = 0; k < K; k++) {
            v[k] = w[k];
        }
        if (next < tiles) {
            long long first = (long long)next * TILE + mine;
            load_rows<T, K, FLAGS>(w, x + first, n - first, (long long)(next + 1) * TILE <= n);
        }
        if ((FLAGS & TICKET) && t == 0) {
            drawn = atomicAdd(ticket, 1u);
        }
        T sum = scan_rows<T, K>(v, lane), total;
        if (lane == 0) {
            totals[warp] = sum;
        }
        __syncthreads();
        T before = scan_warps<T, WARPS>(totals, lane, warp, &total);
        if (warp == 0) {
            if (lane == 0) {
                word_store(words + tile, word_of(AGGREGATE, total));
            }
            T found = find_before<T, R, FLAGS>(words, tile, tiles, total, lane, &carry);
            if (lane == 0) {
                before_all = found;
                coming = (int)(drawn + 2 * gridDim.x);
            }
        }
        __syncthreads();
        long long first = (long long)tile * TILE + mine;
        store_rows<T, K, FLAGS>(v, before_all + before, y + first, n - first, (long long)(tile + 1) * TILE <= n);
        tile = next;
        next = FLAGS & TICKET ? coming : next + (int)gridDim.x;
    }
}

// ---------------------------------------------------------------- as many blocks as fit; the next tiles in shared memory

static __device__ __forceinline__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ uint64_t policy_first_out() {
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

template <int FLAGS>
static __device__ __forceinline__ void bulk_load(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    if (FLAGS & FIRST_OUT) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
                     "[%3], %4;" ::"r"(to),
                     "l"(from), "r"(bytes), "r"(barrier), "l"(policy_first_out())
                     : "memory");
        return;
    }
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void bulk_wait(uint32_t barrier, int parity) {
    uint32_t done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

/* STAGES tiles are in shared memory or on their way there; each lane reads what it has itself asked for, or, with BULK, thread WARP has.
 */
template <class T, int THREADS, int K, int STAGES, int FLAGS>
static __device__ __forceinline__ void stage_request(T *stage, const T *x, long long n, int tile, int tiles,
                                                     uint64_t *barrier) {
    constexpr int TILE = THREADS * 4 * K;
    int t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    bool full = tile < tiles && (long long)(tile + 1) * TILE <= n;
    if (FLAGS & BULK) {
        if (full && t == WARP) {
            bulk_load<FLAGS>(shared_address(stage), x + (long long)tile * TILE, TILE * sizeof(T),
                             shared_address(barrier));
        }
        return;
    }
    if (full) {
        int mine = warp * 128 * K + lane * 4;
        const T *from = x + (long long)tile * TILE + mine;
#pragma unroll
        for (int k = 0; k < K; k++) {
            if (FLAGS & FIRST_OUT) {
                asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                                 shared_address(stage + mine + k * 128)),
                             "l"(from + k * 128), "l"(policy_first_out())
                             : "memory");
                continue;
            }
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(stage + mine + k * 128)),
                         "l"(from + k * 128)
                         : "memory");
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <class T, int THREADS, int K, int STAGES, int FLAGS>
static __device__ __forceinline__ void stage_read(four<T> (&v)[K], const T *stage, const T *x, long long n, int tile,
                                                  uint64_t *barrier, int parity) {
    constexpr int TILE = THREADS * 4 * K;
    int t = threadIdx.x, lane = t % WARP, warp = t / WARP, mine = warp * 128 * K + lane * 4;
    if ((long long)(tile + 1) * TILE > n) {
        long long first = (long long)tile * TILE + mine;
        load_rows<T, K, FLAGS>(v, x + first, n - first, false);
        return;
    }
    if (FLAGS & BULK) {
        bulk_wait(shared_address(barrier), parity);
    } else {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    }
#pragma unroll
    for (int k = 0; k < K; k++) {
        v[k] = *(const four<T> *)__builtin_assume_aligned(stage + mine + k * 128, 16);
    }
}

template <class T, int THREADS, int K, int R, int STAGES, int FLAGS>
__global__ void __launch_bounds__(THREADS) in_shared(const T *x, T *y, long long n, word_t *words, unsigned *ticket) {
    constexpr int WARPS = THREADS / WARP, TILE = THREADS * 4 * K;
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ T totals[WARPS], before_all;
    __shared__ int tile_of[STAGES];
    __shared__ uint64_t barriers[STAGES];
    T *stages = (T *)shared;
    int t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    int tiles = (int)((n + TILE - 1) / TILE);
    long long mine = warp * 128 * K + lane * 4;
    unsigned drawn = 0;
    if (t == WARP && (FLAGS & BULK)) {
        for (int s = 0; s < STAGES; s++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barriers[s])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (t < STAGES) {
        tile_of[t] = blockIdx.x + t * gridDim.x;
    }
    __syncthreads();
    for (int s = 0; s < STAGES; s++) {
        stage_request<T, THREADS, K, STAGES, FLAGS>(stages + s * TILE, x, n, tile_of[s], tiles, &barriers[s]);
    }
    four<T> v[K], held[K]; // held: of the tile before, with DELAY
    int held_tile = -1, s = 0, parity = 0;
    T held_before = T(0), held_total = T(0), carry = T(0);
    for (;;) {
        int tile = tile_of[s];
        bool here = tile < tiles;
        if (!here && (!(FLAGS & DELAY) || held_tile < 0)) {
            return;
        }
        T before = T(0), total = T(0);
        if (here) {
            if ((FLAGS & TICKET) && t == 0) {
                drawn = atomicAdd(ticket, 1u);
            }
            stage_read<T, THREADS, K, STAGES, FLAGS>(v, stages + s * TILE, x, n, tile, &barriers[s], parity);
            T sum = scan_rows<T, K>(v, lane);
            if (lane == 0) {
                totals[warp] = sum;
            }
        }
        __syncthreads(); // the sums are there, and everybody has read the stage and its tile's number
        int next = FLAGS & TICKET ? 0 : tile_of[(s + STAGES - 1) % STAGES] + (int)gridDim.x;
        if (here) {
            before = scan_warps<T, WARPS>(totals, lane, warp, &total);
        }
        if (warp == 0) {
            if (here && lane == 0) {
                word_store(words + tile, word_of(AGGREGATE, total));
            }
            if (FLAGS & TICKET) {
                next = (int)(__shfl_sync(ALL_LANES, drawn, 0) + STAGES * gridDim.x);
            }
            if (lane == 0) {
                tile_of[s] = here ? next : tiles;
            }
        }
        if (!(FLAGS & TICKET)) {
            stage_request<T, THREADS, K, STAGES, FLAGS>(stages + s * TILE, x, n, next, tiles, &barriers[s]);
        }
        int wanted = FLAGS & DELAY ? held_tile : tile;
        if (warp == 0 && wanted >= 0) {
            T found = find_before<T, R, FLAGS>(words, wanted, tiles, FLAGS & DELAY ? held_total : total, lane, &carry);
            if (lane == 0) {
                before_all = found;
            }
        }
        __syncthreads();
        if (FLAGS & TICKET) {
            stage_request<T, THREADS, K, STAGES, FLAGS>(stages + s * TILE, x, n, tile_of[s], tiles, &barriers[s]);
        }
        if (wanted >= 0) {
            long long first = (long long)wanted * TILE + mine;
            bool full = (long long)(wanted + 1) * TILE <= n;
            if (FLAGS & DELAY) {
                store_rows<T, K, FLAGS>(held, before_all + held_before, y + first, n - first, full);
            } else {
                store_rows<T, K, FLAGS>(v, before_all + before, y + first, n - first, full);
            }
        }
        if (!here) {
            return;
        }
        if (FLAGS & DELAY) {
#pragma unroll
            for (int k = 0; k < K; k++) {
                held[k] = v[k];
            }
            held_tile = tile;
            held_before = before;
            held_total = total;
        }
        s = s + 1 == STAGES ? 0 : s + 1;
        parity ^= s == 0;
    }
}

#endif
