/* sweep: times the variants of kernels.cuh and their peers on shapes of a language model. PART says which format; arguments
 * are shapes, M x N, as "8192x8192". Prints CSV: shape, variant, grid (0: a block for each group of rows, else blocks for each
 * multiprocessor), split, microseconds (median), GB/s, largest error.
 *
 * FORMAT is a struct of kernels.cuh. PART: 0 rows of fp32 or fp16, 1 quantised rows, 20 the transposed matrix, 30 x in registers,
 * 40 who shares a row, and 2, 4, 8 or 16 that many vectors. So, in the root of the workbook,
 *     nvcc -DPART=1 "-DFORMAT=I4<2>" -std=c++17 -O3 -arch=sm_90 -I. lessons/lesson14_gemv/measured/tuning/sweep.cu -o sweep -ldl
 *
 * All rows of a shape take turns, in a new order each round; before each run the L2 cache is filled with other data.
 */
#include <algorithm>
#include <string>
#include <vector>

#include "../../../../common/bench.h"
#include "../../../../common/cublas.h"
#include "../../../../common/verify.h"
#include "kernels.cuh"

#ifndef PART
#define PART 0
#endif
enum { ROUNDS = 9, WARMUP = 2, PARTIALS = 64 };

struct variant {
    std::string name;
    void (*kernel)(problem, int);
    int R, U, WPR, XS, T, VEC, XCH, B, rows; // rows: of a block; 0: transposed, with TX = R, TY = WPR
    int C;                                   // x stays in registers: vectors of a thread; else 0
};
static std::vector<variant> variants;

template <class F, int R, int U, int WPR, int XS, int LD, int B, int T, int PIPE> static void add() {
    char name[80];
    snprintf(name, sizeof name, "%s_R%d_U%d_W%d_T%d_x%d_ld%d_B%d_p%d", F::name(), R, U, WPR, T, XS, LD, B, PIPE);
    variants.push_back(
        {name, rows_kernel<F, R, U, WPR, XS, LD, B, T, PIPE>, R, U, WPR, XS, T, F::VEC, F::XCH, B, T / WARP / WPR * R});
}

template <class F, int U, int TX, int TY, int LD> static void add_columns() {
    char name[80];
    snprintf(name, sizeof name, "%sT_U%d_X%d_Y%d_ld%d", F::name(), U, TX, TY, LD);
    variants.push_back({name, columns_kernel<F, U, TX, TY, LD>, TX, U, TY, 0, TX * TY, F::VEC, F::XCH, 1, 0});
}

template <class F, int XS, int WPR, int T> static void add_unrolled() {
    add<F, 1, 1, WPR, XS, 1, 1, T, 0>();
    add<F, 1, 2, WPR, XS, 1, 1, T, 0>();
    add<F, 1, 4, WPR, XS, 1, 1, T, 0>();
    add<F, 1, 8, WPR, XS, 1, 1, T, 0>();
    add<F, 2, 1, WPR, XS, 1, 1, T, 0>();
    add<F, 2, 2, WPR, XS, 1, 1, T, 0>();
    add<F, 2, 4, WPR, XS, 1, 1, T, 0>();
    add<F, 4, 1, WPR, XS, 1, 1, T, 0>();
    add<F, 4, 2, WPR, XS, 1, 1, T, 0>();
    add<F, 4, 4, WPR, XS, 1, 1, T, 0>();
}

template <class F> static void add_family() {
#ifdef SMALL
    add<F, 1, 1, 1, 0, 1, 1, 128, 0>();
    add<F, 2, 2, 4, 1, 0, 1, 256, 0>();
    add<F, 4, 2, 1, 1, 3, 1, 128, 1>();
    add<F, 2, 1, 8, 0, 2, 1, 256, 1>();
#else
    add_unrolled<F, 0, 1, 128>();
    add_unrolled<F, 0, 4, 128>();
    add_unrolled<F, 0, 1, 256>();
    add_unrolled<F, 0, 8, 256>();
    add_unrolled<F, 1, 1, 256>();
    add_unrolled<F, 1, 8, 256>();
    add<F, 1, 4, 1, 0, 0, 1, 128, 0>();
    add<F, 1, 4, 1, 0, 2, 1, 128, 0>();
    add<F, 1, 4, 1, 0, 3, 1, 128, 0>();
    add<F, 2, 4, 1, 0, 0, 1, 256, 0>();
    add<F, 2, 4, 1, 0, 2, 1, 256, 0>();
    add<F, 2, 4, 1, 0, 3, 1, 256, 0>();
    add<F, 1, 4, 8, 0, 0, 1, 256, 0>();
    add<F, 1, 4, 8, 0, 2, 1, 256, 0>();
    add<F, 1, 4, 8, 0, 3, 1, 256, 0>();
    add<F, 1, 2, 1, 0, 1, 1, 128, 1>();
    add<F, 1, 4, 1, 0, 1, 1, 128, 1>();
    add<F, 2, 2, 1, 0, 1, 1, 128, 1>();
    add<F, 1, 4, 8, 0, 1, 1, 256, 1>();
    add<F, 2, 2, 1, 1, 1, 1, 256, 1>();
    add<F, 4, 2, 1, 1, 1, 1, 256, 1>();
    add<F, 1, 4, 2, 0, 1, 1, 64, 0>();
    add<F, 1, 4, 2, 0, 1, 1, 256, 0>();
    add<F, 1, 4, 1, 0, 1, 1, 512, 0>();
    add<F, 2, 4, 1, 0, 1, 1, 512, 0>();
    add<F, 1, 4, 16, 0, 1, 1, 512, 0>();
    add<F, 2, 2, 16, 0, 1, 1, 512, 0>();
#endif
}

/* Quantised: more instructions for each weight, so fewer shapes of a block and more ways to unpack. */
template <class F, int XS, int WPR, int T> static void add_quantised() {
    add<F, 1, 1, WPR, XS, 1, 1, T, 0>();
    add<F, 1, 2, WPR, XS, 1, 1, T, 0>();
    add<F, 1, 4, WPR, XS, 1, 1, T, 0>();
    add<F, 2, 1, WPR, XS, 1, 1, T, 0>();
    add<F, 2, 2, WPR, XS, 1, 1, T, 0>();
    add<F, 4, 1, WPR, XS, 1, 1, T, 0>();
    add<F, 4, 2, WPR, XS, 1, 1, T, 0>();
    add<F, 2, 1, WPR, XS, 1, 1, T, 1>();
}

template <class F> static void add_formats() {
#ifdef SMALL
    add_family<F>();
#else
    add_quantised<F, 0, 1, 128>();
    add_quantised<F, 1, 1, 128>();
    add_quantised<F, 1, 1, 256>();
    add_quantised<F, 1, 8, 256>();
    add<F, 4, 2, 1, 1, 1, 1, 512, 0>();
    add<F, 4, 1, 1, 1, 1, 1, 512, 0>();
    add<F, 2, 2, 1, 1, 1, 1, 512, 0>();
    add<F, 8, 1, 1, 1, 1, 1, 256, 0>();
    add<F, 4, 1, 1, 1, 1, 1, 256, 1>();
    add<F, 4, 2, 4, 1, 1, 1, 256, 0>();
    add<F, 2, 2, 4, 1, 1, 1, 256, 0>();
#endif
}

template <class F, int LD> static void add_columns_family() {
#ifdef SMALL
    add_columns<F, 4, 32, 8, LD>();
    add_columns<F, 8, 128, 1, LD>();
    add_columns<F, 4, 64, 2, LD>();
#else
    add_columns<F, 4, 32, 4, LD>();
    add_columns<F, 8, 32, 4, LD>();
    add_columns<F, 4, 32, 8, LD>();
    add_columns<F, 8, 32, 8, LD>();
    add_columns<F, 4, 32, 16, LD>();
    add_columns<F, 8, 32, 16, LD>();
    add_columns<F, 4, 64, 4, LD>();
    add_columns<F, 8, 64, 4, LD>();
    add_columns<F, 4, 128, 1, LD>();
    add_columns<F, 8, 128, 1, LD>();
    add_columns<F, 16, 128, 1, LD>();
    add_columns<F, 4, 128, 2, LD>();
    add_columns<F, 8, 128, 2, LD>();
    add_columns<F, 4, 256, 1, LD>();
    add_columns<F, 8, 256, 1, LD>();
    add_columns<F, 16, 256, 1, LD>();
    add_columns<F, 4, 16, 16, LD>();
    add_columns<F, 8, 8, 32, LD>();
#endif
}

template <class F, int B, int T> static void add_batch() {
#ifdef SMALL
    add<F, 2, 1, 1, 0, 1, B, T, 0>();
    add<F, 2, 2, 4, 1, 1, B, T, 0>();
#else
    add<F, 1, 1, 1, 0, 1, B, T, 0>();
    add<F, 1, 2, 1, 0, 1, B, T, 0>();
    add<F, 1, 4, 1, 0, 1, B, T, 0>();
    add<F, 2, 1, 1, 0, 1, B, T, 0>();
    add<F, 2, 2, 1, 0, 1, B, T, 0>();
    add<F, 4, 1, 1, 0, 1, B, T, 0>();
    add<F, 4, 2, 1, 0, 1, B, T, 0>();
    add<F, 2, 2, 1, 1, 1, B, T, 0>();
    add<F, 4, 1, 1, 1, 1, B, T, 0>();
    add<F, 4, 2, 1, 1, 1, B, T, 0>();
    add<F, 2, 2, 4, 0, 1, B, T, 0>();
    add<F, 4, 1, 4, 0, 1, B, T, 0>();
    add<F, 4, 2, 4, 1, 1, B, T, 0>();
#endif
}

/* The block is as wide as a row; T: the largest that it can be. */
template <class F, int C, int R, int PIPE, int T> static void add_stay() {
    char name[80];
    snprintf(name, sizeof name, "%sS_C%d_R%d_T%d_p%d", F::name(), C, R, T, PIPE);
    variants.push_back({name, stay_kernel<F, C, R, PIPE, T>, R, 1, 0, 0, T, F::VEC, F::XCH, 1, R, C});
}

template <class F, int C, int T> static void add_stay_family() {
#ifndef SMALL
    add_stay<F, C, 1, 1, T>();
    add_stay<F, C, 2, 0, T>();
    add_stay<F, C, 2, 1, T>();
    add_stay<F, C, 4, 1, T>();
    if (C < 4) {
        add_stay<F, C, 8, 0, T>();
    }
#endif
    add_stay<F, C, 4, 0, T>();
}

#ifndef FORMAT
#define FORMAT F32
#endif
typedef FORMAT the_format;

static void add_all() {
#if PART == 0
    add_family<the_format>();
#elif PART == 1
    add_formats<the_format>();
#elif PART == 30
    add_stay_family<the_format, 1, 128>();
    add_stay_family<the_format, 1, 256>();
    add_stay_family<the_format, 1, 512>();
    add_stay_family<the_format, 1, 1024>();
    add_stay_family<the_format, 2, 256>();
    add_stay_family<the_format, 2, 512>();
    add_stay_family<the_format, 2, 1024>();
    add_stay_family<the_format, 4, 512>();
    add<the_format, 2, 2, 8, 0, 1, 1, 256, 0>();
    add<the_format, 1, 2, 8, 0, 1, 1, 256, 0>();
    add<the_format, 2, 2, 4, 0, 1, 1, 128, 0>();
    add<the_format, 4, 1, 4, 0, 1, 1, 128, 0>();
    add<the_format, 4, 2, 8, 0, 1, 1, 256, 0>();
#ifndef SMALL
    if (the_format::SCALED) {
        add<the_format, 4, 1, 2, 1, 1, 1, 128, 0>();
        add<the_format, 8, 1, 2, 1, 1, 1, 128, 0>();
        add<the_format, 2, 1, 4, 1, 1, 1, 128, 1>();
        add<the_format, 4, 1, 8, 0, 1, 1, 256, 0>();
        add<the_format, 8, 1, 8, 0, 1, 1, 256, 0>();
        add<the_format, 4, 1, 2, 0, 1, 1, 128, 0>();
        add<the_format, 2, 1, 1, 0, 1, 1, 128, 0>();
        add<the_format, 4, 2, 1, 0, 1, 1, 128, 0>();
    } else {
        add<the_format, 2, 2, 16, 0, 1, 1, 512, 0>();
        add<the_format, 4, 1, 16, 0, 1, 1, 512, 0>();
        add<the_format, 2, 1, 16, 0, 1, 1, 512, 0>();
        add<the_format, 4, 2, 16, 0, 1, 1, 512, 0>();
        add<the_format, 1, 2, 16, 0, 1, 1, 512, 0>();
        add<the_format, 1, 4, 16, 0, 1, 1, 512, 0>();
        add<the_format, 2, 2, 32, 0, 1, 1, 1024, 0>();
        add<the_format, 4, 1, 32, 0, 1, 1, 1024, 0>();
        add<the_format, 2, 1, 32, 0, 1, 1, 1024, 0>();
        add<the_format, 2, 1, 8, 0, 1, 1, 256, 0>();
        add<the_format, 4, 1, 8, 0, 1, 1, 256, 0>();
        add<the_format, 1, 1, 8, 0, 1, 1, 256, 0>();
        add<the_format, 1, 1, 1, 0, 1, 1, 128, 0>();
        add<the_format, 1, 4, 1, 0, 1, 1, 128, 0>();
        add<the_format, 1, 8, 1, 0, 1, 1, 128, 0>();
        add<the_format, 2, 4, 1, 0, 1, 1, 128, 0>();
        add<the_format, 2, 2, 8, 0, 0, 1, 256, 0>();
        add<the_format, 2, 2, 8, 0, 2, 1, 256, 0>();
        add<the_format, 2, 2, 8, 0, 3, 1, 256, 0>();
    }
#endif
#elif PART == 40 // who shares a row
    add<the_format, 1, 1, 1, 0, 1, 1, 128, 0>();
    add<the_format, 1, 4, 1, 0, 1, 1, 128, 0>();
    add<the_format, 1, 8, 1, 0, 1, 1, 128, 0>();
    add<the_format, 2, 4, 1, 0, 1, 1, 128, 0>();
    add<the_format, 2, 2, 8, 0, 1, 1, 256, 0>();
#elif PART == 20
    add_columns_family<the_format, 1>();
    add_columns_family<the_format, 0>();
#else
    add_batch<the_format, PART, 128>();
    add_batch<the_format, PART, 256>();
#endif
}

// ---------------------------------------------------------------- input and reference, on the device

static __device__ uint32_t hash(uint64_t i, uint32_t seed) {
    uint64_t z = (i + seed) * 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return (uint32_t)(z >> 32);
}

static __device__ float unit(uint64_t i, uint32_t seed) {
    return (hash(i, seed) >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

template <class X> static __global__ void fill_kernel(X *to, size_t n, uint32_t seed, float scale, float offset) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        to[i] = (X)(unit(i, seed) * scale + offset);
    }
}

static __global__ void fill_bits_kernel(uint32_t *to, size_t n, uint32_t seed) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        to[i] = hash(i, seed);
    }
}

/* A warp per row, in double. `size`: the sum of the terms' sizes, for the tolerance. */
template <class F> static __global__ void reference_kernel(problem p, const typename F::X *x, double *y, double *size) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= p.M) {
        return;
    }
    double sum = 0, sizes = 0;
    for (int n = lane; n < p.N; n += WARP) {
        size_t i = (size_t)row * p.N + n;
        double term = (double)F::value(p.W, i) * (double)(float)x[n];
        term *= F::SCALED ? (double)__half2float(p.scales[i / GROUP]) : 1.0;
        sum += term;
        sizes += fabs(term);
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, step);
        sizes += __shfl_xor_sync(ALL_LANES, sizes, step);
    }
    if (lane == 0) {
        y[row] = sum;
        size[row] = sizes;
    }
}

template <class F>
static __global__ void reference_columns_kernel(problem p, const typename F::X *x, double *y, double *size) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= p.N) {
        return;
    }
    double sum = 0, sizes = 0;
    for (int m = 0; m < p.M; m++) {
        double term = (double)F::value(p.W, (size_t)m * p.N + column) * (double)(float)x[m];
        sum += term;
        sizes += fabs(term);
    }
    y[column] = sum;
    size[column] = sizes;
}

/* Reads n vectors, as lesson 10's sum does: the limit. */
static __global__ __launch_bounds__(256) void read_kernel(const uint4 *x, float *y, size_t n) {
    uint32_t all = 0;
    for (size_t first = (size_t)blockIdx.x * 2048; first < n; first += (size_t)gridDim.x * 2048) {
        uint4 v[8];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            size_t i = first + k * 256 + threadIdx.x;
            v[k] = i < n ? __ldcs(&x[i]) : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int k = 0; k < 8; k++) {
            all ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    }
    if (all == 0x12345678) {
        *y = 1.0f;
    }
}

// ---------------------------------------------------------------- a shape

struct row {
    std::string name;
    int variant, peer, grid, split; // grid: 0 all, else blocks per multiprocessor that fit
    std::vector<float> times;
    double bytes;
    bool right;
};

struct shape {
    problem p;
    double *y, *size;
    float *out;
    void *y_half;
    std::vector<double> expected, sizes;
    size_t weight_bytes;
    float4 *copy;
};

enum { READ = 1, COPY, SGEMV, SGEMM, HALF_TO_HALF, HALF_TO_FLOAT, HSH_GEMV, HSS_GEMV };
static struct cublas cublas;
typedef int (*gemm_ex)(cublas_handle, int, int, int, int, int, const void *, const void *, int, int, const void *, int,
                       int, const void *, void *, int, int, int, int);
typedef int (*sgemv)(cublas_handle, int, int, int, const float *, const float *, int, const float *, int, const float *,
                     float *, int);
typedef int (*hgemv)(cublas_handle, int, int, int, const float *, const void *, int, long long, const void *, int,
                     long long, const float *, void *, int, long long, int);
static gemm_ex cublas_gemm_ex;
static sgemv cublas_sgemv;
static hgemv cublas_hsh, cublas_hss;

static int multiprocessors(void) {
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

static const bool transposed = PART == 20;
static const int batch = PART > 1 && PART < 20 ? PART : 1;

static int grid_of(const shape &s, const row &r, const variant &v) {
    int all = v.rows ? (s.p.M + v.rows - 1) / v.rows : (s.p.N / v.VEC + v.R - 1) / v.R;
    return r.grid ? std::min(all, r.grid * multiprocessors()) : all;
}

/* The columns (or, transposed, the rows) of a part, and what they are counted in. */
static int slab_of(const shape &s, const row &r, const variant &v) {
    if (!v.rows) {
        return (s.p.M + r.split - 1) / r.split;
    }
    int vecs = s.p.N / v.VEC, unit = GROUP / 4;
    return ((vecs + r.split - 1) / r.split + unit - 1) / unit * unit;
}

static size_t shared_of(const shape &s, const row &r, const variant &v) {
    return v.XS ? (size_t)v.B * std::min(slab_of(s, r, v), s.p.N / v.VEC) * v.XCH * 16 : 0;
}

/* With slabs of whole units, split parts need not be as many as asked for. */
static int parts_of(const shape &s, const row &r, const variant &v) {
    int slab = slab_of(s, r, v), all = v.rows ? s.p.N / v.VEC : s.p.M;
    return (all + slab - 1) / slab;
}

static void launch_peer(const shape &s, const row &r, cudaStream_t stream) {
    const float one = 1.0f, zero = 0.0f;
    const problem &p = s.p;
    int op = transposed ? 0 : 1;
    if (r.peer == READ) {
        read_kernel<<<multiprocessors() * 4, 256, 0, stream>>>((const uint4 *)p.W, p.y, s.weight_bytes / 16);
    } else if (r.peer == COPY) {
        size_t n = s.weight_bytes / 32;
        bench_copy_kernel<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>((const float4 *)p.W, s.copy, n);
    } else {
        cublas_check(cublas.set_stream(cublas.handle, stream), "cublasSetStream");
        int status = 0;
        if (r.peer == SGEMV) {
            status = cublas_sgemv(cublas.handle, op, p.N, p.M, &one, (const float *)p.W, p.N, (const float *)p.x, 1,
                                  &zero, p.y, 1);
        } else if (r.peer == SGEMM || r.peer == HALF_TO_HALF || r.peer == HALF_TO_FLOAT) {
            int in = r.peer == SGEMM ? 0 : 2, out = r.peer == HALF_TO_HALF ? 2 : 0;
            int m = transposed ? p.N : p.M, k = transposed ? p.M : p.N;
            status = cublas_gemm_ex(cublas.handle, op, 0, m, batch, k, &one, p.W, in, p.N, p.x, in, k, &zero,
                                    out ? s.y_half : (void *)p.y, out, m, 68, -1);
        } else {
            status = (r.peer == HSH_GEMV ? cublas_hsh
                                         : cublas_hss)(cublas.handle, op, p.N, p.M, &one, p.W, p.N, 0, p.x, 1, 0, &zero,
                                                       r.peer == HSH_GEMV ? s.y_half : (void *)p.y, 1, 0, 1);
        }
        cublas_check(status, r.name.c_str());
    }
}

static int threads_of(const shape &s, const variant &v) {
    int vecs = s.p.N / v.VEC;
    return v.C ? ((vecs + v.C - 1) / v.C + WARP - 1) / WARP * WARP : v.T;
}

static void launch_row(const shape &s, const row &r, cudaStream_t stream) {
    if (r.peer) {
        launch_peer(s, r, stream);
    } else {
        const variant &v = variants[r.variant];
        dim3 grid(grid_of(s, r, v), v.C ? 1 : parts_of(s, r, v));
        v.kernel<<<grid, threads_of(s, v), shared_of(s, r, v), stream>>>(s.p, slab_of(s, r, v));
    }
    CUDA_CHECK_LAUNCH();
}

template <class F> static shape shape_create(int M, int N) {
    typedef typename F::X X;
    shape s = {};
    s.p.M = M;
    s.p.N = N;
    size_t vecs = (size_t)M * N / F::VEC, outputs = (size_t)(transposed ? N : M) * batch;
    size_t inputs = (size_t)(transposed ? M : N) * batch;
    s.weight_bytes = vecs * 16;
    CUDA_CHECK(cudaMalloc((void **)&s.p.W, s.weight_bytes));
    CUDA_CHECK(cudaMalloc((void **)&s.p.x, inputs * sizeof(X)));
    CUDA_CHECK(cudaMalloc((void **)&s.p.y, outputs * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&s.y_half, outputs * 2));
    CUDA_CHECK(cudaMalloc((void **)&s.p.partial, outputs * PARTIALS * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&s.p.done, (outputs + 1) * sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(s.p.done, 0, (outputs + 1) * sizeof(unsigned)));
    CUDA_CHECK(cudaMalloc((void **)&s.copy, s.weight_bytes / 2));
    CUDA_CHECK(cudaMalloc((void **)&s.y, outputs * sizeof(double)));
    CUDA_CHECK(cudaMalloc((void **)&s.size, outputs * sizeof(double)));
    if (F::SCALED) {
        size_t groups = (size_t)M * N / GROUP;
        CUDA_CHECK(cudaMalloc((void **)&s.p.scales, groups * sizeof(__half)));
        fill_bits_kernel<<<1024, 256>>>((uint32_t *)s.p.W, s.weight_bytes / 4, 1);
        fill_kernel<__half><<<1024, 256>>>((__half *)s.p.scales, groups, 2, 0.005f, 0.01f);
    } else {
        fill_kernel<X><<<1024, 256>>>((X *)s.p.W, (size_t)M * N, 1, 1.0f, 0.0f);
    }
    fill_kernel<X><<<1024, 256>>>((X *)s.p.x, inputs, 3, 1.0f, 0.0f);
    CUDA_CHECK_LAUNCH();
    s.expected.resize(outputs);
    s.sizes.resize(outputs);
    for (int b = 0; b < batch; b++) {
        int n = transposed ? N : M;
        const X *x = (const X *)s.p.x + (size_t)b * N;
        double *y = s.y + (size_t)b * n, *size = s.size + (size_t)b * n;
        if (transposed) {
            reference_columns_kernel<F><<<(N + 127) / 128, 128>>>(s.p, x, y, size);
        } else {
            reference_kernel<F><<<(M + 3) / 4, 128>>>(s.p, x, y, size);
        }
        CUDA_CHECK_LAUNCH();
    }
    CUDA_CHECK(cudaMemcpy(s.expected.data(), s.y, outputs * sizeof(double), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(s.sizes.data(), s.size, outputs * sizeof(double), cudaMemcpyDeviceToHost));
    return s;
}

/* Poisoned, run, compared. The largest error in units of 1e-6 of the sum of the terms' sizes. */
static double error_of(const shape &s, const row &r) {
    size_t n = s.expected.size();
    std::vector<float> found(n);
    if (r.peer == READ || r.peer == COPY) {
        return 0;
    }
    bool half = r.peer == HALF_TO_HALF || r.peer == HSH_GEMV;
    verify_poison_device(s.p.y, n * sizeof(float));
    verify_poison_device(s.y_half, n * 2);
    launch_row(s, r, 0);
    if (half) {
        std::vector<__half> halves(n);
        CUDA_CHECK(cudaMemcpy(halves.data(), s.y_half, n * 2, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i++) {
            found[i] = __half2float(halves[i]);
        }
    } else {
        CUDA_CHECK(cudaMemcpy(found.data(), s.p.y, n * sizeof(float), cudaMemcpyDeviceToHost));
    }
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double error = fabs(found[i] - s.expected[i]) / s.sizes[i] * 1e6;
        worst = !(error <= worst) ? error : worst; // a NaN is the worst
    }
    return worst;
}

static void choose_rows(const shape &s, std::vector<row> &rows) {
    const int fits[] = {0, 1};
    const int splits_few[] = {1, 2, 4, 8, 16}, splits_down[] = {4, 8, 16, 32, 64};
    for (size_t v = 0; v < variants.size(); v++) {
        const variant &a = variants[v];
        if (a.C) { // wide enough, and not twice as wide
            if (threads_of(s, a) > a.T || 2 * threads_of(s, a) <= a.T) {
                continue;
            }
            for (int fit : {0, 1, 2, 3, 4, 6, 8}) {
                int blocks = 0;
                CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, a.kernel, threads_of(s, a), 0));
                if (fit <= blocks) {
                    rows.push_back({a.name, (int)v, 0, fit, 1, {}, 0, true});
                }
            }
            continue;
        }
        if (the_format::SUBNORMAL) {
            continue;
        }
        for (int split : transposed ? splits_down : splits_few) {
            if (!transposed && split > 1 && (long long)s.p.M > 6000) {
                continue;
            }
            for (int fit : fits) {
                row r = {a.name, (int)v, 0, 0, split, {}, 0, true};
                size_t shared = shared_of(s, r, a);
                if (shared > 200 * 1024 || (transposed && fit)) {
                    continue;
                }
                if (fit) {
                    int blocks = 0;
                    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, a.kernel, a.T, shared));
                    r.grid = std::max(1, blocks / split);
                    row all = r;
                    all.grid = 0;
                    if (grid_of(s, r, a) == grid_of(s, all, a)) {
                        continue;
                    }
                }
                rows.push_back(r);
            }
        }
    }
    rows.push_back({"read", 0, READ, 0, 1, {}, 0, true});
    rows.push_back({"copy", 0, COPY, 0, 1, {}, 0, true});
    if (!cublas.sgemm || the_format::SCALED) {
        return;
    }
    if (the_format::VEC == 4) {
        rows.push_back({"cublasSgemv", 0, SGEMV, 0, 1, {}, 0, true});
        rows.push_back({"cublasGemmEx_f32", 0, SGEMM, 0, 1, {}, 0, true});
    } else {
        rows.push_back({"cublasGemmEx_hh", 0, HALF_TO_HALF, 0, 1, {}, 0, true});
        rows.push_back({"cublasGemmEx_hf", 0, HALF_TO_FLOAT, 0, 1, {}, 0, true});
        if (batch == 1) {
            rows.push_back({"cublasHSHgemv", 0, HSH_GEMV, 0, 1, {}, 0, true});
            rows.push_back({"cublasHSSgemv", 0, HSS_GEMV, 0, 1, {}, 0, true});
        }
    }
}

/* One behind the other, as in a model, each on another copy of W, queued as one graph: microseconds per run. */
static void rotate(const shape &s, const row &r, cudaStream_t stream, cudaEvent_t start, cudaEvent_t stop,
                   const std::vector<void *> &copies, double bytes) {
    enum { RUNS = 24, REPEATS = 7 };
    std::vector<float> times;
    shape t = s;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int run = 0; run < RUNS; run++) {
        t.p.W = copies[run % copies.size()];
        launch_row(t, r, stream);
    }
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
    for (int repeat = -1; repeat < REPEATS; repeat++) {
        float ms = 0;
        CUDA_CHECK(cudaEventRecord(start, stream));
        CUDA_CHECK(cudaGraphLaunch(ready, stream));
        CUDA_CHECK(cudaEventRecord(stop, stream));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (repeat >= 0) {
            times.push_back(ms / RUNS);
        }
    }
    CUDA_CHECK(cudaGraphExecDestroy(ready));
    CUDA_CHECK(cudaGraphDestroy(graph));
    std::sort(times.begin(), times.end());
    printf("ROTATED,%dx%d,%s,%d,%d,%.2f,%.0f\n", s.p.M, s.p.N, r.name.c_str(), r.grid, r.split,
           times[REPEATS / 2] * 1e3, bytes / times[REPEATS / 2] / 1e6);
}

static void rotate_best(const shape &s, std::vector<row> rows, cudaStream_t stream, cudaEvent_t start, cudaEvent_t stop,
                        double bytes) {
    std::vector<void *> copies(std::max<size_t>(2, (400 << 20) / s.weight_bytes + 1));
    for (void *&copy : copies) {
        CUDA_CHECK(cudaMalloc(&copy, s.weight_bytes));
        CUDA_CHECK(cudaMemcpy(copy, s.p.W, s.weight_bytes, cudaMemcpyDeviceToDevice));
    }
    std::sort(rows.begin(), rows.end(),
              [](const row &a, const row &b) { return a.times[ROUNDS / 2] < b.times[ROUNDS / 2]; });
    int shown = 0;
    for (const row &r : rows) {
        if (r.peer || shown++ < 12) {
            rotate(s, r, stream, start, stop, copies, bytes);
        }
    }
    for (void *copy : copies) {
        CUDA_CHECK(cudaFree(copy));
    }
}

static void sweep(int M, int N) {
    shape s = shape_create<the_format>(M, N);
    std::vector<row> rows;
    choose_rows(s, rows);
    for (row &r : rows) {
        double error = error_of(s, r);
        r.right = error < (the_format::VEC == 4 ? 20 : 2000);
        if (!r.right) {
            printf("WRONG,%dx%d,%s,%d,%d,%g\n", M, N, r.name.c_str(), r.grid, r.split, error);
        }
        r.bytes = error; // for the table
    }
    if (device_is_emulator()) {
        printf("%dx%d: %zu rows verified\n", M, N, rows.size());
        return;
    }
    struct bench bench = {};
    bench.flush_bytes = 120 << 20;
    CUDA_CHECK(cudaMalloc((void **)&bench.flush, bench.flush_bytes));
    CUDA_CHECK(cudaMemset(bench.flush, 0, bench.flush_bytes));
    cudaStream_t stream;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaDeviceSynchronize());
    std::vector<int> order(rows.size());
    for (size_t i = 0; i < order.size(); i++) {
        order[i] = (int)i;
    }
    uint64_t state = 1;
    for (int round = -WARMUP; round < ROUNDS; round++) {
        for (size_t i = order.size() - 1; i > 0; i--) {
            std::swap(order[i], order[(verify_next(&state) >> 33) % (i + 1)]);
        }
        for (int i : order) {
            float ms = 0;
            bench_flush(&bench, stream);
            CUDA_CHECK(cudaEventRecord(start, stream));
            launch_row(s, rows[i], stream);
            CUDA_CHECK(cudaEventRecord(stop, stream));
            CUDA_CHECK(cudaEventSynchronize(stop));
            CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
            if (round >= 0) {
                rows[i].times.push_back(ms);
            }
        }
    }
    double bytes = (double)s.weight_bytes + (the_format::SCALED ? 2.0 * M * N / GROUP : 0.0) +
                   (double)batch * (N * sizeof(the_format::X) + M * 4.0);
    record_part("%dx%d", M, N);
    for (row &r : rows) {
        std::sort(r.times.begin(), r.times.end());
        float ms = r.times[r.times.size() / 2];
        printf("%dx%d,%s,%d,%d,%.2f,%.0f,%.3g%s\n", M, N, r.name.c_str(), r.grid, r.split, ms * 1e3,
               (r.peer == READ || r.peer == COPY ? (double)s.weight_bytes : bytes) / ms / 1e6, r.bytes,
               r.right ? "" : ",WRONG");
        if (r.grid == 0 && r.split == 1) { // all blocks at once, a row whole
            record_row(r.name.c_str(), "us", ms * 1e3, "us");
            record_row(r.name.c_str(), "largest error", r.bytes, "");
        }
    }
    rotate_best(s, rows, stream, start, stop, bytes);
    fflush(stdout);
    CUDA_CHECK(cudaFree(bench.flush));
    CUDA_CHECK(cudaFree((void *)s.p.W));
    CUDA_CHECK(cudaFree((void *)s.p.scales));
    CUDA_CHECK(cudaFree((void *)s.p.x));
    CUDA_CHECK(cudaFree(s.p.y));
    CUDA_CHECK(cudaFree(s.y_half));
    CUDA_CHECK(cudaFree(s.p.partial));
    CUDA_CHECK(cudaFree(s.p.done));
    CUDA_CHECK(cudaFree(s.copy));
    CUDA_CHECK(cudaFree(s.y));
    CUDA_CHECK(cudaFree(s.size));
}

int main(int argc, char **argv) {
    device_print_backend();
    add_all();
    for (const variant &v : variants) {
        if (v.XS && !device_is_emulator()) {
            CUDA_CHECK(cudaFuncSetAttribute(v.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
        }
    }
    cublas = cublas_open();
    if (cublas.sgemm) {
        cublas_gemm_ex = (gemm_ex)dlsym(cublas.library, "cublasGemmEx");
        cublas_sgemv = (sgemv)dlsym(cublas.library, "cublasSgemv_v2");
        cublas_hsh = (hgemv)dlsym(cublas.library, "cublasHSHgemvStridedBatched");
        cublas_hss = (hgemv)dlsym(cublas.library, "cublasHSSgemvStridedBatched");
        cublas_check(cublas_gemm_ex && cublas_sgemv && cublas_hsh && cublas_hss ? 0 : -1, "cuBLAS's functions");
    }
    cublas_print(&cublas);
    for (int i = 1; i < argc; i++) {
        int M = 0, N = 0;
        if (sscanf(argv[i], "%dx%d", &M, &N) == 2) {
            sweep(M, N);
        }
    }
    return 0;
}
