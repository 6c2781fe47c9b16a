/* kernels.cuh - softmax in many ways, for sweep.cu: every row x[cols] -> y[cols], float or bfloat16.
 *
 * Template parameters: T the type of an element, W how many of them a load takes (16 bytes, or one element), N how many loads a
 * thread has of its row, THREADS the threads of a block. HINTS: 1 loads with __ldcs, 2 stores with __stcs.
 */
#ifndef LESSONS_LESSON12_TUNING_KERNELS_CUH
#define LESSONS_LESSON12_TUNING_KERNELS_CUH

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <stdint.h>

enum { WARP = 32 };
enum { LOAD_CS = 1, STORE_CS = 2 };
#define ALL_LANES 0xffffffffu

// ---------------------------------------------------------------- vectors

template <int BYTES> struct raw_of;
template <> struct raw_of<16> { typedef uint4 type; };
template <> struct raw_of<8> { typedef uint2 type; };
template <> struct raw_of<4> { typedef unsigned type; };
template <> struct raw_of<2> { typedef unsigned short type; };

template <class T, int W> union pack {
    typename raw_of<sizeof(T) * W>::type raw;
    T e[W];
    __device__ pack() {}
};

static __device__ float to_float(float x) {
    return x;
}
static __device__ float to_float(__nv_bfloat16 x) {
    return __bfloat162float(x);
}
template <class T> static __device__ T from_float(float x);
template <> __device__ float from_float<float>(float x) {
    return x;
}
template <> __device__ __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
    return __float2bfloat16_rn(x);
}

template <class T, int W, int HINTS> static __device__ void load(const T *p, float *v) {
    typedef typename raw_of<sizeof(T) * W>::type raw;
    pack<T, W> a;
    a.raw = HINTS & LOAD_CS ? __ldcs((const raw *)p) : *(const raw *)p;
#pragma unroll
    for (int k = 0; k < W; k++) {
        v[k] = to_float(a.e[k]);
    }
}

template <class T, int W, int HINTS> static __device__ void store(T *p, const float *v, float factor) {
    typedef typename raw_of<sizeof(T) * W>::type raw;
    pack<T, W> a;
#pragma unroll
    for (int k = 0; k < W; k++) {
        a.e[k] = from_float<T>(v[k] * factor);
    }
    if (HINTS & STORE_CS) {
        __stcs((raw *)p, a.raw);
    } else {
        __stwb((raw *)p, a.raw); // a plain store; but the compiler makes single words of one that it understands
    }
}

// ---------------------------------------------------------------- pairs: a largest element, and a sum of exp(x - largest)

struct pair {
    float m, s;
};

/* exp(m - largest), and 0 where there was nothing: -inf - -inf is NaN. */
static __device__ float scale_of(float m, float largest) {
    return m == -INFINITY ? 0.0f : __expf(m - largest);
}

static __device__ pair join(pair a, pair b) {
    float m = fmaxf(a.m, b.m);
    return {m, a.s * scale_of(a.m, m) + b.s * scale_of(b.m, m)};
}

template <int LANES> static __device__ float team_max(float v) {
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) {
        v = fmaxf(v, __shfl_xor_sync(ALL_LANES, v, step));
    }
    return v;
}

template <int LANES> static __device__ float team_sum(float v) {
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) {
        v += __shfl_xor_sync(ALL_LANES, v, step);
    }
    return v;
}

template <int LANES> static __device__ pair team_join(pair p) {
    float m = team_max<LANES>(p.m);
    return {m, team_sum<LANES>(p.s * scale_of(p.m, m))};
}

template <int THREADS, class F> static __device__ float block_all(float v, float nothing, float *words, F reduce) {
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    v = reduce(v);
    if (lane == 0) {
        words[warp] = v;
    }
    __syncthreads();
    return reduce(lane < THREADS / WARP ? words[lane] : nothing);
}

// ---------------------------------------------------------------- the row is read again and again

/* PASSES 3: largest, sum, result. PASSES 2: largest and sum in one. */
template <class T, int W, int THREADS, int PASSES, int UNROLL>
static __global__ __launch_bounds__(THREADS) void again_kernel(const T *x, T *y, int rows, int cols) {
    __shared__ float words[2][WARP];
    size_t first = (size_t)blockIdx.x * cols;
    float m = -INFINITY, s = 0.0f, v[W];
    if (PASSES == 3) {
#pragma unroll UNROLL
        for (int c = threadIdx.x * W; c < cols; c += THREADS * W) {
            load<T, W, 0>(x + first + c, v);
#pragma unroll
            for (int k = 0; k < W; k++) {
                m = fmaxf(m, v[k]);
            }
        }
        m = block_all<THREADS>(m, -INFINITY, words[0], team_max<WARP>);
#pragma unroll UNROLL
        for (int c = threadIdx.x * W; c < cols; c += THREADS * W) {
            load<T, W, 0>(x + first + c, v);
#pragma unroll
            for (int k = 0; k < W; k++) {
                s += __expf(v[k] - m);
            }
        }
        s = block_all<THREADS>(s, 0.0f, words[1], team_sum<WARP>);
    } else {
#pragma unroll UNROLL
        for (int c = threadIdx.x * W; c < cols; c += THREADS * W) {
            load<T, W, 0>(x + first + c, v);
            float larger = m;
#pragma unroll
            for (int k = 0; k < W; k++) {
                larger = fmaxf(larger, v[k]);
            }
            float sum = 0.0f, safe = larger == -INFINITY ? 0.0f : larger;
#pragma unroll
            for (int k = 0; k < W; k++) {
                sum += __expf(v[k] - safe);
            }
            s = s * __expf(m - safe) + sum;
            m = larger;
        }
        float mine = m;
        m = block_all<THREADS>(m, -INFINITY, words[0], team_max<WARP>);
        s = block_all<THREADS>(s * scale_of(mine, m), 0.0f, words[1], team_sum<WARP>);
    }
    float factor = 1.0f / s;
#pragma unroll UNROLL
    for (int c = threadIdx.x * W; c < cols; c += THREADS * W) {
        load<T, W, LOAD_CS>(x + first + c, v);
#pragma unroll
        for (int k = 0; k < W; k++) {
            v[k] = __expf(v[k] - m);
        }
        store<T, W, STORE_CS>(y + first + c, v, factor);
    }
}

// ---------------------------------------------------------------- the row in registers, a block for each row

/* MODE 2: the largest, a barrier, the sum, a barrier. MODE 1: each warp's pair, one barrier. MODE 3: as 2, with expf. */
template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS, int MODE>
static __global__ __launch_bounds__(THREADS, BLOCKS) void block_kernel(const T *x, T *y, int rows, int cols) {
    __shared__ float largest[WARP], sums[WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    size_t first = (size_t)blockIdx.x * cols;
    float v[N][W];
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = (i * THREADS + threadIdx.x) * W;
        if (c < cols) {
            load<T, W, HINTS>(x + first + c, v[i]);
        } else {
#pragma unroll
            for (int k = 0; k < W; k++) {
                v[i][k] = -INFINITY;
            }
        }
    }
    float m = -INFINITY, s = 0.0f;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            m = fmaxf(m, v[i][k]);
        }
    }
    m = team_max<WARP>(m);
    if (MODE >= 2) {
        if (lane == 0) {
            largest[warp] = m;
        }
        __syncthreads();
        m = team_max<WARP>(lane < THREADS / WARP ? largest[lane] : -INFINITY);
    }
    float safe = m == -INFINITY ? 0.0f : m;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            v[i][k] = MODE == 3 ? expf(v[i][k] - safe) : __expf(v[i][k] - safe);
            s += v[i][k];
        }
    }
    s = team_sum<WARP>(s);
    float factor;
    if (MODE >= 2) {
        if (lane == 0) {
            sums[warp] = s;
        }
        __syncthreads();
        s = team_sum<WARP>(lane < THREADS / WARP ? sums[lane] : 0.0f);
        factor = 1.0f / s;
    } else {
        if (lane == 0) {
            largest[warp] = m;
            sums[warp] = s;
        }
        __syncthreads();
        pair p = {-INFINITY, 0.0f};
        if (lane < THREADS / WARP) {
            p = {largest[lane], sums[lane]};
        }
        p = team_join<WARP>(p);
        factor = scale_of(m, p.m) / p.s;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = (i * THREADS + threadIdx.x) * W;
        if (c < cols) {
            store<T, W, HINTS>(y + first + c, v[i], factor);
        }
    }
}

/* Blocks that stay: while a row is worked on, the next one is on its way into other registers. */
template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS>
static __global__ __launch_bounds__(THREADS, BLOCKS) void stay_kernel(const T *x, T *y, int rows, int cols) {
    __shared__ float largest[2][WARP], sums[2][WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    float v[N][W], next[N][W];
    int r = blockIdx.x, turn = 0;
    auto fetch = [&](int row) {
#pragma unroll
        for (int i = 0; i < N; i++) {
            int c = (i * THREADS + threadIdx.x) * W;
            if (c < cols) {
                load<T, W, HINTS>(x + (size_t)row * cols + c, next[i]);
            } else {
#pragma unroll
                for (int k = 0; k < W; k++) {
                    next[i][k] = -INFINITY;
                }
            }
        }
    };
    fetch(r);
    for (; r < rows; r += gridDim.x, turn ^= 1) {
#pragma unroll
        for (int i = 0; i < N; i++) {
#pragma unroll
            for (int k = 0; k < W; k++) {
                v[i][k] = next[i][k];
            }
        }
        if (r + gridDim.x < rows) {
            fetch(r + gridDim.x);
        }
        float m = -INFINITY, s = 0.0f;
#pragma unroll
        for (int i = 0; i < N; i++) {
#pragma unroll
            for (int k = 0; k < W; k++) {
                m = fmaxf(m, v[i][k]);
            }
        }
        m = team_max<WARP>(m);
        float safe = m == -INFINITY ? 0.0f : m;
#pragma unroll
        for (int i = 0; i < N; i++) {
#pragma unroll
            for (int k = 0; k < W; k++) {
                v[i][k] = __expf(v[i][k] - safe);
                s += v[i][k];
            }
        }
        s = team_sum<WARP>(s);
        if (lane == 0) {
            largest[turn][warp] = m;
            sums[turn][warp] = s;
        }
        __syncthreads();
        pair p = {-INFINITY, 0.0f};
        if (lane < THREADS / WARP) {
            p = {largest[turn][lane], sums[turn][lane]};
        }
        p = team_join<WARP>(p);
        float factor = scale_of(m, p.m) / p.s;
#pragma unroll
        for (int i = 0; i < N; i++) {
            int c = (i * THREADS + threadIdx.x) * W;
            if (c < cols) {
                store<T, W, HINTS>(y + (size_t)r * cols + c, v[i], factor);
            }
        }
    }
}

// ---------------------------------------------------------------- a warp or less for each row

/* LANES threads for a row, ROWS rows for them at once: all loads first. LOOP: a grid that stays. */
template <class T, int W, int N, int LANES, int ROWS, int THREADS, int HINTS>
static __global__ __launch_bounds__(THREADS) void warp_kernel(const T *x, T *y, int rows, int cols) {
    const int teams = THREADS / LANES, lane = threadIdx.x % LANES, team = threadIdx.x / LANES;
    int r0 = blockIdx.x * teams * ROWS + team;
    float v[ROWS][N][W];
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        int r = r0 + j * teams;
#pragma unroll
        for (int i = 0; i < N; i++) {
            int c = (i * LANES + lane) * W;
            if (r < rows && c < cols) {
                load<T, W, HINTS>(x + (size_t)r * cols + c, v[j][i]);
            } else {
#pragma unroll
                for (int k = 0; k < W; k++) {
                    v[j][i][k] = -INFINITY;
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        int r = r0 + j * teams;
        float m = -INFINITY, s = 0.0f;
#pragma unroll
        for (int i = 0; i < N; i++) {
#pragma unroll
            for (int k = 0; k < W; k++) {
                m = fmaxf(m, v[j][i][k]);
            }
        }
        m = team_max<LANES>(m);
#pragma unroll
        for (int i = 0; i < N; i++) {
#pragma unroll
            for (int k = 0; k < W; k++) {
                v[j][i][k] = __expf(v[j][i][k] - m);
                s += v[j][i][k];
            }
        }
        s = team_sum<LANES>(s);
        float factor = 1.0f / s;
#pragma unroll
        for (int i = 0; i < N; i++) {
            int c = (i * LANES + lane) * W;
            if (r < rows && c < cols) {
                store<T, W, HINTS>(y + (size_t)r * cols + c, v[j][i], factor);
            }
        }
    }
}

// ---------------------------------------------------------------- several blocks for each row

/* How the blocks of a row tell each other. In INDEX and TICKET a block has N * THREADS * W elements of its row in registers. */
enum exchange { INDEX, TICKET, MEMSET, CLUSTER };

static __device__ unsigned long long word_of(pair p) {
    return (unsigned long long)__float_as_uint(p.m) << 32 | __float_as_uint(p.s);
}

static __device__ pair pair_of(unsigned long long word) {
    return {__uint_as_float((unsigned)(word >> 32)), __uint_as_float((unsigned)word)};
}

/* K blocks share a row; words: K * K of each row, all 0 before and after; MEMSET: K of each row, 0 before. No pair is 0: its sum is at
 * least 1, or its largest is -inf, or it is NaN. */
template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS, int EXCHANGE>
static __global__ __launch_bounds__(THREADS, BLOCKS) void share_kernel(const T *x, T *y, int rows, int cols, int K,
                                                                       volatile unsigned long long *words,
                                                                       unsigned *ticket) {
    __shared__ float largest[WARP], sums[WARP];
    __shared__ pair whole;
    __shared__ unsigned number;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned mine = blockIdx.x;
    if (EXCHANGE == TICKET) {
        if (threadIdx.x == 0) {
            number = atomicInc(ticket, gridDim.x - 1);
        }
        __syncthreads();
        mine = number;
    }
    int r = mine / K, part = mine % K, c0 = part * (N * THREADS * W);
    size_t first = (size_t)r * cols;
    float v[N][W];
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = c0 + (i * THREADS + threadIdx.x) * W;
        if (c < cols) {
            load<T, W, HINTS>(x + first + c, v[i]);
        } else {
#pragma unroll
            for (int k = 0; k < W; k++) {
                v[i][k] = -INFINITY;
            }
        }
    }
    float m = -INFINITY, s = 0.0f;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            m = fmaxf(m, v[i][k]);
        }
    }
    m = team_max<WARP>(m);
    float safe = m == -INFINITY ? 0.0f : m;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            v[i][k] = __expf(v[i][k] - safe);
            s += v[i][k];
        }
    }
    s = team_sum<WARP>(s);
    if (lane == 0) {
        largest[warp] = m;
        sums[warp] = s;
    }
    __syncthreads();
    if (warp == 0) {
        pair p = {-INFINITY, 0.0f};
        if (lane < THREADS / WARP) {
            p = {largest[lane], sums[lane]};
        }
        p = team_join<WARP>(p);
        unsigned long long word = word_of(p);
        if (lane < K) {
            if (EXCHANGE == MEMSET) {
                if (lane == part) {
                    words[(size_t)r * K + part] = word;
                }
                while ((word = words[(size_t)r * K + lane]) == 0) {
                }
            } else {
                volatile unsigned long long *row = words + (size_t)r * K * K;
                row[lane * K + part] = word; // for the block of each part
                volatile unsigned long long *from = &row[part * K + lane];
                while ((word = *from) == 0) {
                }
                *from = 0;
            }
        }
        p = pair_of(word);
        if (lane >= K) {
            p = {-INFINITY, 0.0f};
        }
        p = team_join<WARP>(p);
        if (lane == 0) {
            whole = p;
        }
    }
    __syncthreads();
    float factor = scale_of(m, whole.m) / whole.s;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = c0 + (i * THREADS + threadIdx.x) * W;
        if (c < cols) {
            store<T, W, HINTS>(y + first + c, v[i], factor);
        }
    }
}

/* The same in a cluster of K blocks: they write their pairs into each other's shared memory. */
template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS>
static __global__ __launch_bounds__(THREADS, BLOCKS) void cluster_kernel(const T *x, T *y, int rows, int cols, int K) {
#if __CUDA_ARCH__ >= 900
    namespace cg = cooperative_groups;
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ float largest[WARP], sums[WARP];
    __shared__ pair parts[WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int r = blockIdx.x / K, part = blockIdx.x % K, c0 = part * (N * THREADS * W);
    size_t first = (size_t)r * cols;
    float v[N][W];
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = c0 + (i * THREADS + threadIdx.x) * W;
        if (c < cols) {
            load<T, W, HINTS>(x + first + c, v[i]);
        } else {
#pragma unroll
            for (int k = 0; k < W; k++) {
                v[i][k] = -INFINITY;
            }
        }
    }
    float m = -INFINITY, s = 0.0f;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            m = fmaxf(m, v[i][k]);
        }
    }
    m = team_max<WARP>(m);
    float safe = m == -INFINITY ? 0.0f : m;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            v[i][k] = __expf(v[i][k] - safe);
            s += v[i][k];
        }
    }
    s = team_sum<WARP>(s);
    if (lane == 0) {
        largest[warp] = m;
        sums[warp] = s;
    }
    __syncthreads();
    if (warp == 0) {
        pair p = {-INFINITY, 0.0f};
        if (lane < THREADS / WARP) {
            p = {largest[lane], sums[lane]};
        }
        p = team_join<WARP>(p);
        if (lane < K) {
            *cluster.map_shared_rank(&parts[part], lane) = p;
        }
    }
    cluster.sync();
    pair p = {-INFINITY, 0.0f};
    if (lane < K) {
        p = parts[lane];
    }
    p = team_join<WARP>(p);
    float factor = scale_of(m, p.m) / p.s;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = c0 + (i * THREADS + threadIdx.x) * W;
        if (c < cols) {
            store<T, W, HINTS>(y + first + c, v[i], factor);
        }
    }
#endif
}

/* Several blocks for each row, and nothing is kept: the second read is to come from L2, so few rows may be under way. BACK: in the
 * opposite order. */
template <class T, int W, int THREADS, int BLOCKS, int UNROLL, bool BACK>
static __global__ __launch_bounds__(THREADS, BLOCKS) void reread_kernel(const T *x, T *y, int rows, int cols, int K,
                                                                        volatile unsigned long long *words) {
    __shared__ float largest[WARP], sums[WARP];
    __shared__ pair whole;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int r = blockIdx.x / K, part = blockIdx.x % K, each = cols / K; // the sweep's shapes are multiples
    const T *from = x + (size_t)r * cols + part * each;
    T *to = y + (size_t)r * cols + part * each;
    float m = -INFINITY, s = 0.0f;
    for (int c0 = 0; c0 < each; c0 += THREADS * W * UNROLL) {
        float v[UNROLL][W], larger = m;
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            int c = c0 + (i * THREADS + threadIdx.x) * W;
            if (c < each) {
                load<T, W, 0>(from + c, v[i]);
            } else {
#pragma unroll
                for (int k = 0; k < W; k++) {
                    v[i][k] = -INFINITY;
                }
            }
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
#pragma unroll
            for (int k = 0; k < W; k++) {
                larger = fmaxf(larger, v[i][k]);
            }
        }
        float sum = 0.0f, safe = larger == -INFINITY ? 0.0f : larger;
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
#pragma unroll
            for (int k = 0; k < W; k++) {
                sum += __expf(v[i][k] - safe);
            }
        }
        s = s * __expf(m - safe) + sum;
        m = larger;
    }
    pair p = team_join<WARP>({m, s});
    if (lane == 0) {
        largest[warp] = p.m;
        sums[warp] = p.s;
    }
    __syncthreads();
    if (warp == 0) {
        p = {-INFINITY, 0.0f};
        if (lane < THREADS / WARP) {
            p = {largest[lane], sums[lane]};
        }
        p = team_join<WARP>(p);
        unsigned long long word = word_of(p);
        if (lane < K) {
            volatile unsigned long long *row = words + (size_t)r * K * K;
            row[lane * K + part] = word;
            volatile unsigned long long *other = &row[part * K + lane];
            while ((word = *other) == 0) {
            }
            *other = 0;
            p = pair_of(word);
        } else {
            p = {-INFINITY, 0.0f};
        }
        p = team_join<WARP>(p);
        if (lane == 0) {
            whole = p;
        }
    }
    __syncthreads();
    m = whole.m;
    float factor = 1.0f / whole.s;
    int steps = (each + THREADS * W * UNROLL - 1) / (THREADS * W * UNROLL);
    for (int step = 0; step < steps; step++) {
        int c0 = (BACK ? steps - 1 - step : step) * (THREADS * W * UNROLL);
        float v[UNROLL][W];
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            int c = c0 + (i * THREADS + threadIdx.x) * W;
            if (c < each) {
                load<T, W, LOAD_CS>(from + c, v[i]);
            }
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            int c = c0 + (i * THREADS + threadIdx.x) * W;
            if (c < each) {
#pragma unroll
                for (int k = 0; k < W; k++) {
                    v[i][k] = __expf(v[i][k] - m);
                }
                store<T, W, STORE_CS>(to + c, v[i], factor);
            }
        }
    }
}

// ---------------------------------------------------------------- any address: vectors that are aligned, whatever the row is

/* A row may begin anywhere. The block takes it from the multiple of 16 bytes before its beginning, and leaves out of the first and last
 * vector what is not the row's. K 1: a block for each row; else several, which exchange as in share_kernel. */
template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS>
static __global__ __launch_bounds__(THREADS, BLOCKS) void shifted_kernel(const T *x, T *y, int rows, int cols, int K,
                                                                         volatile unsigned long long *words) {
    __shared__ float largest[WARP], sums[WARP];
    __shared__ pair whole;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int r = blockIdx.x / K, part = blockIdx.x % K;
    size_t first = (size_t)r * cols;
    int up = first % W, c0 = part * (N * THREADS * W) - up;
    bool last_row = r == rows - 1;
    float v[N][W];
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = c0 + (i * THREADS + threadIdx.x) * W;
        if (c + W <= cols || (c < cols && !last_row)) {
            load<T, W, HINTS>(x + first + c, v[i]);
        } else {
#pragma unroll
            for (int k = 0; k < W; k++) {
                v[i][k] = c + k < cols ? to_float(x[first + c + k]) : -INFINITY;
            }
        }
        if (c < 0 || c + W > cols) {
#pragma unroll
            for (int k = 0; k < W; k++) {
                v[i][k] = c + k >= 0 && c + k < cols ? v[i][k] : -INFINITY;
            }
        }
    }
    float m = -INFINITY, s = 0.0f;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            m = fmaxf(m, v[i][k]);
        }
    }
    m = team_max<WARP>(m);
    float safe = m == -INFINITY ? 0.0f : m;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            v[i][k] = __expf(v[i][k] - safe);
            s += v[i][k];
        }
    }
    s = team_sum<WARP>(s);
    if (lane == 0) {
        largest[warp] = m;
        sums[warp] = s;
    }
    __syncthreads();
    if (warp == 0) {
        pair p = {-INFINITY, 0.0f};
        if (lane < THREADS / WARP) {
            p = {largest[lane], sums[lane]};
        }
        p = team_join<WARP>(p);
        if (K > 1) {
            unsigned long long word = word_of(p);
            p = {-INFINITY, 0.0f};
            if (lane < K) {
                volatile unsigned long long *row = words + (size_t)r * K * K;
                row[lane * K + part] = word;
                volatile unsigned long long *other = &row[part * K + lane];
                while ((word = *other) == 0) {
                }
                *other = 0;
                p = pair_of(word);
            }
            p = team_join<WARP>(p);
        }
        if (lane == 0) {
            whole = p;
        }
    }
    __syncthreads();
    float factor = scale_of(m, whole.m) / whole.s;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = c0 + (i * THREADS + threadIdx.x) * W;
        if (c >= 0 && c + W <= cols) {
            store<T, W, HINTS>(y + first + c, v[i], factor);
        } else {
#pragma unroll
            for (int k = 0; k < W; k++) {
                if (c + k >= 0 && c + k < cols) {
                    y[first + c + k] = from_float<T>(v[i][k] * factor);
                }
            }
        }
    }
}

// ---------------------------------------------------------------- masked: of row r only columns 0 ... r % span

/* ZEROS by the same block; what is masked is not read. */
template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS>
static __global__ __launch_bounds__(THREADS, BLOCKS) void causal_kernel(const T *x, T *y, int rows, int cols,
                                                                        int down) {
    __shared__ float largest[WARP], sums[WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int r = down ? rows - 1 - blockIdx.x : blockIdx.x, length = r % cols + 1;
    size_t first = (size_t)r * cols;
    float v[N][W];
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = (i * THREADS + threadIdx.x) * W;
        if (c < length) {
            load<T, W, HINTS>(x + first + c, v[i]);
        }
#pragma unroll
        for (int k = 0; k < W; k++) {
            v[i][k] = c + k < length ? v[i][k] : -INFINITY;
        }
    }
    float m = -INFINITY, s = 0.0f;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            m = fmaxf(m, v[i][k]);
        }
    }
    m = team_max<WARP>(m);
    float safe = m == -INFINITY ? 0.0f : m;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int k = 0; k < W; k++) {
            v[i][k] = __expf(v[i][k] - safe);
            s += v[i][k];
        }
    }
    s = team_sum<WARP>(s);
    if (lane == 0) {
        largest[warp] = m;
        sums[warp] = s;
    }
    __syncthreads();
    pair p = {-INFINITY, 0.0f};
    if (lane < THREADS / WARP) {
        p = {largest[lane], sums[lane]};
    }
    p = team_join<WARP>(p);
    float factor = scale_of(m, p.m) / p.s;
#pragma unroll
    for (int i = 0; i < N; i++) {
        int c = (i * THREADS + threadIdx.x) * W;
        if (c < cols) {
            store<T, W, HINTS>(y + first + c, v[i], factor);
        }
    }
}

// ---------------------------------------------------------------- long rows, in registers and in shared memory

/* A vector of the row that begins at `row`, from column c, as it is in memory; what lies outside is -INFINITY. */
template <class T> static __device__ uint4 take(const T *row, int c, int cols) {
    const int W = 16 / sizeof(T);
    pack<T, W> a;
    if (c >= 0 && c + W <= cols) {
        return *(const uint4 *)(row + c);
    }
#pragma unroll
    for (int k = 0; k < W; k++) {
        a.e[k] = c + k >= 0 && c + k < cols ? row[c + k] : from_float<T>(-INFINITY);
    }
    return a.raw;
}

template <class T> static __device__ float max_of(uint4 raw, float m) {
    const int W = 16 / sizeof(T);
    pack<T, W> a;
    a.raw = raw;
#pragma unroll
    for (int k = 0; k < W; k++) {
        m = fmaxf(m, to_float(a.e[k]));
    }
    return m;
}

/* ONCE: the exp takes the element's place. */
template <class T, bool ONCE> static __device__ float exp_of(uint4 &raw, float m) {
    const int W = 16 / sizeof(T);
    pack<T, W> a;
    float s = 0.0f;
    a.raw = raw;
#pragma unroll
    for (int k = 0; k < W; k++) {
        float e = __expf(to_float(a.e[k]) - m);
        s += e;
        if (ONCE) {
            a.e[k] = from_float<T>(e);
        }
    }
    raw = a.raw;
    return s;
}

template <class T, bool ONCE> static __device__ void put(uint4 raw, float m, float factor, T *row, int c, int cols) {
    const int W = 16 / sizeof(T);
    pack<T, W> a;
    a.raw = raw;
#pragma unroll
    for (int k = 0; k < W; k++) {
        float e = to_float(a.e[k]);
        a.e[k] = from_float<T>((ONCE ? e : __expf(e - m)) * factor);
    }
    if (c >= 0 && c + W <= cols) {
        __stwb((uint4 *)(row + c), a.raw);
    } else {
#pragma unroll
        for (int k = 0; k < W; k++) {
            if (c + k >= 0 && c + k < cols) {
                row[c + k] = a.e[k];
            }
        }
    }
}

/* Of its part of a row a block keeps R vectors for each thread in registers and S in shared memory. CLEARED: a block for each part,
 * words cleared before the launch. TEAMS: a cooperative launch of blocks that stay, K for each row at a time; AHEAD: as soon as a place
 * in shared memory is free, the next row's vector is on its way there. */
enum how { CLEARED, TEAMS, AHEAD };

template <class T, int R, int S, int THREADS, int BLOCKS, int HOW, bool ONCE>
static __global__ __launch_bounds__(THREADS, BLOCKS) void keep_kernel(const T *x, T *y, int rows, int cols, int K,
                                                                      volatile unsigned long long *words) {
    extern __shared__ uint4 kept[];
    __shared__ float largest[WARP], sums[WARP];
    __shared__ pair whole;
    const int W = 16 / sizeof(T), lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int part = blockIdx.x % K, teams = HOW == CLEARED ? rows : gridDim.x / K, turn = 0;
    auto column = [&](int r, int i) {
        return (part * (R + S) + i) * THREADS * W + (int)threadIdx.x * W - (int)((size_t)r * cols % W);
    };
    auto fetch = [&](int r, int s) {
        const T *row = x + (size_t)r * cols;
        int c = column(r, R + s);
        uint4 *place = &kept[s * THREADS + threadIdx.x];
        if (c >= 0 && c + W <= cols) {
            __pipeline_memcpy_async(place, row + c, 16);
        } else {
            *place = take(row, c, cols);
        }
    };
    int r = blockIdx.x / K;
    if (HOW == AHEAD && r < rows) {
#pragma unroll
        for (int s = 0; s < S; s++) {
            fetch(r, s);
        }
        __pipeline_commit();
    }
    for (; r < rows; r += teams, turn ^= 1) {
        const T *row = x + (size_t)r * cols;
        T *to = y + (size_t)r * cols;
        uint4 v[R > 0 ? R : 1];
        if (HOW != AHEAD) {
#pragma unroll
            for (int s = 0; s < S; s++) {
                fetch(r, s);
            }
            __pipeline_commit();
        }
#pragma unroll
        for (int i = 0; i < R; i++) {
            v[i] = take(row, column(r, i), cols);
        }
        float m = -INFINITY, sum = 0.0f;
#pragma unroll
        for (int i = 0; i < R; i++) {
            m = max_of<T>(v[i], m);
        }
        __pipeline_wait_prior(0);
#pragma unroll
        for (int s = 0; s < S; s++) {
            m = max_of<T>(kept[s * THREADS + threadIdx.x], m);
        }
        m = team_max<WARP>(m);
        float safe = m == -INFINITY ? 0.0f : m;
#pragma unroll
        for (int i = 0; i < R; i++) {
            sum += exp_of<T, ONCE>(v[i], safe);
        }
#pragma unroll
        for (int s = 0; s < S; s++) {
            uint4 raw = kept[s * THREADS + threadIdx.x];
            sum += exp_of<T, ONCE>(raw, safe);
            if (ONCE) {
                kept[s * THREADS + threadIdx.x] = raw;
            }
        }
        sum = team_sum<WARP>(sum);
        if (HOW != CLEARED) {
            __syncthreads(); // the last row's `whole` has been read
        }
        if (lane == 0) {
            largest[warp] = m;
            sums[warp] = sum;
        }
        __syncthreads();
        if (warp == 0) {
            pair p = {-INFINITY, 0.0f};
            if (lane < THREADS / WARP) {
                p = {largest[lane], sums[lane]};
            }
            p = team_join<WARP>(p);
            if (K > 1) {
                unsigned long long word = word_of(p);
                p = {-INFINITY, 0.0f};
                if (lane < K) {
                    if (HOW == CLEARED) {
                        volatile unsigned long long *of_row = words + (size_t)r * K;
                        if (lane == part) {
                            of_row[part] = word;
                        }
                        while ((word = of_row[lane]) == 0) {
                        }
                    } else {
                        volatile unsigned long long *of_row = words + (size_t)(blockIdx.x / K * 2 + turn) * K * K;
                        of_row[lane * K + part] = word;
                        while ((word = of_row[part * K + lane]) == 0) {
                        }
                        of_row[part * K + lane] = 0;
                    }
                    p = pair_of(word);
                }
                p = team_join<WARP>(p);
            }
            if (lane == 0) {
                whole = p;
            }
        }
        __syncthreads();
        float factor = ONCE ? scale_of(m, whole.m) / whole.s : 1.0f / whole.s, less = whole.m;
#pragma unroll
        for (int s = 0; s < S; s++) {
            put<T, ONCE>(kept[s * THREADS + threadIdx.x], less, factor, to, column(r, R + s), cols);
            if (HOW == AHEAD && r + teams < rows) {
                fetch(r + teams, s);
            }
        }
        if (HOW == AHEAD) {
            __pipeline_commit();
        }
#pragma unroll
        for (int i = 0; i < R; i++) {
            put<T, ONCE>(v[i], less, factor, to, column(r, i), cols);
        }
    }
}

/* One block for a row that does not fit into a multiprocessor: R vectors of each thread in registers, S in shared memory, and what is left
 * is read again, from L2, if the other blocks leave it there. The pair is kept online, so the exp of what has come is taken while the
 * rest is on its way. */
template <class T, int R, int S, int THREADS, int UNROLL>
static __global__ __launch_bounds__(THREADS, 1) void hybrid_kernel(const T *x, T *y, int rows, int cols) {
    extern __shared__ uint4 kept[];
    __shared__ float largest[WARP], sums[WARP];
    const int W = 16 / sizeof(T), lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, t = threadIdx.x;
    const T *row = x + (size_t)blockIdx.x * cols;
    T *to = y + (size_t)blockIdx.x * cols;
    const int up = (int)((size_t)blockIdx.x * cols % W), rest = (R + S) * THREADS * W - up;
    float m = -INFINITY, sum = 0.0f;
    auto add = [&](const uint4 *v, int n) {
        float larger = m, more = 0.0f;
        for (int i = 0; i < n; i++) {
            larger = max_of<T>(v[i], larger);
        }
        float safe = larger == -INFINITY ? 0.0f : larger;
        for (int i = 0; i < n; i++) {
            uint4 raw = v[i];
            more += exp_of<T, false>(raw, safe);
        }
        sum = sum * __expf(m - safe) + more;
        m = larger;
    };
#pragma unroll
    for (int s = 0; s < S; s++) {
        int c = ((R + s) * THREADS + t) * W - up;
        if (c >= 0 && c + W <= cols) {
            __pipeline_memcpy_async(&kept[s * THREADS + t], row + c, 16);
        } else {
            kept[s * THREADS + t] = take(row, c, cols);
        }
    }
    __pipeline_commit();
    for (int c0 = rest + t * W; c0 < cols; c0 += UNROLL * THREADS * W) {
        uint4 v[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            v[i] = take(row, c0 + i * THREADS * W, cols);
        }
        add(v, UNROLL);
    }
    uint4 v[R];
#pragma unroll
    for (int i = 0; i < R; i++) {
        v[i] = take(row, (i * THREADS + t) * W - up, cols);
    }
    __pipeline_wait_prior(0);
#pragma unroll
    for (int s = 0; s < S; s++) {
        add(&kept[s * THREADS + t], 1);
    }
    add(v, R);
    pair p = team_join<WARP>({m, sum});
    if (lane == 0) {
        largest[warp] = p.m;
        sums[warp] = p.s;
    }
    __syncthreads();
    p = {-INFINITY, 0.0f};
    if (lane < THREADS / WARP) {
        p = {largest[lane], sums[lane]};
    }
    p = team_join<WARP>(p);
    float factor = 1.0f / p.s;
    for (int c0 = rest + t * W; c0 < cols; c0 += UNROLL * THREADS * W) {
        uint4 again[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            again[i] = take(row, c0 + i * THREADS * W, cols);
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            put<T, false>(again[i], p.m, factor, to, c0 + i * THREADS * W, cols);
        }
    }
#pragma unroll
    for (int s = 0; s < S; s++) {
        put<T, false>(kept[s * THREADS + t], p.m, factor, to, ((R + s) * THREADS + t) * W - up, cols);
    }
#pragma unroll
    for (int i = 0; i < R; i++) {
        put<T, false>(v[i], p.m, factor, to, (i * THREADS + t) * W - up, cols);
    }
}

#endif
