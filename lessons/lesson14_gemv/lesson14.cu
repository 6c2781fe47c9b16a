/* Lesson 14: a matrix times a vector, which a language model does with all of its weights for every token.
 *
 *     make lesson14 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson14 run V=4 SIZE=1000       one version, a matrix of 1000 x 1000
 *
 * You will learn why this product is limited by how fast its matrix can be read and by nothing else, how to read it as
 * fast as the memory allows, and what to do when that is not fast enough: read fewer bytes.
 *
 *     gemv_kernel1    a thread for each row
 *     gemv_kernel2    a warp for each row: neighbouring lanes read neighbouring weights
 *     gemv_kernel3    16 bytes at a time, four of them in flight
 *     gemv_kernel4    two rows for a warp: each x is read once for both
 *     gemv_kernel5    two rows for a block: shorter pieces of work
 *     gemv_kernel6    few rows: several blocks share them, and the last one adds up
 *     gemv_kernel7    the transposed matrix, as it is stored: a thread for each four columns
 *     gemv_kernel8    weights of 2 bytes (fp16)
 *     gemv_kernel9    weights of 1 byte (int8), a scale for each 128 of them
 *     gemv_kernel10   weights of half a byte (int4); a thread keeps its x in registers
 *     gemv_kernel11   several vectors at once (fp16): each weight is read once for all of them
 *
 * y = W x: W has M rows and N columns and is row-major, x has N elements and y has M. Version 7 computes y = W' x, where
 * x has M elements and y has N.
 */
// sizes: 0 1 31 33 1000 260
#include <cuda_fp16.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"
#include "measure.h"

enum { WARP = 32 };
enum { BLOCK = 128, WARPS = BLOCK / WARP };          // versions 1 to 4: a warp has separate rows
enum { WIDE_BLOCK = 256, WIDE = WIDE_BLOCK / WARP }; // versions 5 to 7: a block has them
#define ALL_LANES 0xffffffffu

// ---------------------------------------------------------------- the reference

/* In double, whatever W was stored as: w has its values. y[b] = W x[b] for each of `batch` vectors. */
static void gemv_cpu(const float *w, const float *x, double *y, int M, int N, int batch) {
    for (int b = 0; b < batch; b++) {
        for (int m = 0; m < M; m++) {
            double sum = 0.0;
            for (int n = 0; n < N; n++) {
                sum += (double)w[(size_t)m * N + n] * x[(size_t)b * N + n];
            }
            y[(size_t)b * M + m] = sum;
        }
    }
}

static void gemv_transposed_cpu(const float *w, const float *x, double *y, int M, int N) {
    for (int n = 0; n < N; n++) {
        y[n] = 0.0;
    }
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            y[n] += (double)w[(size_t)m * N + n] * x[m];
        }
    }
}

// ---------------------------------------------------------------- what several versions share

/* From lesson 10: the sum over the lanes, in all of them. */
static __device__ float warp_sum(float value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    return value;
}

/* 16 bytes of the matrix. They are not read again, so L1 need not keep them, and has more room for x. */
static __device__ uint4 load_once(const uint4 *from) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
    return v;
}

/* 16 bytes, or zeros where there is nothing: weights of 0 add nothing. */
static __device__ uint4 load_once_or_0(const uint4 *from, bool inside) {
    return inside ? load_once(from) : make_uint4(0, 0, 0, 0);
}

static __device__ float4 as_float4(uint4 v) {
    return make_float4(__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z), __uint_as_float(v.w));
}

static __device__ float dot(float sum, float4 a, float4 b) {
    return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// ---------------------------------------------------------------- fp32

/* W[M][N], x[N] -> y[M], float, as in versions 2 to 5.
 *
 * Version 1: a thread for each row. What do the lanes of a warp read in one step? */
static __global__ void gemv_kernel1(const float *W, const float *x, float *y, int M, int N) {
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= M) {
        return;
    }
    float sum = 0.0f;
    for (int n = 0; n < N; n++) {
        sum += W[(size_t)row * N + n] * x[n];
    }
    y[row] = sum;
}

/* Version 2: a warp for each row. The lanes take neighbouring weights, and add up what each has in the end. */
template <class T> static __global__ void gemv_kernel2(const T *W, const T *x, float *y, int M, int N) {
    int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= M) {
        return; // the whole warp
    }
    float sum = 0.0f;
    for (int n = lane; n < N; n += WARP) {
        sum += (float)W[(size_t)row * N + n] * (float)x[n];
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        y[row] = sum;
    }
}

/* Version 3: from here on N is a multiple of 4, so each row begins on a multiple of 16 bytes. A lane loads four
 * float4, 2 KB for each warp, and the next four before the next iteration: left to itself, the compiler would put each
 * load right in front of where its numbers are used, and the warp would wait four times instead of once. */
static __global__ void gemv_kernel3(const float *W, const float *x, float *y, int M, int N) {
    enum { LOADS = 4 };
    int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP, vectors = N / 4;
    if (row >= M) {
        return;
    }
    const uint4 *w = (const uint4 *)&W[(size_t)row * N];
    uint4 a[LOADS];
    auto ask_for = [&](int first) { // a lambda: a function that sees the variables of the kernel
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            int i = first + k * WARP;
            a[k] = load_once_or_0(&w[i], i < vectors);
        }
    };
    float sum = 0.0f;
    ask_for(lane);
    for (int first = lane; first < vectors; first += LOADS * WARP) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            int i = min(first + k * WARP, vectors - 1);
            sum = dot(sum, as_float4(a[k]), ((const float4 *)x)[i]);
        }
        ask_for(first + LOADS * WARP);
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        y[row] = sum;
    }
}

/* The parts of a row that lane 0 of each warp has summed up are written by the first lanes: lane r writes row r. */
template <int ROWS> static __device__ void write_rows(float (&sum)[ROWS], float *y, int row, int M, int lane) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float total = warp_sum(sum[r]);
        if (lane == r && row + r < M) {
            y[row + r] = total;
        }
    }
}

/* Version 4: two rows for a warp. In version 3 there is a load of x for each load of W; now one for two. A row that does
 * not exist is replaced by the last one, and is not written. */
static __global__ void gemv_kernel4(const float *W, const float *x, float *y, int M, int N) {
    enum { ROWS = 2, LOADS = 4 };
    int row = (blockIdx.x * WARPS + threadIdx.x / WARP) * ROWS, lane = threadIdx.x % WARP, vectors = N / 4;
    if (row >= M) {
        return;
    }
    uint4 a[ROWS][LOADS];
    auto ask_for = [&](int first) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint4 *w = (const uint4 *)&W[(size_t)min(row + r, M - 1) * N];
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                int i = first + k * WARP;
                a[r][k] = load_once_or_0(&w[i], i < vectors);
            }
        }
    };
    float sum[ROWS] = {};
    ask_for(lane);
    for (int first = lane; first < vectors; first += LOADS * WARP) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            float4 b = ((const float4 *)x)[min(first + k * WARP, vectors - 1)];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                sum[r] = dot(sum[r], as_float4(a[r][k]), b);
            }
        }
        ask_for(first + LOADS * WARP);
    }
    write_rows(sum, y, row, M, lane);
}

/* R sums over the lanes at once, R = 1, 2, 4 or 8; lane l has number l % R of them. In each of the first steps a lane gives
 * half of its values away, and adds what it gets to the other half. Eight sums take 9 shuffles instead of 40. */
template <int R> static __device__ float warp_sums(float *sum) {
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int half = R / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < half; i++) {
            float kept = lane & half ? sum[i + half] : sum[i], given = lane & half ? sum[i] : sum[i + half];
            sum[i] = kept + __shfl_xor_sync(ALL_LANES, given, half);
        }
    }
#pragma unroll
    for (int step = R; step < WARP; step *= 2) {
        sum[0] += __shfl_xor_sync(ALL_LANES, sum[0], step);
    }
    return sum[0];
}

/* The sums of a block's rows: thread r < ROWS has that of row r. A loop calls it with turn 0, 1, 0, ...: a fast warp then
 * writes the sums of the next call beside those that a slow one still reads, and one barrier is enough. */
template <int ROWS> static __device__ float block_sums(float (&sum)[ROWS], int warps, int turn) {
    enum { EACH = ROWS < 8 ? ROWS : 8 };
    __shared__ float sums[2][ROWS][WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
#pragma unroll
    for (int first = 0; first < ROWS; first += EACH) {
        float total = warp_sums<EACH>(&sum[first]);
        if (lane < EACH) {
            sums[turn][first + lane][warp] = total;
        }
    }
    __syncthreads();
    float total = 0.0f;
    if (threadIdx.x < ROWS) {
        for (int k = 0; k < warps; k++) {
            total += sums[turn][threadIdx.x][k];
        }
    }
    return total;
}

/* Version 5: two rows for a block. A warp that has two rows for itself is busy for long, and towards the end some still are
 * when no work is left to start. Eight warps that share them are done eight times as soon. The sum now goes through shared
 * memory, as in lesson 10. */
static __global__ void gemv_kernel5(const float *W, const float *x, float *y, int M, int N) {
    enum { ROWS = 2, LOADS = 2 };
    int row = blockIdx.x * ROWS, vectors = N / 4;
    uint4 a[ROWS][LOADS];
    auto ask_for = [&](int first) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint4 *w = (const uint4 *)&W[(size_t)min(row + r, M - 1) * N];
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                int i = first + k * WIDE_BLOCK;
                a[r][k] = load_once_or_0(&w[i], i < vectors);
            }
        }
    };
    float sum[ROWS] = {};
    ask_for(threadIdx.x);
    for (int first = threadIdx.x; first < vectors; first += LOADS * WIDE_BLOCK) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            float4 b = ((const float4 *)x)[min(first + k * WIDE_BLOCK, vectors - 1)];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                sum[r] = dot(sum[r], as_float4(a[r][k]), b);
            }
        }
        ask_for(first + LOADS * WIDE_BLOCK);
    }
    float total = block_sums(sum, WIDE, 0);
    if (threadIdx.x < ROWS && row + threadIdx.x < M) {
        y[row + threadIdx.x] = total;
    }
}

/* For versions 6 and 7, whose blocks have parts of a sum: counts the blocks of a group that have written theirs, and is
 * true in the last one. Lesson 10's version 10: the fence before, as a block that reads the number must see the part; atomicInc
 * begins again at 0, so the counter is ready for the next launch. */
static __device__ bool is_last(unsigned *done, unsigned parts) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicInc(done, parts - 1) == parts - 1;
    }
    __syncthreads();
    __threadfence();
    return last;
}

/* Elements first .. first + count - 1 of y: the sum of the parts, in their order. partial[parts][n]. */
static __device__ void add_parts(const float *partial, float *y, int first, int count, int n, int parts) {
    for (int i = first + threadIdx.x; i < min(first + count, n); i += blockDim.x) {
        float sum = 0.0f;
        for (int p = 0; p < parts; p++) {
            sum += __ldcg(&partial[(size_t)p * n + i]); // from L2, which all SMs share
        }
        y[i] = sum;
    }
}

/* Version 6: gridDim.y blocks share two rows; block y of them has `part` vectors of each (split-K). */
static __global__ void gemv_kernel6(const float *W, const float *x, float *y, int M, int N, int part, float *partial,
                                    unsigned *done) {
    enum { ROWS = 2, LOADS = 2 };
    int row = blockIdx.x * ROWS, vectors = N / 4, begin = blockIdx.y * part, end = min(begin + part, vectors);
    uint4 a[ROWS][LOADS];
    auto ask_for = [&](int first) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint4 *w = (const uint4 *)&W[(size_t)min(row + r, M - 1) * N];
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                int i = first + k * WIDE_BLOCK;
                a[r][k] = load_once_or_0(&w[i], i < end);
            }
        }
    };
    float sum[ROWS] = {};
    ask_for(begin + threadIdx.x);
    for (int first = begin + threadIdx.x; first < end; first += LOADS * WIDE_BLOCK) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            float4 b = ((const float4 *)x)[min(first + k * WIDE_BLOCK, vectors - 1)];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                sum[r] = dot(sum[r], as_float4(a[r][k]), b);
            }
        }
        ask_for(first + LOADS * WIDE_BLOCK);
    }
    float total = block_sums(sum, WIDE, 0);
    if (threadIdx.x < ROWS && row + threadIdx.x < M) {
        partial[(size_t)blockIdx.y * M + row + threadIdx.x] = total;
    }
    if (is_last(&done[blockIdx.x], gridDim.y)) {
        add_parts(partial, y, row, ROWS, M, gridDim.y);
    }
}

/* Version 7: y[N] = W' x[M], and W is stored as before. A column of W is a row of W': its weights are N apart. So a thread has
 * four neighbouring columns, and walks down: neighbouring threads, neighbouring addresses. A block has 32 threads across
 * and 8 down, whose sums are combined in shared memory; it has `part` rows, and gridDim.y blocks share the columns. */
static __global__ void gemv_kernel7(const float *W, const float *x, float *y, int M, int N, int part, float *partial,
                                    unsigned *done) {
    enum { LOADS = 8, DOWN = WIDE_BLOCK / WARP };
    __shared__ float4 sums[DOWN][WARP];
    int across = threadIdx.x % WARP, down = threadIdx.x / WARP, vectors = N / 4, column = blockIdx.x * WARP + across;
    int begin = blockIdx.y * part, end = min(begin + part, M);
    const uint4 *w = (const uint4 *)W + column;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int first = begin + down; first < end; first += LOADS * DOWN) {
        uint4 a[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            int row = first + k * DOWN;
            a[k] = load_once_or_0(&w[(size_t)row * vectors], row < end && column < vectors);
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            float4 v = as_float4(a[k]);
            float b = x[min(first + k * DOWN, M - 1)];
            sum.x += v.x * b, sum.y += v.y * b, sum.z += v.z * b, sum.w += v.w * b;
        }
    }
    sums[down][across] = sum;
    __syncthreads();
    if (down == 0 && column < vectors) {
        for (int k = 1; k < DOWN; k++) {
            float4 v = sums[k][across];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
        *(float4 *)&partial[(size_t)blockIdx.y * N + 4 * column] = sum;
    }
    if (is_last(&done[blockIdx.x], gridDim.y)) {
        add_parts(partial, y, blockIdx.x * WARP * 4, WARP * 4, N, gridDim.y);
    }
}

// ---------------------------------------------------------------- fewer bytes for a weight

static __device__ __half2 as_half2(uint32_t bits) {
    return *(__half2 *)&bits;
}

/* Two products of fp16 numbers, computed and added in fp32. */
static __device__ float dot(float sum, uint32_t a, uint32_t b) {
    float2 v = __half22float2(as_half2(a)), w = __half22float2(as_half2(b));
    return sum + v.x * w.x + v.y * w.y;
}

static __device__ float dot(float sum, uint4 a, uint4 b) {
    return dot(dot(dot(dot(sum, a.x, b.x), a.y, b.y), a.z, b.z), a.w, b.w);
}

/* Version 8: W and x in fp16, N a multiple of 8. As version 5; 16 bytes are eight weights now, so a row has half as many
 * loads, and a block of 16 warps takes four rows, with one load for each. With so little for a thread to do, registers
 * that let three blocks fit on an SM are worth more than early loads. */
static __global__ void gemv_kernel8(const __half *W, const __half *x, float *y, int M, int N) {
    enum { ROWS = 4, THREADS = 2 * WIDE_BLOCK };
    int row = blockIdx.x * ROWS, vectors = N / 8;
    float sum[ROWS] = {};
    for (int i = threadIdx.x; i < vectors; i += THREADS) {
        uint4 a[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            a[r] = load_once((const uint4 *)&W[(size_t)min(row + r, M - 1) * N] + i);
        }
        uint4 b = ((const uint4 *)x)[i];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            sum[r] = dot(sum[r], a[r], b);
        }
    }
    float total = block_sums(sum, THREADS / WARP, 0);
    if (threadIdx.x < ROWS && row + threadIdx.x < M) {
        y[row + threadIdx.x] = total;
    }
}

/* Four int8 weights, times four x in fp16. A byte becomes a number without a conversion: as the lowest byte of an fp16 number
 * it counts in ones if the other byte is that of 1024, 0x64. So 0x64.. is 1024 plus the byte. The sign bit, turned
 * round, adds 128 to an int8, which makes it a byte from 0 to 255; 1024 + 128 is then taken away again, exactly. */
static __device__ float dot_int8(float sum, uint32_t q, uint32_t x01, uint32_t x23) {
    const __half2 offset = as_half2(0x64806480); // 1152, twice
    q ^= 0x80808080u;
    __half2 w01 = __hsub2(as_half2(__byte_perm(q, 0x64646464, 0x4140)), offset);
    __half2 w23 = __hsub2(as_half2(__byte_perm(q, 0x64646464, 0x4342)), offset);
    return dot(dot(sum, *(uint32_t *)&w01, x01), *(uint32_t *)&w23, x23);
}

/* Version 9: int8, and one fp16 scale for each GROUP of 128 weights: W[m][n] = scales[m][n / 128] * q[m][n]. N is a
 * multiple of 128, so the 16 weights of a load have one scale. As version 5, with fewer threads: a row is shorter still. */
static __global__ void gemv_kernel9(const int8_t *W, const __half *scales, const __half *x, float *y, int M, int N) {
    enum { ROWS = 2, LOADS = 2 };
    int row = blockIdx.x * ROWS, vectors = N / 16;
    uint4 a[ROWS][LOADS];
    __half scale[ROWS][LOADS];
    auto ask_for = [&](int first) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            size_t start = (size_t)min(row + r, M - 1) * vectors;
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                int i = first + k * BLOCK;
                a[r][k] = load_once_or_0((const uint4 *)W + start + i, i < vectors);
                scale[r][k] = scales[(start + min(i, vectors - 1)) / (GROUP / 16)];
            }
        }
    };
    float sum[ROWS] = {};
    if (vectors > 0) {
        ask_for(threadIdx.x);
    }
    for (int first = threadIdx.x; first < vectors; first += LOADS * BLOCK) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            const uint4 *v = (const uint4 *)x + 2 * min(first + k * BLOCK, vectors - 1); // 16 of x are 32 bytes
            uint4 b = v[0], c = v[1];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                float part = dot_int8(0.0f, a[r][k].x, b.x, b.y);
                part = dot_int8(part, a[r][k].y, b.z, b.w);
                part = dot_int8(part, a[r][k].z, c.x, c.y);
                part = dot_int8(part, a[r][k].w, c.z, c.w);
                sum[r] += (float)scale[r][k] * part;
            }
        }
        ask_for(first + LOADS * BLOCK);
    }
    float total = block_sums(sum, WARPS, 0);
    if (threadIdx.x < ROWS && row + threadIdx.x < M) {
        y[row + threadIdx.x] = total;
    }
}

/* Eight int4 weights, each stored with 8 added, times eight x, added in fp16. Weights 2k and 2k + 1 are in bits 4k and
 * 16 + 4k of the word, so one mask keeps both, in the two halves of a word; and four bits at the low end of an fp16 number
 * are a number already, a subnormal one: 2^-24 times their value. Four bits further up they count 16 times, and the x
 * that they multiply are 16 times smaller. No conversion, no subtraction. */
static __device__ __half2 dot_int4(__half2 sum, uint32_t q, uint4 x) {
    sum = __hfma2(as_half2(q & 0x000f000f), as_half2(x.x), sum);
    sum = __hfma2(as_half2(q & 0x00f000f0), as_half2(x.y), sum);
    q >>= 8;
    sum = __hfma2(as_half2(q & 0x000f000f), as_half2(x.z), sum);
    return __hfma2(as_half2(q & 0x00f000f0), as_half2(x.w), sum);
}

/* The x of a thread's 32 columns, for version 10. */
struct ready_x {
    uint4 v[4];       // in the order of dot_int4
    float sum, scale; // of the x, as they were; what a result of dot_int4 has to be multiplied by
};

static __device__ float absolute_max(float most, uint32_t two) {
    float2 v = __half22float2(as_half2(two));
    return fmaxf(most, fmaxf(fabsf(v.x), fabsf(v.y)));
}

/* The largest |x| of the block, in all threads. */
static __device__ float block_max(float value) {
    __shared__ float largest[WARP];
    int lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
    for (int step = WARP / 2; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, step));
    }
    if (lane == 0) {
        largest[threadIdx.x / WARP] = value;
    }
    __syncthreads();
    value = lane < warps ? largest[lane] : 0.0f;
    for (int step = WARP / 2; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, step));
    }
    return value;
}

/* Numbers of 2^-24 need large factors. So x is multiplied by the power of two that brings the block's largest |x| to
 * between 2^14 and 2^15, just below the largest fp16 number, and the result is divided by that. Both are exact. */
static __device__ struct ready_x get_ready(const uint4 *x, bool inside) {
    struct ready_x ready;
    float most = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        ready.v[j] = inside ? x[j] : make_uint4(0, 0, 0, 0);
        most = absolute_max(absolute_max(most, ready.v[j].x), ready.v[j].y);
        most = absolute_max(absolute_max(most, ready.v[j].z), ready.v[j].w);
    }
    most = block_max(most);
    int exponent = most > 0.0f ? ilogbf(most) : 0;
    float larger = ldexpf(1.0f, 14 - exponent);
    ready.scale = ldexpf(1.0f, 24 - (14 - exponent));
    ready.sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        uint32_t *words = &ready.v[j].x;
#pragma unroll
        for (int p = 0; p < 4; p++) {
            float2 v = __half22float2(as_half2(words[p]));
            float by = p % 2 == 0 ? larger : larger / 16;
            __half2 grown = __floats2half2_rn(v.x * by, v.y * by);
            ready.sum += v.x + v.y;
            words[p] = *(uint32_t *)&grown;
        }
    }
    return ready;
}

/* Version 10: int4, N a multiple of 128. The x of 32 weights are 64 bytes, four times as many as the weights, and reading
 * them again for each few rows would be most of the work. So a block is as wide as a row, a thread has the same 32 columns
 * of all its rows, and their x stay in registers. The blocks are persistent: the one with row 0 continues at row gridDim.x * ROWS.
 * The 8 that each weight is too large makes 8 times the sum of x, once for all rows. Vectors before `begin` are another
 * launch's; THREADS is the most that a block may have, and the compiler leaves registers for BLOCKS of them on an SM. */
template <int THREADS, int ROWS, int BLOCKS>
static __global__ __launch_bounds__(THREADS, BLOCKS) void gemv_kernel10(const uint32_t *W, const __half *scales,
                                                                        const __half *x, float *y, int M, int N,
                                                                        int begin, int end) {
    int vectors = N / 32, i = min(begin + (int)threadIdx.x, end - 1), turn = 0;
    uint4 a[ROWS];
    __half scale[ROWS];
    auto ask_for = [&](int row) { // no load has a condition: a row that does not exist is the last one
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            size_t from = (size_t)min(row + r, M - 1) * vectors + i;
            a[r] = load_once((const uint4 *)W + from);
            scale[r] = scales[from / (GROUP / 32)];
        }
    };
    // A thread without columns reads what its neighbour does, and has x = 0.
    struct ready_x ready = get_ready((const uint4 *)x + 4 * i, begin + threadIdx.x < end);
    ask_for(blockIdx.x * ROWS);
    for (int row = blockIdx.x * ROWS; row < M; row += gridDim.x * ROWS) {
        float sum[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            __half2 part = dot_int4(__half2(0.0f, 0.0f), a[r].x, ready.v[0]);
            part = dot_int4(part, a[r].y, ready.v[1]);
            part = dot_int4(part, a[r].z, ready.v[2]);
            part = dot_int4(part, a[r].w, ready.v[3]);
            float2 two = __half22float2(part);
            sum[r] = (float)scale[r] * ((two.x + two.y) * ready.scale - 8.0f * ready.sum);
        }
        float total = block_sums(sum, blockDim.x / WARP, turn);
        if (threadIdx.x < ROWS && row + threadIdx.x < M) {
            y[row + threadIdx.x] = begin ? y[row + threadIdx.x] + total : total;
        }
        turn ^= 1;
        if (row + gridDim.x * ROWS < M) {
            ask_for(row + gridDim.x * ROWS);
        }
    }
}

// ---------------------------------------------------------------- several vectors

/* Version 11: x[BATCH][N] -> y[BATCH][M], fp16. As version 8, with four warps for four rows. The weights are read once for
 * all vectors; each of them costs BATCH multiply-adds now. */
template <int BATCH> static __global__ void gemv_kernel11(const __half *W, const __half *x, float *y, int M, int N) {
    enum { ROWS = 4 };
    int row = blockIdx.x * ROWS, vectors = N / 8;
    float sum[BATCH * ROWS] = {};
    for (int i = threadIdx.x; i < vectors; i += BLOCK) {
        uint4 a[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            a[r] = load_once((const uint4 *)&W[(size_t)min(row + r, M - 1) * N] + i);
        }
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            uint4 v = ((const uint4 *)&x[(size_t)b * N])[i];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                sum[b * ROWS + r] = dot(sum[b * ROWS + r], a[r], v);
            }
        }
    }
    float total = block_sums(sum, WARPS, 0);
    int b = threadIdx.x / ROWS, r = threadIdx.x % ROWS;
    if (b < BATCH && row + r < M) {
        y[(size_t)b * M + row + r] = total;
    }
}

// ---------------------------------------------------------------- the launchers

/* All of them: queued in `stream`, no waiting. M and N may be 0; a sum of nothing is 0, which all versions write. The
 * structs are measure.h's: where a problem has its arrays, in the format that the version is for. */

/* Versions 3 to 7 read float4, versions 8 and 11 eight numbers of fp16: every row has to begin on a multiple of 16 bytes.
 * Where that is not so, version 2 does the work. */
static bool rows_of_16_bytes(const struct gemv *g, size_t size) {
    return g->N * size % 16 == 0 && ((uintptr_t)g->W | (uintptr_t)g->x) % 16 == 0;
}

template <class T> static void gemv2_for(const struct gemv *g, cudaStream_t stream) {
    for (int b = 0; b < g->batch && g->M > 0; b++) {
        gemv_kernel2<<<ceil_div(g->M, WARPS), BLOCK, 0, stream>>>((const T *)g->W, (const T *)g->x + (size_t)b * g->N,
                                                                  g->y + (size_t)b * g->M, g->M, g->N);
        CUDA_CHECK_LAUNCH();
    }
}

static void gemv1(const struct gemv *g, cudaStream_t stream) {
    if (g->M > 0) {
        gemv_kernel1<<<ceil_div(g->M, BLOCK), BLOCK, 0, stream>>>((const float *)g->W, (const float *)g->x, g->y, g->M,
                                                                  g->N);
        CUDA_CHECK_LAUNCH();
    }
}

static void gemv2(const struct gemv *g, cudaStream_t stream) {
    gemv2_for<float>(g, stream);
}

/* Versions 3 to 5: a block for each `rows` rows. */
static void launch_rows(void (*kernel)(const float *, const float *, float *, int, int), int rows, int threads,
                        const struct gemv *g, cudaStream_t stream) {
    if (!rows_of_16_bytes(g, sizeof(float))) {
        gemv2(g, stream);
    } else if (g->M > 0) {
        kernel<<<ceil_div(g->M, rows), threads, 0, stream>>>((const float *)g->W, (const float *)g->x, g->y, g->M,
                                                             g->N);
        CUDA_CHECK_LAUNCH();
    }
}

static void gemv3(const struct gemv *g, cudaStream_t stream) {
    launch_rows(gemv_kernel3, WARPS, BLOCK, g, stream);
}

static void gemv4(const struct gemv *g, cudaStream_t stream) {
    launch_rows(gemv_kernel4, 2 * WARPS, BLOCK, g, stream);
}

static void gemv5(const struct gemv *g, cudaStream_t stream) {
    launch_rows(gemv_kernel5, 2, WIDE_BLOCK, g, stream);
}

/* How long a part is, of `all` rows or vectors, if `blocks` blocks are to become four for each SM: none shorter than
 * `least`, and no more parts than there is room for. */
static int part_for(int blocks, int all, int least) {
    int parts = min(ceil_div(4 * multiprocessors(), max(blocks, 1)), min(all / least, (int)PARTS_MAX));
    return max(ceil_div(all, max(parts, 1)), 1);
}

static void gemv6(const struct gemv *g, cudaStream_t stream) {
    if (!rows_of_16_bytes(g, sizeof(float))) {
        gemv2(g, stream);
    } else if (g->M > 0) {
        int blocks = ceil_div(g->M, 2), vectors = g->N / 4, part = part_for(blocks, vectors, WIDE_BLOCK);
        dim3 grid(blocks, max(1, ceil_div(vectors, part)));
        gemv_kernel6<<<grid, WIDE_BLOCK, 0, stream>>>((const float *)g->W, (const float *)g->x, g->y, g->M, g->N, part,
                                                      g->partial, g->done);
        CUDA_CHECK_LAUNCH();
    }
}

/* Where the columns do not fit: a thread for each one, as in version 1 for rows; here that is coalesced. */
static __global__ void gemv_columns_kernel(const float *W, const float *x, float *y, int M, int N) {
    int column = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0.0f;
    for (int m = 0; column < N && m < M; m++) {
        sum += W[(size_t)m * N + column] * x[m];
    }
    if (column < N) {
        y[column] = sum;
    }
}

static void gemv7(const struct gemv *g, cudaStream_t stream) {
    if (g->N == 0) {
        return;
    }
    if (!rows_of_16_bytes(g, sizeof(float))) {
        gemv_columns_kernel<<<ceil_div(g->N, BLOCK), BLOCK, 0, stream>>>((const float *)g->W, (const float *)g->x, g->y,
                                                                         g->M, g->N);
        CUDA_CHECK_LAUNCH();
        return;
    }
    int blocks = ceil_div(g->N / 4, WARP), part = part_for(blocks, g->M, WIDE_BLOCK / WARP);
    dim3 grid(blocks, max(1, ceil_div(g->M, part)));
    gemv_kernel7<<<grid, WIDE_BLOCK, 0, stream>>>((const float *)g->W, (const float *)g->x, g->y, g->M, g->N, part,
                                                  g->partial, g->done);
    CUDA_CHECK_LAUNCH();
}

static void gemv8(const struct gemv *g, cudaStream_t stream) {
    if (!rows_of_16_bytes(g, sizeof(__half))) {
        gemv2_for<__half>(g, stream);
    } else if (g->M > 0) {
        gemv_kernel8<<<ceil_div(g->M, 4), 2 * WIDE_BLOCK, 0, stream>>>((const __half *)g->W, (const __half *)g->x, g->y,
                                                                       g->M, g->N);
        CUDA_CHECK_LAUNCH();
    }
}

static void gemv9(const struct gemv *g, cudaStream_t stream) {
    if (g->M > 0) {
        gemv_kernel9<<<ceil_div(g->M, 2), BLOCK, 0, stream>>>((const int8_t *)g->W, g->scales, (const __half *)g->x,
                                                              g->y, g->M, g->N);
        CUDA_CHECK_LAUNCH();
    }
}

/* Version 10: a thread for each vector of a row. A block has at most 1024, so a longer row takes several launches, each of
 * which adds to y. There are as many blocks as fit at the same time. Wide blocks leave each thread fewer registers, so
 * these take four rows instead of eight. */
static void gemv10(const struct gemv *g, cudaStream_t stream) {
    int vectors = g->N / 32, width = ceil_div(vectors, max(1, ceil_div(vectors, 1024)));
    int threads = ceil_div(width, WARP) * WARP, rows = threads <= 512 ? 8 : 4, fit = 0;
    if (vectors == 0) {
        gemv2_for<__half>(g, stream); // writes zeros, and reads nothing
        return;
    }
    void (*kernel)(const uint32_t *, const __half *, const __half *, float *, int, int, int, int) =
        threads <= 256   ? gemv_kernel10<256, 8, 3>
        : threads <= 512 ? gemv_kernel10<512, 8, 1>
                         : gemv_kernel10<1024, 4, 1>;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, 0));
    int blocks = min(ceil_div(g->M, rows), fit * multiprocessors());
    for (int begin = 0; begin < vectors && g->M > 0; begin += width) {
        kernel<<<blocks, threads, 0, stream>>>((const uint32_t *)g->W, g->scales, (const __half *)g->x, g->y, g->M,
                                               g->N, begin, min(begin + width, vectors));
        CUDA_CHECK_LAUNCH();
    }
}

template <int BATCH> static void gemv11_for(const struct gemv *g, cudaStream_t stream) {
    gemv_kernel11<BATCH>
        <<<ceil_div(g->M, 4), BLOCK, 0, stream>>>((const __half *)g->W, (const __half *)g->x, g->y, g->M, g->N);
    CUDA_CHECK_LAUNCH();
}

/* A kernel for each number of vectors: it must be a compile-time constant, since the sums are kept in registers. */
static void gemv11(const struct gemv *g, cudaStream_t stream) {
    static void (*const kernels[])(const struct gemv *, cudaStream_t) = {gemv11_for<1>, gemv11_for<2>, gemv11_for<4>,
                                                                         gemv11_for<8>, gemv11_for<16>};
    if (!rows_of_16_bytes(g, sizeof(__half))) {
        gemv2_for<__half>(g, stream);
    } else if (g->M > 0) {
        int k = 0;
        while (1 << k != g->batch) {
            k++;
        }
        kernels[k](g, stream);
    }
}

static const struct version versions[] = {
    {"gemv_kernel1", FP32, gemv1},
    {"gemv_kernel2", FP32, gemv2},
    {"gemv_kernel3", FP32, gemv3},
    {"gemv_kernel4", FP32, gemv4},
    {"gemv_kernel5", FP32, gemv5},
    {"gemv_kernel6", FP32, gemv6},
    {"gemv_kernel7", FP32_TRANSPOSED, gemv7},
    {"gemv_kernel8", FP16, gemv8},
    {"gemv_kernel9", INT8, gemv9},
    {"gemv_kernel10", INT4, gemv10},
    {"gemv_kernel11", BATCH, gemv11},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    struct shapes shapes = shapes_of(&options);
    frame lesson = {"matrix times vector", versions, VERSIONS};
    lesson.verify_size = verify_versions, lesson.measure_size = measure_versions;
    lesson.verified = shapes.verified, lesson.verified_count = shapes.small;
    lesson.measured = shapes.measured, lesson.measured_count = shapes.large;
    device_print_backend();
    return lesson_run(&lesson, &options);
}
