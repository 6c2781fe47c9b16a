/* Lesson 17: a matrix product on tensor cores, with wmma.
 *
 *     make lesson17 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson17 run V=6 SIZE=260        one version, matrices of 260 x 260
 *
 * You will learn what a tensor core computes, how a warp gives it tiles of 16 x 16 (wmma fragments), what keeps it
 * waiting, and how exact the result is for each type of numbers that it takes.
 *
 *     gemm_kernel1   no tensor cores: lesson 15's shared tiles, with numbers of 16 bits
 *     gemm_kernel2   a warp computes a tile of 16 x 16, with fragments straight from global memory
 *     gemm_kernel3   tiles in shared memory; any shape
 *     gemm_kernel4   a warp has 4 x 2 tiles of sums: each fragment that it loads is used several times
 *     gemm_kernel5   8 numbers, 16 bytes, with one instruction
 *     gemm_kernel6   8 numbers of padding in each row: no bank conflicts
 *     gemm_kernel7   cp.async, two stages ahead
 *     gemm_kernel8   tuned: larger tiles, the next fragments loaded while these are multiplied, an order of blocks
 *     9 to 12        version 8 with other numbers: fp16 with sums in fp16, bf16, TF32, int8
 *
 * C = alpha * A * B + beta * C, row-major, A is M x K, B is K x N, C is M x N; with beta = 0, C is only written. In
 * versions 1 to 8 A and B are fp16, and C and all sums are fp32.
 */
// arch: sm_75 sm_80 sm_90
// sizes: 0 1 31 33 136 256
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"

#include "measure.h"

using namespace nvcuda; // wmma::...

enum { WARP = 32, T = 16 }; // T: a fragment's tile of C has 16 x 16 elements

// ---------------------------------------------------------------- types

/* The types of a product: numbers in memory, elements of a fragment, sums. A fragment of A has 16 x DEPTH elements, one
 * of B DEPTH x 16. CAPABILITY: ten times the compute capability of the first GPUs whose tensor cores can do it. */
struct fp16 {
    typedef half number, element;
    typedef float sum;
    enum { DEPTH = 16, CAPABILITY = 70 };
};
struct fp16_sums16 {
    typedef half number, element, sum;
    enum { DEPTH = 16, CAPABILITY = 70 };
};
struct bf16 {
    typedef __nv_bfloat16 number, element;
    typedef float sum;
    enum { DEPTH = 16, CAPABILITY = 80 };
};
struct tf32 { // a float in memory; of its fraction the tensor core takes 10 bits
    typedef float number, sum;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    typedef wmma::precision::tf32 element; // the header has it from there on
#endif
    enum { DEPTH = 8, CAPABILITY = 80 };
};
struct int8 {
    typedef signed char number, element;
    typedef int sum;
    enum { DEPTH = 16, CAPABILITY = 72 };
};

template <class P>
using fragment_A = wmma::fragment<wmma::matrix_a, T, T, P::DEPTH, typename P::element, wmma::row_major>;
template <class P>
using fragment_B = wmma::fragment<wmma::matrix_b, T, T, P::DEPTH, typename P::element, wmma::row_major>;
template <class P> using fragment_C = wmma::fragment<wmma::accumulator, T, T, P::DEPTH, typename P::sum>;

/* The GPU that this is compiled for; the host's part of the program knows all types. */
#ifdef __CUDA_ARCH__
enum { CAPABILITY = __CUDA_ARCH__ / 10 };
#else
enum { CAPABILITY = 1000 };
#endif

/* TF32 is rounded by the program, to nearest. Left as it is, a float would lose its last 13 bits in the tensor core. */
template <class fragment> static __device__ void round_elements(fragment &) {}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <class use>
static __device__ void round_elements(wmma::fragment<use, T, T, tf32::DEPTH, tf32::element, wmma::row_major> &x) {
#pragma unroll
    for (int t = 0; t < x.num_elements; t++) {
        x.x[t] = wmma::__float_to_tf32(x.x[t]);
    }
}
#endif

// ---------------------------------------------------------------- what several versions share

/* A[M][K], B[K][N], C[M][N] in all versions. M * N, M * K and K * N must fit into an int. A block computes a tile of
 * BM x BN elements of C, in steps of BK; one of its warps a tile of WM x WN. */

static __device__ float blend(float alpha, float sum, float beta, const float *c) {
    return beta == 0.0f ? alpha * sum : alpha * sum + beta * *c; // with beta = 0, *c is not even read: it may be NaN
}

static __device__ half blend(float alpha, half sum, float beta, const half *c) {
    return __float2half(beta == 0.0f ? alpha * __half2float(sum) : alpha * __half2float(sum) + beta * __half2float(*c));
}

static __device__ int blend(float alpha, int sum, float beta, const int *c) { // alpha and beta are whole numbers here
    return beta == 0.0f ? (int)alpha * sum : (int)alpha * sum + (int)beta * *c;
}

/* Writes a tile of sums to row `row`, column `col` of C. Which lane holds which element of a fragment is not known. But
 * two fragments of one type agree in that, so C's old elements are loaded to a fragment as well, and x[t] corresponds to x[t].
 * A tile that is cut by C's edge is stored through `patch`, T x T elements of shared memory of this warp: there every
 * element has an address. So is one at an address where wmma may not store (it wants 32 bytes for the first element and
 * 16 for the step from row to row). */
template <class fragment, class sum>
static __device__ void store_tile(fragment &tile, int M, int N, int row, int col, float alpha, float beta, sum *C,
                                  sum *patch) {
    sum *c = &C[row * N + col];
    if (row + T <= M && col + T <= N && (uintptr_t)c % 32 == 0 && N * sizeof(sum) % 16 == 0) {
        fragment before;
        if (beta != 0.0f) {
            wmma::load_matrix_sync(before, c, N, wmma::mem_row_major);
        }
#pragma unroll
        for (int t = 0; t < tile.num_elements; t++) {
            tile.x[t] = blend(alpha, tile.x[t], beta, &before.x[t]);
        }
        wmma::store_matrix_sync(c, tile, N, wmma::mem_row_major);
        return;
    }
    wmma::store_matrix_sync(patch, tile, T, wmma::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x % WARP; e < T * T; e += WARP) {
        if (row + e / T < M && col + e % T < N) {
            c = &C[(row + e / T) * N + col + e % T];
            *c = blend(alpha, patch[e], beta, c);
        }
    }
    __syncwarp(); // the next tile takes the same patch
}

// ---------------------------------------------------------------- the versions

/* Version 1: no tensor cores. Lesson 15's last version; the numbers become floats when they are used. */
template <class number>
static __global__ void gemm_kernel1(int M, int N, int K, float alpha, const number *A, const number *B, float beta,
                                    float *C) {
    enum { TILE = 32 };
    __shared__ number tile_A[TILE][TILE], tile_B[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int start = 0; start < K; start += TILE) {
        tile_A[y][x] = row < M && start + x < K ? A[row * K + start + x] : number(0.0f);
        tile_B[y][x] = start + y < K && col < N ? B[(start + y) * N + col] : number(0.0f);
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += (float)tile_A[y][k] * (float)tile_B[k][x];
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        C[row * N + col] = blend(alpha, sum, beta, &C[row * N + col]);
    }
}

/* Version 2: a warp, a tile. Four warps are side by side in a block, and independent of each other. M, N and K are
 * multiples of 16 here, and the matrices are aligned to 32 bytes. */
static __global__ void gemm_kernel2(int M, int N, int K, float alpha, const half *A, const half *B, float beta,
                                    float *C) {
    int row = blockIdx.y * T, col = (blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP) * T;
    if (col >= N) {
        return; // the whole warp: it has one tile
    }
    fragment_A<fp16> a;
    fragment_B<fp16> b;
    fragment_C<fp16> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < K; k += T) {
        wmma::load_matrix_sync(a, &A[row * K + k], K); // K: from a row to the next one
        wmma::load_matrix_sync(b, &B[k * N + col], N);
        wmma::mma_sync(sum, a, b, sum); // sum = a * b + sum: 4096 multiply-adds
    }
    store_tile(sum, M, N, row, col, alpha, beta, C, (float *)NULL); // whole tiles need no patch
}

/* Version 3: tiles of 64 x 64 in shared memory, for 16 warps with a tile of 16 x 16 each. Elements outside of A and B
 * are zero in the tiles, so any shape is possible. P: the type; in versions 9 to 12 this one takes the shapes that
 * do not fit. */
template <class P>
static __global__ void gemm_kernel3(int M, int N, int K, float alpha, const typename P::number *A,
                                    const typename P::number *B, float beta, typename P::sum *C) {
    if constexpr (P::CAPABILITY <= CAPABILITY) { // otherwise an empty kernel, which is never launched
        typedef typename P::number number;
        enum { BM = 64, BN = 64, BK = 32, THREADS = 512 };
        __shared__ __align__(32) number tile_A[BM][BK], tile_B[BK][BN];
        __shared__ __align__(32) typename P::sum patch[THREADS / WARP][T * T];
        int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN;
        int warp = threadIdx.x / WARP, row = warp / (BN / T) * T, col = warp % (BN / T) * T;
        fragment_A<P> a;
        fragment_B<P> b;
        fragment_C<P> sum;
        wmma::fill_fragment(sum, typename P::sum(0));
        for (int start = 0; start < K; start += BK) {
            for (int e = threadIdx.x; e < BM * BK; e += THREADS) {
                int m = e / BK, k = e % BK;
                tile_A[m][k] = first_row + m < M && start + k < K ? A[(first_row + m) * K + start + k] : number(0.0f);
            }
            for (int e = threadIdx.x; e < BK * BN; e += THREADS) {
                int k = e / BN, n = e % BN;
                tile_B[k][n] = start + k < K && first_col + n < N ? B[(start + k) * N + first_col + n] : number(0.0f);
            }
            __syncthreads();
            for (int k = 0; k < BK; k += P::DEPTH) {
                wmma::load_matrix_sync(a, &tile_A[row][k], BK);
                wmma::load_matrix_sync(b, &tile_B[k][col], BN);
                round_elements(a);
                round_elements(b);
                wmma::mma_sync(sum, a, b, sum);
            }
            __syncthreads();
        }
        store_tile(sum, M, N, first_row + row, first_col + col, alpha, beta, C, patch[warp]);
    }
}

/* What versions 4 to 7 have in common: a block of 128 x 128 elements of C, eight warps with 64 x 32 of them each, which
 * is R x S fragments. */
enum { BM = 128, BN = 128, BK = 32, WM = 64, WN = 32, R = WM / T, S = WN / T, THREADS = 256 };

static __device__ void fill_zero(fragment_C<fp16> (&sum)[R][S]) {
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int j = 0; j < S; j++) {
            wmma::fill_fragment(sum[i][j], 0.0f);
        }
    }
}

/* R + S fragments are loaded, and used for R * S products. As with register tiles, all loops are unrolled. tile_A and
 * tile_B: where the warp's parts begin; pitch: elements from a row to the next. */
static __device__ void multiply(fragment_C<fp16> (&sum)[R][S], const half *tile_A, int pitch_A, const half *tile_B,
                                int pitch_B) {
    fragment_A<fp16> a[R];
    fragment_B<fp16> b[S];
#pragma unroll
    for (int k = 0; k < BK; k += T) {
#pragma unroll
        for (int i = 0; i < R; i++) {
            wmma::load_matrix_sync(a[i], tile_A + i * T * pitch_A + k, pitch_A);
        }
#pragma unroll
        for (int j = 0; j < S; j++) {
            wmma::load_matrix_sync(b[j], tile_B + k * pitch_B + j * T, pitch_B);
        }
#pragma unroll
        for (int i = 0; i < R; i++) {
#pragma unroll
            for (int j = 0; j < S; j++) {
                wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
            }
        }
    }
}

static __device__ void store_tiles(fragment_C<fp16> (&sum)[R][S], int M, int N, int row, int col, float alpha,
                                   float beta, float *C, float *patch) {
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int j = 0; j < S; j++) {
            store_tile(sum[i][j], M, N, row + i * T, col + j * T, alpha, beta, C, patch);
        }
    }
}

/* Version 4: a warp has 4 x 2 fragments of sums. For 8 products it loads 6 fragments; version 3 loads 16. */
static __global__ void gemm_kernel4(int M, int N, int K, float alpha, const half *A, const half *B, float beta,
                                    float *C) {
    __shared__ __align__(32) half tile_A[BM][BK], tile_B[BK][BN];
    __shared__ __align__(32) float patch[THREADS / WARP][T * T];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN;
    int warp = threadIdx.x / WARP, row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    fragment_C<fp16> sum[R][S];
    fill_zero(sum);
    for (int start = 0; start < K; start += BK) {
        for (int e = threadIdx.x; e < BM * BK; e += THREADS) {
            int m = e / BK, k = e % BK;
            tile_A[m][k] = first_row + m < M && start + k < K ? A[(first_row + m) * K + start + k] : half(0.0f);
        }
        for (int e = threadIdx.x; e < BK * BN; e += THREADS) {
            int k = e / BN, n = e % BN;
            tile_B[k][n] = start + k < K && first_col + n < N ? B[(start + k) * N + first_col + n] : half(0.0f);
        }
        __syncthreads();
        multiply(sum, &tile_A[row][0], BK, &tile_B[0][col], BN);
        __syncthreads();
    }
    store_tiles(sum, M, N, first_row + row, first_col + col, alpha, beta, C, patch[warp]);
}

/* 16 bytes at once, 8 numbers of fp16. `from` and `to` are aligned to 16 bytes. */
enum { PIECE = 16 / sizeof(half) };

static __device__ void copy_piece_or_0(half *to, const half *from, bool inside) {
    *(uint4 *)to = inside ? *(const uint4 *)from : make_uint4(0, 0, 0, 0);
}

/* Version 5: 16 bytes at once. From here on N and K are multiples of 8, so every row begins on a multiple of 16 bytes,
 * and 8 neighbours are inside or outside as a whole. */
static __global__ void gemm_kernel5(int M, int N, int K, float alpha, const half *A, const half *B, float beta,
                                    float *C) {
    __shared__ __align__(32) half tile_A[BM][BK], tile_B[BK][BN];
    __shared__ __align__(32) float patch[THREADS / WARP][T * T];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN;
    int warp = threadIdx.x / WARP, row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    fragment_C<fp16> sum[R][S];
    fill_zero(sum);
    for (int start = 0; start < K; start += BK) {
        for (int e = threadIdx.x * PIECE; e < BM * BK; e += THREADS * PIECE) {
            int m = e / BK, k = e % BK;
            copy_piece_or_0(&tile_A[m][k], &A[(first_row + m) * K + start + k], first_row + m < M && start + k < K);
        }
        for (int e = threadIdx.x * PIECE; e < BK * BN; e += THREADS * PIECE) {
            int k = e / BN, n = e % BN;
            copy_piece_or_0(&tile_B[k][n], &B[(start + k) * N + first_col + n], start + k < K && first_col + n < N);
        }
        __syncthreads();
        multiply(sum, &tile_A[row][0], BK, &tile_B[0][col], BN);
        __syncthreads();
    }
    store_tiles(sum, M, N, first_row + row, first_col + col, alpha, beta, C, patch[warp]);
}

/* Version 6: no bank conflicts. A fragment is loaded 8 rows at a time, 16 bytes of each. In version 5 the rows are 64
 * bytes apart in the tile of A and 256 in that of B, so they are in the same banks. With 16 bytes of padding in each
 * row, the 8 pieces are in 32 different banks. */
static __global__ void gemm_kernel6(int M, int N, int K, float alpha, const half *A, const half *B, float beta,
                                    float *C) {
    enum { PAD = PIECE };
    __shared__ __align__(32) half tile_A[BM][BK + PAD], tile_B[BK][BN + PAD];
    __shared__ __align__(32) float patch[THREADS / WARP][T * T];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN;
    int warp = threadIdx.x / WARP, row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    fragment_C<fp16> sum[R][S];
    fill_zero(sum);
    for (int start = 0; start < K; start += BK) {
        for (int e = threadIdx.x * PIECE; e < BM * BK; e += THREADS * PIECE) {
            int m = e / BK, k = e % BK;
            copy_piece_or_0(&tile_A[m][k], &A[(first_row + m) * K + start + k], first_row + m < M && start + k < K);
        }
        for (int e = threadIdx.x * PIECE; e < BK * BN; e += THREADS * PIECE) {
            int k = e / BN, n = e % BN;
            copy_piece_or_0(&tile_B[k][n], &B[(start + k) * N + first_col + n], start + k < K && first_col + n < N);
        }
        __syncthreads();
        multiply(sum, &tile_A[row][0], BK + PAD, &tile_B[0][col], BN + PAD);
        __syncthreads();
    }
    store_tiles(sum, M, N, first_row + row, first_col + col, alpha, beta, C, patch[warp]);
}

/* An asynchronous copy (cp.async). Outside, zeros are written, and nothing is read. */
template <class number> static __device__ void ask_for_piece(number *to, const number *from, bool inside) {
    __pipeline_memcpy_async(to, from, 16, inside ? 0 : 16);
}

/* Version 7: cp.async. There is room for three pairs of tiles, stages: while one is multiplied, two are in flight.
 * Before a pair is used, all groups of copies but the newest must have arrived, in all threads. */
static __global__ void gemm_kernel7(int M, int N, int K, float alpha, const half *A, const half *B, float beta,
                                    float *C) {
    enum { PAD = PIECE, STAGES = 3 };
    struct tiles {
        half A[BM][BK + PAD], B[BK][BN + PAD];
    };
    extern __shared__ __align__(128) unsigned char memory[]; // more than the 48 KiB that a declaration may have
    tiles *stages = (tiles *)memory;
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN;
    int warp = threadIdx.x / WARP, row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    auto ask_for = [&](int tile) { // a lambda: a function that sees the variables of the kernel
        tiles &to = stages[tile % STAGES];
        int start = tile * BK;
#pragma unroll
        for (int e = threadIdx.x * PIECE; e < BM * BK; e += THREADS * PIECE) {
            int m = e / BK, k = e % BK;
            ask_for_piece(&to.A[m][k], &A[(first_row + m) * K + start + k], first_row + m < M && start + k < K);
        }
#pragma unroll
        for (int e = threadIdx.x * PIECE; e < BK * BN; e += THREADS * PIECE) {
            int k = e / BN, n = e % BN;
            ask_for_piece(&to.B[k][n], &B[(start + k) * N + first_col + n], start + k < K && first_col + n < N);
        }
        __pipeline_commit();
    };
    fragment_C<fp16> sum[R][S];
    fill_zero(sum);
    for (int tile = 0; tile < STAGES - 1; tile++) {
        ask_for(tile);
    }
    for (int tile = 0; tile * BK < K; tile++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        ask_for(tile + STAGES - 1); // into the stage where tile - 1 was: no thread reads it any more
        const tiles &now = stages[tile % STAGES];
        multiply(sum, &now.A[row][0], BK + PAD, &now.B[0][col], BN + PAD);
    }
    __pipeline_wait_prior(0);
    __syncthreads(); // no more copies, no more reading: the stages' memory is free for patches
    store_tiles(sum, M, N, first_row + row, first_col + col, alpha, beta, C, (float *)memory + warp * T * T);
}

/* How version 8 divides its work: the block's tile, the length of a step in bytes (whatever the numbers are), the
 * warp's tile, stages, and rows of blocks at the same time. */
template <int block_m, int block_n, int step_bytes, int warp_m, int warp_n, int stages, int group> struct shape {
    enum { M = block_m, N = block_n, BYTES = step_bytes, WM = warp_m, WN = warp_n, STAGES = stages, GROUP = group };
    enum { THREADS = M / WM * (N / WN) * WARP };
};

template <class P, class D> struct stage {
    enum { PIECE = 16 / sizeof(typename P::number), K = D::BYTES / sizeof(typename P::number) };
    typename P::number A[D::M][K + PIECE], B[K][D::N + PIECE];
};

/* Version 8: version 7 for any type P, with sizes D that were chosen by trying. Each warp has two sets of fragments:
 * while it multiplies with one, the other one arrives, at the end of a tile from the next one. And an order of blocks:
 * those that run at the same time are neighbours in both directions, GROUP rows of them, so that they share what is in
 * the L2 cache. */
template <class P, class D>
static __global__
__launch_bounds__(D::THREADS) void gemm_kernel8(int M, int N, int K, float alpha, const typename P::number *A,
                                                const typename P::number *B, float beta, typename P::sum *C) {
    if constexpr (P::CAPABILITY <= CAPABILITY) {
        typedef stage<P, D> tiles;
        enum { BK = tiles::K, STEPS = BK / P::DEPTH, PIECE = tiles::PIECE, R = D::WM / T, S = D::WN / T };
        enum { STAGES = D::STAGES };
        static_assert(STEPS % 2 == 0, "each step has the other set of fragments, also where a tile ends");
        extern __shared__ __align__(128) unsigned char memory[];
        tiles *stages = (tiles *)memory;
        int number = blockIdx.y * gridDim.x + blockIdx.x, group = number / (D::GROUP * gridDim.x);
        int rows = min((int)gridDim.y - group * D::GROUP, D::GROUP), place = number % (D::GROUP * gridDim.x);
        int first_row = (group * D::GROUP + place % rows) * D::M, first_col = place / rows * D::N;
        int warp = threadIdx.x / WARP, row = warp / (D::N / D::WN) * D::WM, col = warp % (D::N / D::WN) * D::WN;
        auto ask_for = [&](int tile) {
            tiles &to = stages[tile % STAGES];
            int start = tile * BK;
#pragma unroll
            for (int e = threadIdx.x * PIECE; e < D::M * BK; e += D::THREADS * PIECE) {
                int m = e / BK, k = e % BK;
                ask_for_piece(&to.A[m][k], &A[(first_row + m) * K + start + k], first_row + m < M && start + k < K);
            }
#pragma unroll
            for (int e = threadIdx.x * PIECE; e < BK * D::N; e += D::THREADS * PIECE) {
                int k = e / D::N, n = e % D::N;
                ask_for_piece(&to.B[k][n], &B[(start + k) * N + first_col + n], start + k < K && first_col + n < N);
            }
            __pipeline_commit();
        };
        fragment_A<P> a[2][R]; // of this step, and of the next one
        fragment_B<P> b[2][S];
        auto load = [&](int set, const tiles &from, int k) {
#pragma unroll
            for (int i = 0; i < R; i++) {
                wmma::load_matrix_sync(a[set][i], &from.A[row + i * T][k], BK + PIECE);
            }
#pragma unroll
            for (int j = 0; j < S; j++) {
                wmma::load_matrix_sync(b[set][j], &from.B[k][col + j * T], D::N + PIECE);
            }
        };
        fragment_C<P> sum[R][S];
#pragma unroll
        for (int i = 0; i < R * S; i++) {
            wmma::fill_fragment(sum[i / S][i % S], typename P::sum(0));
        }
        for (int tile = 0; tile < STAGES - 1; tile++) {
            ask_for(tile);
        }
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        load(0, stages[0], 0);
        for (int tile = 0; tile * BK < K; tile++) {
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                if (step == STEPS - 1) { // the next fragments are in the next tile
                    __pipeline_wait_prior(STAGES - 2);
                    __syncthreads();
                }
                const tiles &from = stages[(tile + (step + 1) / STEPS) % STAGES];
                load((step + 1) % 2, from, (step + 1) % STEPS * P::DEPTH);
                if (step == 0) {
                    ask_for(tile + STAGES - 1); // into the stage where tile - 1 was
                }
#pragma unroll
                for (int i = 0; i < R; i++) {
                    round_elements(a[step % 2][i]);
                }
#pragma unroll
                for (int j = 0; j < S; j++) {
                    round_elements(b[step % 2][j]);
                }
#pragma unroll
                for (int i = 0; i < R * S; i++) {
                    wmma::mma_sync(sum[i / S][i % S], a[step % 2][i / S], b[step % 2][i % S], sum[i / S][i % S]);
                }
            }
        }
        __pipeline_wait_prior(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < R * S; i++) {
            store_tile(sum[i / S][i % S], M, N, first_row + row + i / S * T, first_col + col + i % S * T, alpha, beta,
                       C, (typename P::sum *)memory + warp * T * T);
        }
    }
}

// ---------------------------------------------------------------- the launchers

/* As in lessons 15 and 16: queued in `stream`, no waiting. M and N may be 0; with K = 0, C = beta * C. */

template <class number, class sum>
using gemm_kernel = void (*)(int M, int N, int K, float alpha, const number *A, const number *B, float beta, sum *C);

/* A block for each tile of block_m x block_n elements of C. */
template <class number, class sum>
static void launch(gemm_kernel<number, sum> kernel, int block_m, int block_n, dim3 block, size_t shared,
                   const struct gemm_call *g, cudaStream_t stream) {
    if (g->M == 0 || g->N == 0) {
        return;
    }
    if (shared > 48 << 10) { // this much has to be requested
        CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    }
    dim3 grid(ceil_div(g->N, block_n), ceil_div(g->M, block_m));
    kernel<<<grid, block, shared, stream>>>(g->M, g->N, g->K, g->alpha, (const number *)g->A, (const number *)g->B,
                                            g->beta, (sum *)g->C);
    CUDA_CHECK_LAUNCH();
}

/* Does every row of A and B begin on a multiple of 16 bytes? */
static bool rows_fit_pieces(const struct gemm_call *g, size_t number) {
    return g->N * number % 16 == 0 && g->K * number % 16 == 0 && ((uintptr_t)g->A | (uintptr_t)g->B) % 16 == 0;
}

/* May a block of this GPU have this much shared memory? */
static bool fits_shared(size_t bytes) {
    int device = 0, most = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return bytes <= (size_t)most;
}

static void gemm1(const struct gemm_call *g, cudaStream_t stream) {
    launch(gemm_kernel1<half>, 32, 32, dim3(32, 32), 0, g, stream);
}

static void gemm1_float(const struct gemm_call *g, cudaStream_t stream) {
    launch(gemm_kernel1<float>, 32, 32, dim3(32, 32), 0, g, stream);
}

template <class P> static void gemm3(const struct gemm_call *g, cudaStream_t stream) {
    launch(gemm_kernel3<P>, 64, 64, 512, 0, g, stream);
}

static void gemm2(const struct gemm_call *g, cudaStream_t stream) {
    bool whole = (g->M | g->N | g->K) % T == 0 && ((uintptr_t)g->A | (uintptr_t)g->B | (uintptr_t)g->C) % 32 == 0;
    if (whole) {
        launch(gemm_kernel2, T, 4 * T, 4 * WARP, 0, g, stream);
    } else {
        gemm3<fp16>(g, stream);
    }
}

template <gemm_kernel<half, float> kernel> static void gemm4to6(const struct gemm_call *g, cudaStream_t stream) {
    launch(rows_fit_pieces(g, sizeof(half)) ? kernel : gemm_kernel4, BM, BN, THREADS, 0, g, stream);
}

static void gemm7(const struct gemm_call *g, cudaStream_t stream) {
    if (rows_fit_pieces(g, sizeof(half))) {
        launch(gemm_kernel7, BM, BN, THREADS, 3 * (BM * (BK + PIECE) + BK * (BN + PIECE)) * sizeof(half), g, stream);
    } else {
        launch(gemm_kernel4, BM, BN, THREADS, 0, g, stream);
    }
}

/* Among the fastest of those that were tried on an H200 (measured/tuning); an A100 has the shared memory for it, too. */
typedef shape<128, 256, 128, 64, 64, 3, 8> tuned;

template <class P> static void gemm8(const struct gemm_call *g, cudaStream_t stream) {
    size_t shared = sizeof(stage<P, tuned>) * tuned::STAGES;
    if (rows_fit_pieces(g, sizeof(typename P::number)) && fits_shared(shared)) {
        launch(gemm_kernel8<P, tuned>, tuned::M, tuned::N, tuned::THREADS, shared, g, stream);
    } else {
        gemm3<P>(g, stream);
    }
}

static const struct gemm_version versions[] = {
    {"gemm_kernel1", FP16, gemm1},
    {"gemm_kernel2", FP16, gemm2},
    {"gemm_kernel3", FP16, gemm3<fp16>},
    {"gemm_kernel4", FP16, gemm4to6<gemm_kernel4>},
    {"gemm_kernel5", FP16, gemm4to6<gemm_kernel5>},
    {"gemm_kernel6", FP16, gemm4to6<gemm_kernel6>},
    {"gemm_kernel7", FP16, gemm7},
    {"gemm_kernel8", FP16, gemm8<fp16>},
    {"fp16, sums fp16", FP16_SUMS16, gemm8<fp16_sums16>},
    {"bf16", BF16, gemm8<bf16>},
    {"tf32", TF32, gemm8<tf32>},
    {"int8", INT8, gemm8<int8>},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

/* What the table of errors compares: one warp's tile at a time, and the same product without tensor cores. */
static const struct gemm_version exactness[] = {
    {"fp32", FP32, gemm1_float}, {"tf32", TF32, gemm3<tf32>},
    {"fp16", FP16, gemm3<fp16>}, {"fp16, sums fp16", FP16_SUMS16, gemm3<fp16_sums16>},
    {"bf16", BF16, gemm3<bf16>},
};

/* Multiples of 16, of 8, of nothing; multiples of all tiles; fewer steps than there are stages; one of the three is 0. */
static const int shapes[][3] = {{1, 1, 1},   {31, 31, 31},   {33, 33, 33},    {129, 65, 97},  {0, 16, 16},
                                {16, 0, 16}, {16, 16, 0},    {16, 16, 16},    {48, 80, 112},  {8, 16, 24},
                                {1, 8, 8},   {136, 264, 40}, {257, 128, 200}, {128, 256, 64}, {144, 20, 36}};

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    frame lesson = frame_of("matrix product", versions, VERSIONS);
    gemm_run(&lesson, shapes, 4, argv[0], &options);
    if (options.size < 0 && !options.version) {
        gemm_compare_errors(exactness, sizeof exactness / sizeof exactness[0], options.seed);
    }
    return verify_finish(lesson.what);
}
