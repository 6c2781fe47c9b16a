/* Lesson 13: layernorm, forward and backward.
 *
 *     make lesson13 run                  all versions on several shapes, verified, then measured (or counted)
 *     make lesson13 run V=4 SIZE=8192    one version, rows of 8192 numbers
 *
 * You will learn how to find mean and variance in one pass without losing digits, how to keep a row in registers so that each number is read
 * once and written once, and how a backward pass adds up the columns while it iterates over the rows.
 *
 *     layernorm_kernel1   a block for a row; three passes: mean, variance, result
 *     layernorm_kernel2   sum and sum of squares in one pass: fast, and wrong when the mean is large
 *     layernorm_kernel3   mean and variance in one pass, exactly: Welford's update, and triples that are merged
 *     layernorm_kernel4   the row in registers: one read, one write, 16 bytes at a time
 *     layernorm_kernel5   the width is a constant: no guards, one meeting, and no more threads than the row needs
 *     layernorm_kernel6   blocks that stay: gamma and beta in registers, the next row prefetched
 *     rmsnorm_kernel7     RMSNorm: without the mean
 *     add_kernel8         x + residual by a separate kernel, then version 5
 *     add_kernel9         x + residual in the same kernel
 *     backward_kernel10   a block for a row, and a second kernel that reads everything again for the column sums
 *     backward_kernel11   one pass; each row adds to the column sums with atomics
 *     backward_kernel12   one pass; a block iterates over many rows and keeps its columns' sums in registers
 *     backward_kernel13   and the next rows are prefetched meanwhile
 */
// sizes: 0 1 31 33 1000 1025 4096
#include <cuda_pipeline.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"
#include "measure.h"

enum { WARP = 32 };
enum { BLOCK = 256 };    // threads in a block of versions 1 to 3: 8 warps
enum { PIECES = 4 };     // 16-byte pieces of a row that a thread keeps in registers
enum { WIDEST = 1024 };  // threads in a block, at most
enum { ROWS_EACH = 16 }; // a persistent block pays only with this many rows, one after the other
#define ALL_LANES 0xffffffffu

// ---------------------------------------------------------------- the references

/* Row by row, in double: y = (x - mean) * rstd * gamma + beta, where rstd is 1 / sqrt(variance + EPSILON). RMSNorm leaves mean and beta out:
 * y = x * rstd * gamma, with the mean of the squares in place of the variance. */
static void layernorm_cpu(const float *x, const float *gamma, const float *beta, float *y, float *mean, float *rstd,
                          struct shape shape, bool rms) {
    for (int row = 0; row < shape.rows; row++) {
        const float *in = x + (size_t)row * shape.cols;
        double sum = 0.0, squares = 0.0;
        for (int c = 0; c < shape.cols; c++) {
            sum += in[c];
        }
        double m = rms ? 0.0 : sum / shape.cols;
        for (int c = 0; c < shape.cols; c++) {
            squares += (in[c] - m) * (in[c] - m);
        }
        double r = 1.0 / sqrt(squares / shape.cols + EPSILON);
        for (int c = 0; c < shape.cols; c++) {
            y[(size_t)row * shape.cols + c] = (float)((in[c] - m) * r * gamma[c] + (rms ? 0.0f : beta[c]));
        }
        mean[row] = (float)m;
        rstd[row] = (float)r;
    }
}

/* With hat = (x - mean) * rstd and g = dy * gamma: dx = rstd * (g - mean of g - hat * mean of g * hat), dgamma = sum of dy * hat over the
 * rows, dbeta = sum of dy. */
static void backward_cpu(const float *dy, const float *x, const float *gamma, const float *mean, const float *rstd,
                         float *dx, double *dgamma, double *dbeta, const int *times, struct shape shape) {
    for (int c = 0; c < shape.cols; c++) {
        dgamma[c] = dbeta[c] = 0.0;
    }
    for (int row = 0; row < shape.rows; row++) {
        size_t first = (size_t)row * shape.cols;
        double m = mean[row], r = rstd[row], sum = 0.0, product = 0.0;
        for (int c = 0; c < shape.cols; c++) {
            double hat = (x[first + c] - m) * r, d = dy[first + c];
            sum += d * gamma[c];
            product += d * gamma[c] * hat;
            dgamma[c] += times[row] * d * hat;
            dbeta[c] += times[row] * d;
        }
        for (int c = 0; c < shape.cols; c++) {
            double hat = (x[first + c] - m) * r, g = (double)dy[first + c] * gamma[c];
            dx[first + c] = (float)(r * (g - sum / shape.cols - hat * product / shape.cols));
        }
    }
}

// ---------------------------------------------------------------- what a block finds out together

static __device__ float warp_sum(float value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    return value;
}

/* The sum of the values of all threads, for all of them; any number of whole warps. */
static __device__ float block_sum(float value) {
    __shared__ float sums[WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    value = warp_sum(value);
    __syncthreads(); // what the call before has left here has been read
    if (lane == 0) {
        sums[warp] = value;
    }
    __syncthreads();
    return warp_sum(lane < blockDim.x / WARP ? sums[lane] : 0.0f);
}

/* What is known of some numbers: how many, their mean, and the sum of their squared distances from it. */
struct triple {
    float count, mean, m2;
};

/* One number more (Welford 1962). The mean moves a little towards x, and m2 grows by the distances before and after. */
static __device__ struct triple with(struct triple t, float x) {
    t.count += 1.0f;
    float before = x - t.mean;
    t.mean += before / t.count;
    t.m2 += before * (x - t.mean);
    return t;
}

/* Two sets of numbers become one (Chan, Golub, LeVeque 1979). An empty set changes nothing. */
static __device__ struct triple merge(struct triple a, struct triple b) {
    float count = a.count + b.count, apart = b.mean - a.mean;
    float share = count > 0.0f ? b.count / count : 0.0f;
    return {count, a.mean + apart * share, a.m2 + b.m2 + apart * apart * a.count * share};
}

static __device__ struct triple warp_merge(struct triple t) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        struct triple other = {__shfl_xor_sync(ALL_LANES, t.count, step), __shfl_xor_sync(ALL_LANES, t.mean, step),
                               __shfl_xor_sync(ALL_LANES, t.m2, step)};
        t = merge(t, other);
    }
    return t;
}

static __device__ struct triple block_merge(struct triple t) {
    __shared__ struct triple triples[WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    t = warp_merge(t);
    __syncthreads();
    if (lane == 0) {
        triples[warp] = t;
    }
    __syncthreads();
    const struct triple nothing = {0.0f, 0.0f, 0.0f};
    return warp_merge(lane < blockDim.x / WARP ? triples[lane] : nothing);
}

// ---------------------------------------------------------------- forward, number by number

/* Versions 1 to 3: x[rows][cols] -> y[rows][cols], and mean and rstd of each row, which backward needs. A block for a row. */

/* Version 1: as the formula says. The mean needs all numbers; the variance needs the mean, and all numbers again; the result needs both,
 * and all numbers a third time. */
template <class number>
static __global__ void layernorm_kernel1(const number *x, number *y, const float *gamma, const float *beta, float *mean,
                                         float *rstd, int cols) {
    size_t first = (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        sum += (float)x[first + c];
    }
    float m = block_sum(sum) / cols;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        float apart = (float)x[first + c] - m;
        squares += apart * apart;
    }
    float r = rsqrtf(block_sum(squares) / cols + EPSILON);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        y[first + c] = (number)(((float)x[first + c] - m) * r * gamma[c] + beta[c]);
    }
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = m;
        rstd[blockIdx.x] = r;
    }
}

/* Version 2: the variance is also the mean of the squares, less the square of the mean. Both sums can be had in one pass. But if the mean is
 * large, two large numbers are subtracted that agree in most of their digits, and what is left is what rounding has made of the last ones. */
template <class number>
static __global__ void layernorm_kernel2(const number *x, number *y, const float *gamma, const float *beta, float *mean,
                                         float *rstd, int cols) {
    size_t first = (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        sum += (float)x[first + c];
        squares += (float)x[first + c] * (float)x[first + c];
    }
    float m = block_sum(sum) / cols;
    float variance = fmaxf(block_sum(squares) / cols - m * m, 0.0f); // rounding may have made it negative
    float r = rsqrtf(variance + EPSILON);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        y[first + c] = (number)(((float)x[first + c] - m) * r * gamma[c] + beta[c]);
    }
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = m;
        rstd[blockIdx.x] = r;
    }
}

/* Version 3: one pass, in which each thread keeps the mean so far and the squared distances from it. Nothing large is subtracted. In the
 * end the threads' triples are merged, as sums would be added. */
template <class number>
static __global__ void layernorm_kernel3(const number *x, number *y, const float *gamma, const float *beta, float *mean,
                                         float *rstd, int cols) {
    size_t first = (size_t)blockIdx.x * cols;
    struct triple t = {0.0f, 0.0f, 0.0f};
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        t = with(t, (float)x[first + c]);
    }
    t = block_merge(t);
    float r = rsqrtf(t.m2 / cols + EPSILON);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        y[first + c] = (number)(((float)x[first + c] - t.mean) * r * gamma[c] + beta[c]);
    }
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = t.mean;
        rstd[blockIdx.x] = r;
    }
}

// ---------------------------------------------------------------- 16 bytes at a time

/* 16 bytes hold 4 floats or 8 bf16. A bf16 is the upper half of a float, so it becomes one by a shift. */
static __device__ void unpack(uint4 piece, float (&v)[4]) {
    v[0] = __uint_as_float(piece.x), v[1] = __uint_as_float(piece.y);
    v[2] = __uint_as_float(piece.z), v[3] = __uint_as_float(piece.w);
}

static __device__ void unpack(uint4 piece, float (&v)[8]) {
    const unsigned words[4] = {piece.x, piece.y, piece.z, piece.w};
    for (int k = 0; k < 4; k++) {
        v[2 * k] = __uint_as_float(words[k] << 16);
        v[2 * k + 1] = __uint_as_float(words[k] & 0xffff0000u);
    }
}

static __device__ uint4 pack(const float (&v)[4]) {
    return make_uint4(__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]), __float_as_uint(v[3]));
}

static __device__ unsigned pack_two(float low, float high) {
    __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
    return *(unsigned *)&two;
}

static __device__ uint4 pack(const float (&v)[8]) {
    return make_uint4(pack_two(v[0], v[1]), pack_two(v[2], v[3]), pack_two(v[4], v[5]), pack_two(v[6], v[7]));
}

/* As many parameters as a piece has numbers; they are always floats. */
template <int N> static __device__ void load_parameters(const float *from, float (&v)[N]) {
    for (int k = 0; k < N; k += 4) {
        float4 four = *(const float4 *)(from + k);
        v[k] = four.x, v[k + 1] = four.y, v[k + 2] = four.z, v[k + 3] = four.w;
    }
}

/* Versions 4 to 9 and 12 to 13 take rows that consist of whole pieces, at addresses aligned for a piece. */

/* Version 4: the row is read once and stays: each thread has PIECES pieces of it in registers. So the two passes of version 1, which are as
 * exact as can be, cost no memory traffic any more. Pieces that do not exist count as 0. */
template <class number>
static __global__ void __launch_bounds__(WIDEST)
    layernorm_kernel4(const number *x, number *y, const float *gamma, const float *beta, float *mean, float *rstd,
                      int cols) {
    constexpr int N = 16 / sizeof(number);
    const uint4 *from = (const uint4 *)(x + (size_t)blockIdx.x * cols), none = make_uint4(0, 0, 0, 0);
    uint4 *to = (uint4 *)(y + (size_t)blockIdx.x * cols);
    float v[PIECES][N], sum = 0.0f, squares = 0.0f;
    for (int k = 0; k < PIECES; k++) {
        int p = threadIdx.x + k * blockDim.x;
        unpack(p < cols / N ? from[p] : none, v[k]);
        for (int j = 0; j < N; j++) {
            sum += v[k][j];
        }
    }
    float m = block_sum(sum) / cols;
    for (int k = 0; k < PIECES; k++) {
        for (int j = 0; j < N && threadIdx.x + k * blockDim.x < cols / N; j++) {
            squares += (v[k][j] - m) * (v[k][j] - m);
        }
    }
    float r = rsqrtf(block_sum(squares) / cols + EPSILON);
    for (int k = 0; k < PIECES; k++) {
        int p = threadIdx.x + k * blockDim.x;
        if (p < cols / N) {
            float g[N], b[N];
            load_parameters(gamma + p * N, g);
            load_parameters(beta + p * N, b);
            for (int j = 0; j < N; j++) {
                v[k][j] = (v[k][j] - m) * r * g[j] + b[j];
            }
            to[p] = pack(v[k]);
        }
    }
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = m;
        rstd[blockIdx.x] = r;
    }
}

// ---------------------------------------------------------------- the compiler knows the width

/* From version 5 on the number of columns is a constant, and a row is so many whole pieces that T threads have the same number of them. A block
 * is T threads wide, for a row, and `rows_of_block` rows high: threadIdx.y is the row. */
template <class number> __host__ __device__ constexpr int threads_for(int cols, int each) {
    return cols * (int)sizeof(number) / 16 / each;
}

__host__ __device__ constexpr int rows_of_block(int threads, int wanted) {
    return threads < wanted ? wanted / threads : 1;
}

/* Merges the triples of `LANES` neighbouring lanes, all of which have as many numbers: so the compiler knows the counts, and what is divided by
 * them. */
template <int LANES> static __device__ struct triple merge_lanes(struct triple t) {
    for (int step = LANES / 2; step > 0; step /= 2) {
        struct triple other = {t.count, __shfl_xor_sync(ALL_LANES, t.mean, step),
                               __shfl_xor_sync(ALL_LANES, t.m2, step)};
        t = merge(t, other);
    }
    return t;
}

/* The triples of a row's T threads. A warp that has the row to itself needs no barrier. `turn` is 0, 1, 0, ... from call to call: what one call
 * leaves in shared memory is overwritten by the call after the next, and in between all have been at a barrier. So one is enough. */
template <int T> static __device__ struct triple row_merge(struct triple t, int turn) {
    constexpr int WARPS = T / WARP;
    __shared__ struct triple triples[2][WARP];
    int lane = threadIdx.x % WARP, first = threadIdx.y * WARPS;
    t = merge_lanes<WARP>(t);
    if (WARPS == 1) {
        return t;
    }
    if (lane == 0) {
        triples[turn][first + threadIdx.x / WARP] = t;
    }
    __syncthreads();
    struct triple other = triples[turn][first + lane % WARPS];
    return merge_lanes<WARPS>({t.count, other.mean, other.m2});
}

/* The triple of a thread's own numbers: two passes through registers. */
template <int V, int N> static __device__ struct triple thread_triple(const float (&v)[V][N]) {
    struct triple t = {V * N, 0.0f, 0.0f};
    for (int k = 0; k < V; k++) {
        for (int j = 0; j < N; j++) {
            t.mean += v[k][j];
        }
    }
    t.mean /= V * N;
    for (int k = 0; k < V; k++) {
        for (int j = 0; j < N; j++) {
            t.m2 += (v[k][j] - t.mean) * (v[k][j] - t.mean);
        }
    }
    return t;
}

/* y = (v - m) * r * gamma + beta */
template <int T, int V, int N>
static __device__ void write_row(uint4 *to, float (&v)[V][N], float m, float r, const float *gamma, const float *beta) {
    for (int k = 0; k < V; k++) {
        int p = threadIdx.x + k * T;
        float g[N], b[N];
        load_parameters(gamma + p * N, g);
        load_parameters(beta + p * N, b);
        for (int j = 0; j < N; j++) {
            v[k][j] = (v[k][j] - m) * r * g[j] + b[j];
        }
        to[p] = pack(v[k]);
    }
}

/* Version 5: no guards, no division, no loop that the compiler cannot unroll; only as many threads as the row has work for, and several rows in a
 * block instead; and mean and variance are found together, so that the row's threads synchronize once and not twice. */
template <class number, int COLS>
static __global__ void layernorm_kernel5(const number *x, number *y, const float *gamma, const float *beta, float *mean,
                                         float *rstd, int rows) {
    constexpr int N = 16 / sizeof(number), T = threads_for<number>(COLS, PIECES);
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    bool live = row < rows; // the last block may extend past the last row
    const uint4 *from = (const uint4 *)(x + (size_t)row * COLS), none = make_uint4(0, 0, 0, 0);
    float v[PIECES][N];
    for (int k = 0; k < PIECES; k++) {
        unpack(live ? from[threadIdx.x + k * T] : none, v[k]);
    }
    struct triple t = row_merge<T>(thread_triple(v), 0);
    float r = rsqrtf(t.m2 / COLS + EPSILON);
    if (!live) {
        return;
    }
    write_row<T>((uint4 *)(y + (size_t)row * COLS), v, t.mean, r, gamma, beta);
    if (threadIdx.x == 0) {
        mean[row] = t.mean;
        rstd[row] = r;
    }
}

/* Version 6: gamma and beta are read again for each row, and with bf16 that is more than the row itself. So a persistent block keeps its part
 * of them in registers, and takes row after row. Then no other block hides its latency: the next rows have to be prefetched
 * before they are needed. cp.async copies them to shared memory; each thread copies the data that it will use itself, so that no barrier is
 * needed. */
enum { STAGES = 2 };              // rows in flight
extern __shared__ uint4 stages[]; // [STAGES][blockDim.y][a row], for each array that is read

template <class number, int COLS, int V>
static __device__ void fetch_row(uint4 *stage, const number *x, long long row, int rows) {
    const uint4 *from = (const uint4 *)(x + row * COLS);
    for (int k = 0; k < V && row < rows; k++) {
        int p = threadIdx.x + k * threads_for<number>(COLS, V);
        __pipeline_memcpy_async(stage + p, from + p, sizeof(uint4));
    }
}

template <class number, int COLS>
static __global__ void __launch_bounds__(512) layernorm_kernel6(const number *x, number *y, const float *gamma,
                                                                const float *beta, float *mean, float *rstd, int rows) {
    constexpr int N = 16 / sizeof(number), T = threads_for<number>(COLS, PIECES), R = rows_of_block(T, 256);
    constexpr int ROW = COLS / N, STAGE = R * ROW; // pieces
    int tiles = (rows + R - 1) / R, tile = blockIdx.x, turn = 0;
    uint4 *mine = stages + threadIdx.y * ROW; // in stage 0
    const uint4 none = make_uint4(0, 0, 0, 0);
    float g[PIECES][N], b[PIECES][N], v[PIECES][N];
    for (int k = 0; k < PIECES; k++) {
        load_parameters(gamma + (threadIdx.x + k * T) * N, g[k]);
        load_parameters(beta + (threadIdx.x + k * T) * N, b[k]);
    }
    for (int s = 0; s < STAGES; s++) {
        long long row = ((long long)tile + s * gridDim.x) * R + threadIdx.y;
        fetch_row<number, COLS, PIECES>(mine + s * STAGE, x, row, rows);
        __pipeline_commit();
    }
    for (int i = 0; tile < tiles; i++, tile += gridDim.x) {
        long long row = (long long)tile * R + threadIdx.y, later = row + (long long)STAGES * gridDim.x * R;
        uint4 *stage = mine + i % STAGES * STAGE;
        bool live = row < rows;
        __pipeline_wait_prior(STAGES - 1);
        for (int k = 0; k < PIECES; k++) {
            unpack(live ? stage[threadIdx.x + k * T] : none, v[k]);
        }
        fetch_row<number, COLS, PIECES>(stage, x, later, rows);
        __pipeline_commit();
        struct triple t = row_merge<T>(thread_triple(v), turn);
        float r = rsqrtf(t.m2 / COLS + EPSILON);
        turn ^= 1;
        for (int k = 0; k < PIECES && live; k++) {
            for (int j = 0; j < N; j++) {
                v[k][j] = (v[k][j] - t.mean) * r * g[k][j] + b[k][j];
            }
            ((uint4 *)(y + row * COLS))[threadIdx.x + k * T] = pack(v[k]);
        }
        if (threadIdx.x == 0 && live) {
            mean[row] = t.mean;
            rstd[row] = r;
        }
    }
}

// ---------------------------------------------------------------- RMSNorm, and a residual

/* The sums of two values over a row's T threads, for all of them; `turn` as in row_merge. */
template <int T> static __device__ void row_sums(float *a, float *b, int turn) {
    constexpr int WARPS = T / WARP;
    __shared__ float sums[2][2][WARP];
    int lane = threadIdx.x % WARP, first = threadIdx.y * WARPS;
    *a = warp_sum(*a);
    *b = warp_sum(*b);
    if (WARPS == 1) {
        return;
    }
    if (lane == 0) {
        sums[turn][0][first + threadIdx.x / WARP] = *a;
        sums[turn][1][first + threadIdx.x / WARP] = *b;
    }
    __syncthreads();
    *a = sums[turn][0][first + lane % WARPS];
    *b = sums[turn][1][first + lane % WARPS];
    for (int step = WARPS / 2; step > 0; step /= 2) {
        *a += __shfl_xor_sync(ALL_LANES, *a, step);
        *b += __shfl_xor_sync(ALL_LANES, *b, step);
    }
}

/* Version 7: RMSNorm divides by the root of the mean of the squares, and leaves the mean where it is. A sum of squares subtracts nothing, so
 * it loses no digits: one pass, and no Welford. */
template <class number, int COLS>
static __global__ void rmsnorm_kernel7(const number *x, number *y, const float *gamma, float *rstd, int rows) {
    constexpr int N = 16 / sizeof(number), T = threads_for<number>(COLS, PIECES);
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    bool live = row < rows;
    const uint4 *from = (const uint4 *)(x + (size_t)row * COLS), none = make_uint4(0, 0, 0, 0);
    float v[PIECES][N], squares = 0.0f, nothing = 0.0f;
    for (int k = 0; k < PIECES; k++) {
        unpack(live ? from[threadIdx.x + k * T] : none, v[k]);
        for (int j = 0; j < N; j++) {
            squares += v[k][j] * v[k][j];
        }
    }
    row_sums<T>(&squares, &nothing, 0);
    float r = rsqrtf(squares / COLS + EPSILON);
    for (int k = 0; k < PIECES && live; k++) {
        int p = threadIdx.x + k * T;
        float g[N];
        load_parameters(gamma + p * N, g);
        for (int j = 0; j < N; j++) {
            v[k][j] *= r * g[j];
        }
        ((uint4 *)(y + (size_t)row * COLS))[p] = pack(v[k]);
    }
    if (threadIdx.x == 0 && live) {
        rstd[row] = r;
    }
}

/* The same for rows of any width and at any address. */
template <class number>
static __global__ void rmsnorm_any_kernel(const number *x, number *y, const float *gamma, float *rstd, int cols) {
    size_t first = (size_t)blockIdx.x * cols;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        squares += (float)x[first + c] * (float)x[first + c];
    }
    float r = rsqrtf(block_sum(squares) / cols + EPSILON);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        y[first + c] = (number)((float)x[first + c] * r * gamma[c]);
    }
    if (threadIdx.x == 0) {
        rstd[blockIdx.x] = r;
    }
}

/* Version 8: sum = x + residual, which a transformer needs in front of nearly each LayerNorm. Then version 5 reads what this has written. */
template <class number>
static __global__ void add_kernel8(const number *x, const number *residual, number *sum, size_t pieces) {
    size_t p = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (p < pieces) {
        float a[16 / sizeof(number)], b[16 / sizeof(number)];
        unpack(((const uint4 *)x)[p], a);
        unpack(((const uint4 *)residual)[p], b);
        for (int j = 0; j < 16 / (int)sizeof(number); j++) {
            a[j] += b[j];
        }
        ((uint4 *)sum)[p] = pack(a);
    }
}

template <class number>
static __global__ void add_any_kernel(const number *x, const number *residual, number *sum, size_t count) {
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < count) {
        sum[i] = (number)((float)x[i] + (float)residual[i]);
    }
}

/* Version 9: the sum is in registers when it is needed. The rounded sum is normalized, the one that is written and that others will read. Two
 * arrays are loaded, so a thread has half as many pieces of each. */
enum { ADD_PIECES = 2 };

template <class number, int COLS>
static __global__ void add_kernel9(const number *x, const number *residual, number *sum, number *y, const float *gamma,
                                   const float *beta, float *mean, float *rstd, int rows) {
    constexpr int N = 16 / sizeof(number), T = threads_for<number>(COLS, ADD_PIECES);
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    bool live = row < rows;
    const uint4 *from = (const uint4 *)(x + (size_t)row * COLS), none = make_uint4(0, 0, 0, 0);
    const uint4 *more = (const uint4 *)(residual + (size_t)row * COLS);
    float v[ADD_PIECES][N], w[ADD_PIECES][N];
    for (int k = 0; k < ADD_PIECES; k++) {
        unpack(live ? from[threadIdx.x + k * T] : none, v[k]);
        unpack(live ? more[threadIdx.x + k * T] : none, w[k]);
    }
    for (int k = 0; k < ADD_PIECES; k++) {
        for (int j = 0; j < N; j++) {
            v[k][j] += w[k][j];
        }
        uint4 rounded = pack(v[k]);
        unpack(rounded, v[k]);
        if (live) {
            ((uint4 *)(sum + (size_t)row * COLS))[threadIdx.x + k * T] = rounded;
        }
    }
    struct triple t = row_merge<T>(thread_triple(v), 0);
    float r = rsqrtf(t.m2 / COLS + EPSILON);
    if (!live) {
        return;
    }
    write_row<T>((uint4 *)(y + (size_t)row * COLS), v, t.mean, r, gamma, beta);
    if (threadIdx.x == 0) {
        mean[row] = t.mean;
        rstd[row] = r;
    }
}

// ---------------------------------------------------------------- backward

/* dy[rows][cols], x[rows][cols] and what forward has left -> dx[rows][cols], and for each column dgamma and dbeta: see backward_cpu. */

/* Version 10: dx row by row, as version 1: first two sums, then the result. */
template <class number>
static __global__ void backward_kernel10(const number *dy, const number *x, number *dx, const float *gamma,
                                         const float *mean, const float *rstd, int cols) {
    size_t first = (size_t)blockIdx.x * cols;
    float m = mean[blockIdx.x], r = rstd[blockIdx.x], sum = 0.0f, product = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        float hat = ((float)x[first + c] - m) * r, g = (float)dy[first + c] * gamma[c];
        sum += g;
        product += g * hat;
    }
    sum = block_sum(sum) / cols;
    product = block_sum(product) / cols;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        float hat = ((float)x[first + c] - m) * r, g = (float)dy[first + c] * gamma[c];
        dx[first + c] = (number)(r * (g - sum - hat * product));
    }
}

/* And the columns by a second kernel, which reads x and dy again: a block for 32 columns, whose 8 warps iterate over the rows. */
enum { LINES = 8 };

template <class number>
static __global__ void columns_kernel10(const number *dy, const number *x, const float *mean, const float *rstd,
                                        float *dgamma, float *dbeta, int rows, int cols) {
    __shared__ float sums[2][LINES][WARP];
    int c = blockIdx.x * WARP + threadIdx.x, line = threadIdx.y;
    float for_gamma = 0.0f, for_beta = 0.0f;
    for (int row = line; row < rows && c < cols; row += LINES) {
        float d = (float)dy[(size_t)row * cols + c];
        for_gamma += d * ((float)x[(size_t)row * cols + c] - mean[row]) * rstd[row];
        for_beta += d;
    }
    sums[0][line][threadIdx.x] = for_gamma;
    sums[1][line][threadIdx.x] = for_beta;
    __syncthreads();
    if (line < 2 && c < cols) { // line 0 adds up for gamma, line 1 for beta
        float sum = 0.0f;
        for (int k = 0; k < LINES; k++) {
            sum += sums[line][k][threadIdx.x];
        }
        (line == 0 ? dgamma : dbeta)[c] = sum;
    }
}

/* Version 11: a thread that computes dx has in hand what the column sums need. Let it add that to them at once, atomically. */
template <class number>
static __global__ void backward_kernel11(const number *dy, const number *x, number *dx, const float *gamma,
                                         const float *mean, const float *rstd, float *dgamma, float *dbeta, int cols) {
    size_t first = (size_t)blockIdx.x * cols;
    float m = mean[blockIdx.x], r = rstd[blockIdx.x], sum = 0.0f, product = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        float hat = ((float)x[first + c] - m) * r, g = (float)dy[first + c] * gamma[c];
        sum += g;
        product += g * hat;
    }
    sum = block_sum(sum) / cols;
    product = block_sum(product) / cols;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        float hat = ((float)x[first + c] - m) * r, d = (float)dy[first + c];
        dx[first + c] = (number)(r * (d * gamma[c] - sum - hat * product));
        atomicAdd(&dgamma[c], d * hat);
        atomicAdd(&dbeta[c], d);
    }
}

/* In versions 12 and 13 a row has up to 512 threads, which have V pieces of it. */
template <class number> __host__ __device__ constexpr int pieces_each(int cols) {
    return threads_for<number>(cols, 1) > 512 ? threads_for<number>(cols, 1) / 512 : 1;
}

template <class number> __host__ __device__ constexpr int rows_together(int cols) {
    return sizeof(number) == sizeof(bf16) && pieces_each<number>(cols) == 1 ? 2 : 1;
}

template <class number> __host__ __device__ constexpr int block_threads(int cols) {
    return threads_for<number>(cols, pieces_each<number>(cols)) * rows_together<number>(cols);
}

/* How many such blocks should fit on an SM, which limits the registers of a thread. */
template <class number> __host__ __device__ constexpr int blocks_each(int cols) {
    return block_threads<number>(cols) < 512 ? 512 / block_threads<number>(cols) : 1;
}

/* One row in registers: its part in the column sums, and dx. V pieces of x and of dy for each thread. */
template <int COLS, int T, int V, int N>
static __device__ void backward_row(float (&x)[V][N], float (&dy)[V][N], const float (&gamma)[V][N], float mean,
                                    float rstd, uint4 *dx, float (&dgamma)[V][N], float (&dbeta)[V][N], bool live,
                                    int turn) {
    float sum = 0.0f, product = 0.0f;
    for (int k = 0; k < V; k++) {
        for (int j = 0; j < N; j++) {
            float hat = (x[k][j] - mean) * rstd, d = dy[k][j];
            dgamma[k][j] += d * hat;
            dbeta[k][j] += d;
            x[k][j] = hat;
            dy[k][j] = d * gamma[k][j];
            sum += dy[k][j];
            product += dy[k][j] * hat;
        }
    }
    row_sums<T>(&sum, &product, turn);
    sum /= COLS;
    product /= COLS;
    for (int k = 0; k < V && live; k++) {
        for (int j = 0; j < N; j++) {
            dy[k][j] = rstd * (dy[k][j] - sum - x[k][j] * product);
        }
        dx[threadIdx.x + k * T] = pack(dy[k]);
    }
}

static __device__ float4 add(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* The sums of the R threads that have the same columns are added up, one after the other: always in the same order. The last one has all, and
 * leaves them in partial[blockIdx.x][2][COLS]. Four numbers at a time: single ones would be written to parts of sectors. */
template <int COLS, int T, int R, int V, int N>
static __device__ void leave_columns(float (&dgamma)[V][N], float (&dbeta)[V][N], float *partial) {
    float4 *columns = (float4 *)stages, *to = (float4 *)(partial + (size_t)blockIdx.x * 2 * COLS);
    for (int y = 0; y < R; y++) {
        __syncthreads();
        for (int k = 0; k < V && threadIdx.y == y; k++) {
            for (int j = 0; j < N; j += 4) {
                int at = (threadIdx.x + k * T) * (N / 4) + j / 4;
                float4 a = make_float4(dgamma[k][j], dgamma[k][j + 1], dgamma[k][j + 2], dgamma[k][j + 3]);
                float4 b = make_float4(dbeta[k][j], dbeta[k][j + 1], dbeta[k][j + 2], dbeta[k][j + 3]);
                if (y > 0) {
                    a = add(a, columns[at]);
                    b = add(b, columns[COLS / 4 + at]);
                }
                if (y + 1 < R) {
                    columns[at] = a;
                    columns[COLS / 4 + at] = b;
                } else {
                    to[at] = a;
                    to[COLS / 4 + at] = b;
                }
            }
        }
    }
}

/* Version 12: as many blocks as fit, and each walks over many rows. A thread has the same columns in all of them, so its part of dgamma and
 * dbeta is a sum in a register, and there are only as many of them in the end as there are blocks. */
template <class number, int COLS>
static __global__ void __launch_bounds__(block_threads<number>(COLS), blocks_each<number>(COLS))
    backward_kernel12(const number *dy, const number *x, number *dx, const float *gamma, const float *mean,
                      const float *rstd, float *partial, int rows) {
    constexpr int N = 16 / sizeof(number), V = pieces_each<number>(COLS), T = threads_for<number>(COLS, V);
    constexpr int R = rows_together<number>(COLS);
    const uint4 none = make_uint4(0, 0, 0, 0);
    float g[V][N], dgamma[V][N] = {}, dbeta[V][N] = {}, a[V][N], d[V][N];
    int tiles = (rows + R - 1) / R, turn = 0;
    for (int k = 0; k < V; k++) {
        load_parameters(gamma + (threadIdx.x + k * T) * N, g[k]);
    }
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        long long row = (long long)tile * R + threadIdx.y;
        bool live = row < rows;
        float m = live ? mean[row] : 0.0f, r = live ? rstd[row] : 0.0f;
        for (int k = 0; k < V; k++) {
            int p = threadIdx.x + k * T;
            unpack(live ? ((const uint4 *)(x + row * COLS))[p] : none, a[k]);
            unpack(live ? ((const uint4 *)(dy + row * COLS))[p] : none, d[k]);
        }
        backward_row<COLS, T>(a, d, g, m, r, (uint4 *)(dx + row * COLS), dgamma, dbeta, live, turn);
        turn ^= 1;
    }
    leave_columns<COLS, T, R>(dgamma, dbeta, partial);
}

/* Version 13: a persistent block is often alone on its SM, so while it adds up, nothing is in flight. As in version 6, cp.async
 * prefetches the next rows meanwhile. */
template <class number, int COLS>
static __global__ void __launch_bounds__(block_threads<number>(COLS), blocks_each<number>(COLS))
    backward_kernel13(const number *dy, const number *x, number *dx, const float *gamma, const float *mean,
                      const float *rstd, float *partial, int rows) {
    constexpr int N = 16 / sizeof(number), V = pieces_each<number>(COLS), T = threads_for<number>(COLS, V);
    constexpr int R = rows_together<number>(COLS), ROW = COLS / N, STAGE = 2 * R * ROW; // pieces: x, then dy
    const uint4 none = make_uint4(0, 0, 0, 0);
    float g[V][N], dgamma[V][N] = {}, dbeta[V][N] = {}, a[V][N], d[V][N];
    int tiles = (rows + R - 1) / R, tile = blockIdx.x, turn = 0;
    long long row = (long long)tile * R + threadIdx.y, step = (long long)gridDim.x * R;
    uint4 *mine = stages + threadIdx.y * ROW; // in stage 0
    for (int k = 0; k < V; k++) {
        load_parameters(gamma + (threadIdx.x + k * T) * N, g[k]);
    }
    for (int s = 0; s < STAGES; s++) {
        fetch_row<number, COLS, V>(mine + s * STAGE, x, row + s * step, rows);
        fetch_row<number, COLS, V>(mine + s * STAGE + R * ROW, dy, row + s * step, rows);
        __pipeline_commit();
    }
    float m = row < rows ? mean[row] : 0.0f, r = row < rows ? rstd[row] : 0.0f;
    for (int i = 0; tile < tiles; i++, tile += gridDim.x, row += step) {
        uint4 *stage = mine + i % STAGES * STAGE;
        bool live = row < rows, more = row + step < rows;
        float next_m = more ? mean[row + step] : 0.0f, next_r = more ? rstd[row + step] : 0.0f;
        __pipeline_wait_prior(STAGES - 1);
        for (int k = 0; k < V; k++) {
            unpack(live ? stage[threadIdx.x + k * T] : none, a[k]);
            unpack(live ? stage[R * ROW + threadIdx.x + k * T] : none, d[k]);
        }
        fetch_row<number, COLS, V>(stage, x, row + STAGES * step, rows);
        fetch_row<number, COLS, V>(stage + R * ROW, dy, row + STAGES * step, rows);
        __pipeline_commit();
        backward_row<COLS, T>(a, d, g, m, r, (uint4 *)(dx + row * COLS), dgamma, dbeta, live, turn);
        turn ^= 1;
        m = next_m;
        r = next_r;
    }
    leave_columns<COLS, T, R>(dgamma, dbeta, partial);
}

/* partial[blocks][2][cols] -> dgamma and dbeta: a block for 32 of the 2 * cols columns, a warp for every 32nd block. */
static __global__ void __launch_bounds__(1024)
    partials_kernel(const float *partial, int blocks, float *dgamma, float *dbeta, int cols) {
    __shared__ float sums[WARP][WARP + 1]; // one more: lesson 08
    int c = blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    for (int b = threadIdx.y; b < blocks && c < 2 * cols; b += WARP) {
        sum += partial[(size_t)b * 2 * cols + c];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = warp_sum(sums[threadIdx.x][threadIdx.y]);
    c = blockIdx.x * WARP + threadIdx.y;
    if (threadIdx.x == 0 && c < 2 * cols) {
        (c < cols ? dgamma : dbeta)[c % cols] = sum;
    }
}

// ---------------------------------------------------------------- the launchers

static bool aligned(const void *p) {
    return (uintptr_t)p % sizeof(uint4) == 0;
}

/* May the rows be taken in pieces, and are they no wider than `widest` pieces? */
template <class number> static bool in_pieces(const struct arrays<number> *a, int widest) {
    int pieces = a->cols / (int)(16 / sizeof(number));
    return a->cols % (16 / sizeof(number)) == 0 && pieces <= widest && aligned(a->x) && aligned(a->residual) &&
           aligned(a->dy) && aligned(a->sum) && aligned(a->y) && aligned(a->gamma) && aligned(a->beta);
}

/* The widths that versions 5, 6, 7, 9, 12 and 13 are compiled for. */
static bool known_width(int cols) {
    return cols == 1024 || cols == 2048 || cols == 4096 || cols == 8192;
}

template <class number> static void layernorm1(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows > 0) {
        layernorm_kernel1<<<a->rows, BLOCK, 0, stream>>>(a->x, a->y, a->gamma, a->beta, a->mean, a->rstd, a->cols);
        CUDA_CHECK_LAUNCH();
    }
}

template <class number> static void layernorm2(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows > 0) {
        layernorm_kernel2<<<a->rows, BLOCK, 0, stream>>>(a->x, a->y, a->gamma, a->beta, a->mean, a->rstd, a->cols);
        CUDA_CHECK_LAUNCH();
    }
}

template <class number> static void layernorm3(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows > 0) {
        layernorm_kernel3<<<a->rows, BLOCK, 0, stream>>>(a->x, a->y, a->gamma, a->beta, a->mean, a->rstd, a->cols);
        CUDA_CHECK_LAUNCH();
    }
}

/* Rows that cannot be taken in pieces, or are too wide for a block's registers, go to version 3. */
template <class number> static void layernorm4(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows == 0 || !in_pieces(a, PIECES * WIDEST)) {
        layernorm3(a, stream);
        return;
    }
    int pieces = a->cols / (int)(16 / sizeof(number)), width = ceil_div(ceil_div(pieces, PIECES), WARP) * WARP;
    layernorm_kernel4<<<a->rows, max(width, 128), 0, stream>>>(a->x, a->y, a->gamma, a->beta, a->mean, a->rstd,
                                                               a->cols);
    CUDA_CHECK_LAUNCH();
}

template <class number, int COLS> static void layernorm5_of(const struct arrays<number> *a, cudaStream_t stream) {
    constexpr int T = threads_for<number>(COLS, PIECES), R = rows_of_block(T, 128);
    layernorm_kernel5<number, COLS>
        <<<ceil_div(a->rows, R), dim3(T, R), 0, stream>>>(a->x, a->y, a->gamma, a->beta, a->mean, a->rstd, a->rows);
    CUDA_CHECK_LAUNCH();
}

template <class number> static void layernorm5(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows == 0 || !known_width(a->cols) || !in_pieces(a, INT_MAX)) {
        layernorm4(a, stream);
        return;
    }
    (a->cols == 1024   ? layernorm5_of<number, 1024>
     : a->cols == 2048 ? layernorm5_of<number, 2048>
     : a->cols == 4096 ? layernorm5_of<number, 4096>
                       : layernorm5_of<number, 8192>)(a, stream);
}

/* How many blocks of a persistent kernel fit on the GPU; 0: it does not have enough shared memory. This takes several calls,
 * so launchers query it once. */
template <class kernel_type> static int blocks_that_fit(kernel_type kernel, dim3 block, size_t shared) {
    int device = 0, largest = 0, each = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&largest, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (shared > (size_t)largest) {
        return 0;
    }
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, block.x * block.y, shared));
    return min(each, (int)PARTIAL_BLOCKS_PER_SM) * multiprocessors();
}

template <class number, int COLS> static void layernorm6_of(const struct arrays<number> *a, cudaStream_t stream) {
    constexpr int T = threads_for<number>(COLS, PIECES), R = rows_of_block(T, 256);
    size_t shared = STAGES * R * COLS * sizeof(number);
    static const int fit = blocks_that_fit(layernorm_kernel6<number, COLS>, dim3(T, R), shared);
    int blocks = min(fit, ceil_div(a->rows, R * ROWS_EACH));
    if (blocks == 0) {
        layernorm5(a, stream);
        return;
    }
    layernorm_kernel6<number, COLS>
        <<<blocks, dim3(T, R), shared, stream>>>(a->x, a->y, a->gamma, a->beta, a->mean, a->rstd, a->rows);
    CUDA_CHECK_LAUNCH();
}

template <class number> static void layernorm6(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows == 0 || !known_width(a->cols) || !in_pieces(a, INT_MAX)) {
        layernorm4(a, stream);
        return;
    }
    (a->cols == 1024   ? layernorm6_of<number, 1024>
     : a->cols == 2048 ? layernorm6_of<number, 2048>
     : a->cols == 4096 ? layernorm6_of<number, 4096>
                       : layernorm6_of<number, 8192>)(a, stream);
}

template <class number, int COLS> static void rmsnorm7_of(const struct arrays<number> *a, cudaStream_t stream) {
    constexpr int T = threads_for<number>(COLS, PIECES), R = rows_of_block(T, 128);
    rmsnorm_kernel7<number, COLS>
        <<<ceil_div(a->rows, R), dim3(T, R), 0, stream>>>(a->x, a->y, a->gamma, a->rstd, a->rows);
    CUDA_CHECK_LAUNCH();
}

template <class number> static void rmsnorm7(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows == 0) {
        return;
    }
    if (!known_width(a->cols) || !in_pieces(a, INT_MAX)) {
        rmsnorm_any_kernel<<<a->rows, BLOCK, 0, stream>>>(a->x, a->y, a->gamma, a->rstd, a->cols);
        CUDA_CHECK_LAUNCH();
        return;
    }
    (a->cols == 1024   ? rmsnorm7_of<number, 1024>
     : a->cols == 2048 ? rmsnorm7_of<number, 2048>
     : a->cols == 4096 ? rmsnorm7_of<number, 4096>
                       : rmsnorm7_of<number, 8192>)(a, stream);
}

/* Version 8 and, for other widths, version 9. */
template <class number> static void add8(const struct arrays<number> *a, cudaStream_t stream) {
    size_t count = (size_t)a->rows * a->cols, pieces = count / (16 / sizeof(number));
    struct arrays<number> added = *a;
    added.x = a->sum;
    if (count == 0) {
        return;
    }
    if (in_pieces(a, INT_MAX)) {
        add_kernel8<<<(unsigned)((pieces + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>(a->x, a->residual, a->sum, pieces);
    } else {
        add_any_kernel<<<(unsigned)((count + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>(a->x, a->residual, a->sum, count);
    }
    CUDA_CHECK_LAUNCH();
    layernorm5(&added, stream);
}

template <class number, int COLS> static void add9_of(const struct arrays<number> *a, cudaStream_t stream) {
    constexpr int T = threads_for<number>(COLS, ADD_PIECES), R = rows_of_block(T, 128);
    add_kernel9<number, COLS><<<ceil_div(a->rows, R), dim3(T, R), 0, stream>>>(
        a->x, a->residual, a->sum, a->y, a->gamma, a->beta, a->mean, a->rstd, a->rows);
    CUDA_CHECK_LAUNCH();
}

template <class number> static void add9(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows == 0 || !known_width(a->cols) || !in_pieces(a, INT_MAX)) {
        add8(a, stream);
        return;
    }
    (a->cols == 1024   ? add9_of<number, 1024>
     : a->cols == 2048 ? add9_of<number, 2048>
     : a->cols == 4096 ? add9_of<number, 4096>
                       : add9_of<number, 8192>)(a, stream);
}

/* Of no rows the column sums are 0, and a grid of no blocks is none. */
template <class number> static void backward10(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->cols == 0) {
        return;
    }
    if (a->rows > 0) {
        backward_kernel10<<<a->rows, BLOCK, 0, stream>>>(a->dy, a->x, a->dx, a->gamma, a->mean, a->rstd, a->cols);
        CUDA_CHECK_LAUNCH();
    }
    columns_kernel10<<<ceil_div(a->cols, WARP), dim3(WARP, LINES), 0, stream>>>(a->dy, a->x, a->mean, a->rstd,
                                                                                a->dgamma, a->dbeta, a->rows, a->cols);
    CUDA_CHECK_LAUNCH();
}

template <class number> static void backward11(const struct arrays<number> *a, cudaStream_t stream) {
    CUDA_CHECK(cudaMemsetAsync(a->dgamma, 0, a->cols * sizeof(float), stream));
    CUDA_CHECK(cudaMemsetAsync(a->dbeta, 0, a->cols * sizeof(float), stream));
    if (a->rows > 0) {
        backward_kernel11<<<a->rows, BLOCK, 0, stream>>>(a->dy, a->x, a->dx, a->gamma, a->mean, a->rstd, a->dgamma,
                                                         a->dbeta, a->cols);
        CUDA_CHECK_LAUNCH();
    }
}

/* Version 12, or 13 where rows are prefetched and there is shared memory for them. */
template <class number, int COLS, bool AHEAD>
static void backward_of(const struct arrays<number> *a, cudaStream_t stream) {
    constexpr int R = rows_together<number>(COLS);
    dim3 block(block_threads<number>(COLS) / R, R);
    size_t columns = R > 1 ? 2 * COLS * sizeof(float) : 0, ahead = 2 * STAGES * R * COLS * sizeof(number);
    size_t shared = AHEAD ? max(columns, ahead) : columns;
    auto kernel = AHEAD ? backward_kernel13<number, COLS> : backward_kernel12<number, COLS>;
    static const int fit = blocks_that_fit(kernel, block, shared);
    int blocks = min(fit, ceil_div(a->rows, R * ROWS_EACH));
    if (blocks == 0) {
        backward_of<number, COLS, false>(a, stream);
        return;
    }
    kernel<<<blocks, block, shared, stream>>>(a->dy, a->x, a->dx, a->gamma, a->mean, a->rstd, a->partial, a->rows);
    CUDA_CHECK_LAUNCH();
    partials_kernel<<<ceil_div(2 * COLS, WARP), dim3(WARP, WARP), 0, stream>>>(a->partial, blocks, a->dgamma, a->dbeta,
                                                                               COLS);
    CUDA_CHECK_LAUNCH();
}

template <class number, bool AHEAD> static void backward_any(const struct arrays<number> *a, cudaStream_t stream) {
    if (a->rows == 0 || !known_width(a->cols) || !in_pieces(a, INT_MAX)) {
        backward10(a, stream);
        return;
    }
    (a->cols == 1024   ? backward_of<number, 1024, AHEAD>
     : a->cols == 2048 ? backward_of<number, 2048, AHEAD>
     : a->cols == 4096 ? backward_of<number, 4096, AHEAD>
                       : backward_of<number, 8192, AHEAD>)(a, stream);
}

template <class number> static void backward12(const struct arrays<number> *a, cudaStream_t stream) {
    backward_any<number, false>(a, stream);
}

template <class number> static void backward13(const struct arrays<number> *a, cudaStream_t stream) {
    backward_any<number, true>(a, stream);
}

static const struct version versions[] = {
    {"layernorm_kernel1", FORWARD, layernorm1, layernorm1},
    {"layernorm_kernel2", FORWARD, layernorm2, layernorm2},
    {"layernorm_kernel3", FORWARD, layernorm3, layernorm3},
    {"layernorm_kernel4", FORWARD, layernorm4, layernorm4},
    {"layernorm_kernel5", FORWARD, layernorm5, layernorm5},
    {"layernorm_kernel6", FORWARD, layernorm6, layernorm6},
    {"rmsnorm_kernel7", RMS, rmsnorm7, rmsnorm7},
    {"add_kernel8", ADD, add8, add8},
    {"add_kernel9", ADD, add9, add9},
    {"backward_kernel10", BACKWARD, backward10, backward10},
    {"backward_kernel11", BACKWARD, backward11, backward11},
    {"backward_kernel12", BACKWARD, backward12, backward12},
    {"backward_kernel13", BACKWARD, backward13, backward13},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    int first = options.version ? options.version - 1 : 0;
    int last = options.version ? options.version - 1 : VERSIONS - 1;
    struct shapes shapes = shapes_of(&options);
    frame<float> lesson = frame_of<float>("layernorm", versions, VERSIONS);
    lesson.verified = shapes.verified, lesson.verified_count = shapes.small;
    lesson.measured = shapes.measured, lesson.measured_count = shapes.large;
    lesson.verify_size = verify_both, lesson.measure_size = measure_both;
    device_print_backend();
    lesson_verify_all(&lesson, &options);
    if (verify_tally()->failures == 0) {
        compare_errors(versions, first, last, options.seed);
        compare_repeats(versions, first, last, options.seed);
    }
    lesson_measure_all(&lesson, &options);
    return verify_finish(lesson.what);
}
