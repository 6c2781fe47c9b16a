/* kernels.cuh - the kernels that sweep.cu tries: LayerNorm forward and backward for rows of COLS elements (a macro) of the type
 * that BF16 (0 or 1) selects, with T threads on a row and R rows in a block at once.
 *
 * STAT says how mean and variance are found:
 *     0  twice through the registers: the mean, then the squares of the distances
 *     1  once: sum and sum of squares
 *     2  twice by each thread for its own elements, then triples (count, mean, M2) are merged
 *     3  Welford's update element by element, then triples are merged
 * CACHE: 0 plain loads and stores, 1 streaming (cs), 2 loads that leave L1 alone and streaming stores, 3 streaming loads, 4 streaming
 * stores.
 * KIND, of the blocks that stay and take row after row: 0 load when needed, 1 the next row comes into registers meanwhile, 2 it comes
 * into shared memory by cp.async, each thread's own vectors, 3 by cp.async.bulk, a row at once. S: rows on their way with 2 and 3 (else 1).
 */
#ifndef LESSONS_LESSON13_LAYERNORM_TUNING_KERNELS_H
#define LESSONS_LESSON13_LAYERNORM_TUNING_KERNELS_H

#include <cuda_bf16.h>
#include <stdint.h>

enum { WARP = 32, LANES = BF16 ? 8 : 4 }; // LANES: elements in 16 bytes
#if BF16
typedef __nv_bfloat16 element;
#else
typedef float element;
#endif
#define ALL_LANES 0xffffffffu

struct data {
    int rows;
    const element *x, *dy, *residual;
    element *y, *dx, *sum;
    const float *gamma, *beta;
    float *mean, *rstd;
    float *partial, *dgamma, *dbeta;
};

// ---------------------------------------------------------------- 16 bytes

static __device__ void unpack(uint4 raw, float *v) {
#if BF16
    const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
    for (int k = 0; k < 4; k++) {
        v[2 * k] = __uint_as_float(words[k] << 16);
        v[2 * k + 1] = __uint_as_float(words[k] & 0xffff0000u);
    }
#else
    v[0] = __uint_as_float(raw.x), v[1] = __uint_as_float(raw.y);
    v[2] = __uint_as_float(raw.z), v[3] = __uint_as_float(raw.w);
#endif
}

static __device__ uint4 pack(const float *v) {
#if BF16
    unsigned words[4];
    for (int k = 0; k < 4; k++) {
        __nv_bfloat162 two = __floats2bfloat162_rn(v[2 * k], v[2 * k + 1]);
        words[k] = *(unsigned *)&two;
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
#else
    return make_uint4(__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]), __float_as_uint(v[3]));
#endif
}

template <int CACHE> static __device__ uint4 load(const uint4 *p) {
    if (CACHE == 1 || CACHE == 3) {
        return __ldcs(p);
    }
    if (CACHE == 2) {
        uint4 v;
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
        return v;
    }
    return *p;
}

template <int CACHE> static __device__ void store(uint4 *p, uint4 v) {
    if (CACHE && CACHE != 3) {
        __stcs(p, v);
    } else {
        *p = v;
    }
}

/* LANES floats of a parameter. */
static __device__ void load_parameter(const float *p, float *v) {
    for (int k = 0; k < LANES; k += 4) {
        float4 f = *(const float4 *)(p + k);
        v[k] = f.x, v[k + 1] = f.y, v[k + 2] = f.z, v[k + 3] = f.w;
    }
}

// ---------------------------------------------------------------- over a row

template <int T> static __device__ void row_sync() {
    if (T == WARP) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

/* Sums a and b over the T threads of a row, for all of them. `turn` changes from call to call, so that one barrier is enough. */
template <int T, int R, int PAIR> static __device__ void row_sum(float &a, float &b, int &turn) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        a += __shfl_xor_sync(ALL_LANES, a, step);
        b += PAIR ? __shfl_xor_sync(ALL_LANES, b, step) : 0.0f;
    }
    if (T == WARP) {
        return;
    }
    constexpr int WARPS = T / WARP;
    __shared__ float sums[2][R][WARPS][2];
    int lane = threadIdx.x % WARP, warp = threadIdx.x % T / WARP, group = threadIdx.x / T;
    if (lane == 0) {
        sums[turn][group][warp][0] = a;
        sums[turn][group][warp][1] = b;
    }
    __syncthreads();
    a = sums[turn][group][lane % WARPS][0];
    b = sums[turn][group][lane % WARPS][1];
    for (int step = WARPS / 2; step > 0; step /= 2) {
        a += __shfl_xor_sync(ALL_LANES, a, step);
        b += PAIR ? __shfl_xor_sync(ALL_LANES, b, step) : 0.0f;
    }
    turn ^= 1;
}

/* Two triples of `n` elements each become one of 2n. */
static __device__ void merge(float &mean, float &m2, float n, int step) {
    float other_mean = __shfl_xor_sync(ALL_LANES, mean, step), other_m2 = __shfl_xor_sync(ALL_LANES, m2, step);
    float distance = other_mean - mean;
    mean = 0.5f * (mean + other_mean);
    m2 = m2 + other_m2 + distance * distance * (0.5f * n);
}

template <int T, int R> static __device__ void row_merge(float &mean, float &m2, float n, int &turn) {
    for (int step = WARP / 2; step > 0; step /= 2, n *= 2.0f) {
        merge(mean, m2, n, step);
    }
    if (T == WARP) {
        return;
    }
    constexpr int WARPS = T / WARP;
    __shared__ float triples[2][R][WARPS][2];
    int lane = threadIdx.x % WARP, warp = threadIdx.x % T / WARP, group = threadIdx.x / T;
    if (lane == 0) {
        triples[turn][group][warp][0] = mean;
        triples[turn][group][warp][1] = m2;
    }
    __syncthreads();
    mean = triples[turn][group][lane % WARPS][0];
    m2 = triples[turn][group][lane % WARPS][1];
    for (int step = WARPS / 2; step > 0; step /= 2, n *= 2.0f) {
        merge(mean, m2, n, step);
    }
    turn ^= 1;
}

/* Mean and sum of squared distances of a row, of which this thread has v[]. */
template <int T, int R, int STAT> static __device__ void statistics(const float *v, float &mean, float &m2, int &turn) {
    constexpr int C = COLS / T;
    float sum = 0.0f, other = 0.0f;
    if (STAT == 0) {
        for (int k = 0; k < C; k++) {
            sum += v[k];
        }
        row_sum<T, R, 0>(sum, other, turn);
        mean = sum / COLS;
        m2 = 0.0f;
        for (int k = 0; k < C; k++) {
            m2 += (v[k] - mean) * (v[k] - mean);
        }
        row_sum<T, R, 0>(m2, other, turn);
    } else if (STAT == 1) {
        for (int k = 0; k < C; k++) {
            sum += v[k];
            other += v[k] * v[k];
        }
        row_sum<T, R, 1>(sum, other, turn);
        mean = sum / COLS;
        m2 = other - sum * mean;
    } else if (STAT == 2) {
        for (int k = 0; k < C; k++) {
            sum += v[k];
        }
        mean = sum / C;
        m2 = 0.0f;
        for (int k = 0; k < C; k++) {
            m2 += (v[k] - mean) * (v[k] - mean);
        }
        row_merge<T, R>(mean, m2, C, turn);
    } else {
        mean = 0.0f, m2 = 0.0f;
#pragma unroll
        for (int k = 0; k < C; k++) {
            float distance = v[k] - mean;
            mean += distance * (1.0f / (k + 1));
            m2 += distance * (v[k] - mean);
        }
        row_merge<T, R>(mean, m2, C, turn);
    }
}

// ---------------------------------------------------------------- forward

/* A block for R rows. ADD: the row is x + residual, which is written as well. */
template <int T, int R, int STAT, int CACHE, int ADD> __global__ void __launch_bounds__(T *R) forward_rows(data d) {
    constexpr int V = COLS / T / LANES;
    int t = threadIdx.x % T, row = blockIdx.x * R + threadIdx.x / T, turn = 0;
    if (T == WARP && row >= d.rows) {
        return;
    }
    bool live = row < d.rows;
    float v[V * LANES], mean, m2;
    size_t first = (size_t)row * (COLS / LANES) + t;
    uint4 raw[V];
    for (int k = 0; k < V; k++) {
        raw[k] = live ? load<CACHE>((const uint4 *)d.x + first + k * T) : make_uint4(0, 0, 0, 0);
    }
    if (ADD) {
        uint4 more[V];
        for (int k = 0; k < V; k++) {
            more[k] = live ? load<CACHE>((const uint4 *)d.residual + first + k * T) : make_uint4(0, 0, 0, 0);
        }
        for (int k = 0; k < V; k++) {
            float a[LANES], b[LANES];
            unpack(raw[k], a);
            unpack(more[k], b);
            for (int j = 0; j < LANES; j++) {
                a[j] += b[j];
            }
            raw[k] = pack(a);
            if (live) {
                store<CACHE>((uint4 *)d.sum + first + k * T, raw[k]);
            }
        }
    }
    for (int k = 0; k < V; k++) {
        unpack(raw[k], &v[k * LANES]);
    }
    statistics<T, R, STAT>(v, mean, m2, turn);
    float rstd = rsqrtf(m2 / COLS + 1e-5f);
    if (!live) {
        return;
    }
    if (t == 0) {
        d.mean[row] = mean;
        d.rstd[row] = rstd;
    }
    for (int k = 0; k < V; k++) {
        float g[LANES], b[LANES];
        load_parameter(d.gamma + (k * T + t) * LANES, g);
        load_parameter(d.beta + (k * T + t) * LANES, b);
        for (int j = 0; j < LANES; j++) {
            v[k * LANES + j] = (v[k * LANES + j] - mean) * rstd * g[j] + b[j];
        }
        store<CACHE>((uint4 *)d.y + first + k * T, pack(&v[k * LANES]));
    }
}

// ---------------------------------------------------------------- rows that come on their own

extern __shared__ __align__(128) uint4 ring[];

static __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void copy_async(uint4 *to, const uint4 *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

static __device__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> static __device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

static __device__ void barrier_init(uint64_t *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

static __device__ void copy_row(uint4 *to, const uint4 *from, unsigned bytes, uint64_t *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

static __device__ void barrier_expect(uint64_t *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

static __device__ void barrier_wait(uint64_t *barrier, unsigned phase) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(phase)
                     : "memory");
    }
}

/* N arrays (x, or x and dy) whose rows come one after the other: row(i) of this thread's group is tile i's. */
template <int T, int R, int KIND, int S, int N, int CACHE> struct rows_ahead {
    static constexpr int V = COLS / T / LANES, ROW = COLS / LANES;
    const uint4 *from[N];
    int rows, t, group, issued, taken;
    uint4 next[KIND == 1 ? N * V : 1];
    uint64_t *barriers;

    __device__ long long row_of(int i) const { return ((long long)blockIdx.x + (long long)i * gridDim.x) * R + group; }
    __device__ uint4 *stage(int i, int n) const { return ring + ((size_t)(group * S + i % S) * N + n) * ROW; }
    __device__ void issue() {
        long long row = row_of(issued);
        bool live = row < rows;
        if (KIND == 1) {
            for (int n = 0; n < N; n++) {
                for (int k = 0; k < V; k++) {
                    next[n * V + k] = live ? load<CACHE>(from[n] + row * ROW + t + k * T) : make_uint4(0, 0, 0, 0);
                }
            }
        } else if (KIND == 2) {
            for (int n = 0; n < N && live; n++) {
                for (int k = 0; k < V; k++) {
                    copy_async(stage(issued, n) + t + k * T, from[n] + row * ROW + t + k * T);
                }
            }
            commit();
        } else if (KIND == 3 && t == 0 && live) {
            uint64_t *barrier = &barriers[group * S + issued % S];
            barrier_expect(barrier, N * ROW * 16);
            for (int n = 0; n < N; n++) {
                copy_row(stage(issued, n), from[n] + row * ROW, ROW * 16, barrier);
            }
        }
        issued++;
    }
    __device__ void start(uint64_t *with) {
        t = threadIdx.x % T, group = threadIdx.x / T, issued = taken = 0, barriers = with;
        if (KIND == 3) {
            if (t == 0) {
                for (int s = 0; s < S; s++) {
                    barrier_init(&barriers[group * S + s]);
                }
                asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            }
            row_sync<T>();
        }
        for (int s = 0; s < (KIND == 0 ? 0 : KIND == 1 ? 1 : S); s++) {
            issue();
        }
    }
    /* Into v[N][V * LANES]; after the row's barrier (KIND 3) call release(). */
    __device__ void take(float (*v)[V * LANES]) {
        long long row = row_of(taken);
        bool live = row < rows;
        if (KIND == 2) {
            wait_group<S - 1>();
        }
        if (KIND == 3 && live) {
            barrier_wait(&barriers[group * S + taken % S], taken / S % 2);
        }
        for (int n = 0; n < N; n++) {
            for (int k = 0; k < V; k++) {
                uint4 raw = make_uint4(0, 0, 0, 0);
                if (KIND == 0 && live) {
                    raw = load<CACHE>(from[n] + row * ROW + t + k * T);
                } else if (KIND == 1) {
                    raw = next[n * V + k];
                } else if (KIND >= 2 && live) {
                    raw = stage(taken, n)[t + k * T];
                }
                unpack(raw, &v[n][k * LANES]);
            }
        }
        if (KIND == 1 || KIND == 2) {
            issue();
        }
        taken++;
    }
    __device__ void release() {
        if (KIND == 3) {
            issue();
        }
    }
};

template <int T, int R, int STAT, int MINB, int KIND, int S, int CACHE>
__global__ void __launch_bounds__(T *R, MINB) forward_stay(data d) {
    constexpr int V = COLS / T / LANES, C = V * LANES;
    __shared__ uint64_t barriers[R * S];
    int t = threadIdx.x % T, turn = 0;
    float gamma[C], beta[C];
    for (int k = 0; k < V; k++) {
        load_parameter(d.gamma + (k * T + t) * LANES, &gamma[k * LANES]);
        load_parameter(d.beta + (k * T + t) * LANES, &beta[k * LANES]);
    }
    rows_ahead<T, R, KIND, S, 1, CACHE> rows;
    rows.from[0] = (const uint4 *)d.x;
    rows.rows = d.rows;
    rows.start(barriers);
    int tiles = (d.rows + R - 1) / R;
    for (int i = 0; blockIdx.x + (long long)i * gridDim.x < tiles; i++) {
        long long row = rows.row_of(i);
        float v[1][C], mean, m2;
        rows.take(v);
        if (KIND == 3 && T == WARP) {
            __syncwarp();
            rows.release();
        }
        statistics<T, R, STAT>(v[0], mean, m2, turn);
        if (T != WARP) {
            rows.release();
        }
        float rstd = rsqrtf(m2 / COLS + 1e-5f);
        if (row >= d.rows) {
            continue;
        }
        if (t == 0) {
            d.mean[row] = mean;
            d.rstd[row] = rstd;
        }
        for (int k = 0; k < V; k++) {
            for (int j = k * LANES; j < (k + 1) * LANES; j++) {
                v[0][j] = (v[0][j] - mean) * rstd * gamma[j] + beta[j];
            }
            store<CACHE>((uint4 *)d.y + row * (COLS / LANES) + t + k * T, pack(&v[0][k * LANES]));
        }
    }
}

// ---------------------------------------------------------------- backward

/* dx, and the column sums of this block's rows: partial[block][2][COLS], or without it atomically into dgamma and dbeta.
 * GREG: gamma stays in registers. */
template <int T, int R, int MINB, int KIND, int S, int GREG, int CACHE>
__global__ void __launch_bounds__(T *R, MINB) backward_stay(data d) {
    constexpr int V = COLS / T / LANES, C = V * LANES;
    __shared__ uint64_t barriers[R * S];
    int t = threadIdx.x % T, group = threadIdx.x / T, turn = 0;
    float gamma[GREG ? C : 1], dgamma[C] = {}, dbeta[C] = {};
    for (int k = 0; k < V && GREG; k++) {
        load_parameter(d.gamma + (k * T + t) * LANES, &gamma[k * LANES]);
    }
    rows_ahead<T, R, KIND, S, 2, CACHE> rows;
    rows.from[0] = (const uint4 *)d.x;
    rows.from[1] = (const uint4 *)d.dy;
    rows.rows = d.rows;
    rows.start(barriers);
    int tiles = (d.rows + R - 1) / R;
    long long row = rows.row_of(0);
    float mean = row < d.rows ? d.mean[row] : 0.0f, rstd = row < d.rows ? d.rstd[row] : 0.0f;
    for (int i = 0; blockIdx.x + (long long)i * gridDim.x < tiles; i++) {
        row = rows.row_of(i);
        long long after = rows.row_of(i + 1);
        float next_mean = after < d.rows ? d.mean[after] : 0.0f, next_rstd = after < d.rows ? d.rstd[after] : 0.0f;
        float v[2][C], sum = 0.0f, product = 0.0f;
        rows.take(v);
        for (int k = 0; k < V; k++) {
            float g[LANES];
            if (GREG) {
                for (int j = 0; j < LANES; j++) {
                    g[j] = gamma[GREG ? k * LANES + j : 0];
                }
            } else {
                load_parameter(d.gamma + (k * T + t) * LANES, g);
            }
            for (int j = 0; j < LANES; j++) {
                int c = k * LANES + j;
                float hat = (v[0][c] - mean) * rstd, dy = v[1][c];
                dgamma[c] += dy * hat;
                dbeta[c] += dy;
                v[0][c] = hat;
                v[1][c] = dy * g[j];
                sum += v[1][c];
                product += v[1][c] * hat;
            }
        }
        if (KIND == 3 && T == WARP) {
            __syncwarp();
            rows.release();
        }
        row_sum<T, R, 1>(sum, product, turn);
        if (T != WARP) {
            rows.release();
        }
        sum /= COLS;
        product /= COLS;
        if (row < d.rows) {
            for (int k = 0; k < V; k++) {
                float out[LANES];
                for (int j = 0; j < LANES; j++) {
                    int c = k * LANES + j;
                    out[j] = rstd * (v[1][c] - sum - v[0][c] * product);
                }
                store<CACHE>((uint4 *)d.dx + row * (COLS / LANES) + t + k * T, pack(out));
            }
        }
        mean = next_mean;
        rstd = next_rstd;
    }
    asm volatile("griddepcontrol.launch_dependents;");
    if (R > 1) { // the rows of this block, in turn: always the same order
        float *columns = (float *)ring;
        for (int r = 0; r < R; r++) {
            __syncthreads();
            for (int c = 0; c < C && group == r; c++) {
                int at = ((c / LANES) * T + t) * LANES + c % LANES;
                columns[at] = dgamma[c] += r ? columns[at] : 0.0f;
                columns[COLS + at] = dbeta[c] += r ? columns[COLS + at] : 0.0f;
            }
        }
    }
    if (group != R - 1) {
        return;
    }
    float *to_gamma = d.partial ? d.partial + (size_t)blockIdx.x * 2 * COLS : d.dgamma;
    float *to_beta = d.partial ? to_gamma + COLS : d.dbeta;
    for (int k = 0; k < V; k++) {
        for (int j = 0; j < LANES; j += 4) {
            int at = (k * T + t) * LANES + j, c = k * LANES + j;
            if (d.partial) {
                *(float4 *)(to_gamma + at) = make_float4(dgamma[c], dgamma[c + 1], dgamma[c + 2], dgamma[c + 3]);
                *(float4 *)(to_beta + at) = make_float4(dbeta[c], dbeta[c + 1], dbeta[c + 2], dbeta[c + 3]);
            } else {
                for (int e = 0; e < 4; e++) {
                    atomicAdd(to_gamma + at + e, dgamma[c + e]);
                    atomicAdd(to_beta + at + e, dbeta[c + e]);
                }
            }
        }
    }
}

/* partial[blocks][2 * COLS] -> out[2 * COLS]: a block for 32 columns, 32 threads for a column. */
static __global__ void __launch_bounds__(1024)
    add_partials(const float *partial, int blocks, float *dgamma, float *dbeta) {
    __shared__ float sums[32][33];
    int column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    asm volatile("griddepcontrol.wait;" ::
                     : "memory"); // only where it is launched early: until the kernel before has ended
    for (int b = threadIdx.y; b < blocks; b += 32) {
        sum += partial[(size_t)b * 2 * COLS + column];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = sums[threadIdx.x][threadIdx.y];
    for (int step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, step);
    }
    if (threadIdx.x == 0) {
        column = blockIdx.x * 32 + threadIdx.y;
        (column < COLS ? dgamma : dbeta)[column % COLS] = sum;
    }
}

#endif
