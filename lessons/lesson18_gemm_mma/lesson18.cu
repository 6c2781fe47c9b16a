/* Lesson 18: tensor cores by hand, from one mma.sync to a layer of a network in one kernel.
 *
 *     make lesson18 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson18 run V=6 SIZE=264        one version, matrices of 264 x 264
 *
 * You will learn which lane of a warp holds which number when tensor cores multiply, how ldmatrix brings the numbers
 * there, why a swizzle frees it of bank conflicts, and how to keep tensor cores busy: copies several tiles ahead,
 * fragments one step ahead. And what to do behind the product, and with products too small for the machine.
 *
 *     mma_kernel1   mma.sync: each lane fetches its fragments from tiles in shared memory
 *     mma_kernel2   ldmatrix: one instruction fetches four 8 x 8 matrices for the warp
 *     mma_kernel3   a swizzle: the same instructions, no bank conflict, and no byte of padding
 *     mma_kernel4   cp.async in a ring of three stages: two tiles are on their way while one is multiplied
 *     mma_kernel5   larger tiles, fragments for the next step fetched during this one, an order of blocks for L2
 *     mma_kernel6   the epilogue: results leave through shared memory in rows, with bias and GELU on their way
 *     mma_kernel7   split-K: several blocks share the sum of one tile, for matrices with few tiles
 *     mma_kernel8   stream-K: each block does the same number of steps, wherever tiles begin and end
 *
 * C = A * B, or C = gelu(A * B + bias): A is M x K, B is K x N, C is M x N, all row-major bfloat16; bias has N. The
 * sums are fp32, and rounded to bfloat16 at the end.
 */
// arch: sm_80 sm_90
// sizes: 0 1 33 264
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <math.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/gelu_layer.h"
#include "../../common/lesson.h"
#include "../../common/verify.h"

typedef __nv_bfloat16 bf16;

enum { WARP = 32, THREADS = 256 }; // a block of versions 1 to 4

// ---------------------------------------------------------------- the reference

static double gelu_cpu(double x) {
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

/* Rows 0, step, 2 * step, ... of C, summed in double and not rounded. */
static void layer_cpu(int M, int N, int K, const float *A, const float *B, const float *bias, float *C, int step) {
    double *sum = (double *)verify_host_alloc(N * sizeof(double));
    for (size_t i = 0; i < (size_t)M; i += step) {
        for (int j = 0; j < N; j++) {
            sum[j] = 0.0;
        }
        for (int k = 0; k < K; k++) {
            double a = A[i * K + k];
            for (int j = 0; j < N; j++) {
                sum[j] += a * B[(size_t)k * N + j];
            }
        }
        for (int j = 0; j < N; j++) {
            C[i * N + j] = (float)(bias ? gelu_cpu(sum[j] + bias[j]) : sum[j]);
        }
    }
    free(sum);
}

// ---------------------------------------------------------------- tensor cores

/* Tensor cores: c += a * b for matrices of 16 x 16 and 16 x 8, by one warp in one instruction. A lane gives four
 * registers of a and two of b, each with two bfloat16, and keeps four sums. With g = lane / 4 and t = lane % 4:
 *     a[0]: row g,     columns 2t, 2t + 1          b0: column g, rows 2t, 2t + 1        c[0], c[1]: row g,
 *     a[1]: row g + 8, columns 2t, 2t + 1          b1: column g, rows 2t + 8, 2t + 9                columns 2t, 2t + 1
 *     a[2]: row g,     columns 2t + 8, 2t + 9                                           c[2], c[3]: row g + 8,
 *     a[3]: row g + 8, columns 2t + 8, 2t + 9                                                       columns 2t, 2t + 1
 */
static __device__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* A warp's tile of 16 R x 8 S sums, rows `from` to `to` of its R: one step of 16 along K. b[j] has the fragments of two
 * neighbours, 2j and 2j + 1. Every second row is walked backwards, so that two mma in a row have operands in common. */
template <int R, int S>
static __device__ void multiply(float (&sum)[R][S][4], const uint32_t (&a)[R][4], const uint32_t (&b)[S / 2][4],
                                int from = 0, int to = R) {
#pragma unroll
    for (int i = from; i < to; i++) {
#pragma unroll
        for (int s = 0; s < S; s++) {
            int j = i % 2 ? S - 1 - s : s;
            mma(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
}

/* Four 8 x 8 matrices: lanes 0 to 7 point to the rows of the first one, 16 bytes each, lanes 8 to 15 to those of the
 * second, and so on. r[i] is what this lane holds of matrix i: columns 2t and 2t + 1 of row g. */
static __device__ void ldmatrix(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* The same with each matrix transposed: this lane gets rows 2t and 2t + 1 of column g. */
static __device__ void ldmatrix_transposed(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

// ---------------------------------------------------------------- what several versions share

/* Eight neighbours of a row, of which `count` are inside the matrix; zeros for the others. `wide`: rows are a multiple
 * of eight long and begin on 16 bytes, so all eight are inside, or none. */
static __device__ uint4 load8(const bf16 *from, int count, bool wide) {
    uint4 v = make_uint4(0, 0, 0, 0);
    if (wide) {
        return count > 0 ? *(const uint4 *)from : v;
    }
    uint32_t part[4] = {};
#pragma unroll
    for (int i = 0; i < 8; i++) {
        uint32_t x = i < count ? __bfloat16_as_ushort(from[i]) : 0;
        part[i / 2] |= x << i % 2 * 16;
    }
    return make_uint4(part[0], part[1], part[2], part[3]);
}

/* gelu(x) = x / 2 * (1 + tanh(u)) = x / (1 + exp(-2 u)), which has no difference of two near numbers. __expf and __fdividef
 * take a few instructions each, and are right to 20 bits or so; bfloat16 keeps 8. */
static __device__ float gelu(float x) {
    float u = 0.7978845608f * (x + 0.044715f * x * x * x);
    return __fdividef(x, 1.0f + __expf(-2.0f * u));
}

static __device__ float finish(float sum, const bf16 *bias, int col) {
    return bias ? gelu(sum + __bfloat162float(bias[col])) : sum;
}

/* Versions 1 to 5 leave bias and GELU to a kernel of its own: it reads C and writes it again. */
static __global__ void bias_gelu_kernel(struct layer l) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)l.M * l.N) {
        l.C[i] = __float2bfloat16(finish(__bfloat162float(l.C[i]), l.bias, i % l.N));
    }
}

/* Each lane writes its own sums: two neighbours at once where the rows allow it. `row` and `col` are the warp's. */
template <int R, int S>
static __device__ void store_fragments(const struct layer &l, const float (&sum)[R][S][4], int row, int col) {
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int i = 0; i < 2 * R; i++) {
#pragma unroll
        for (int j = 0; j < S; j++) {
            int r = row + i * 8 + lane / 4, s = col + j * 8 + lane % 4 * 2;
            float x = sum[i / 2][j][i % 2 * 2], y = sum[i / 2][j][i % 2 * 2 + 1];
            bf16 *c = l.C + (size_t)r * l.N + s;
            if (r < l.M && s + 1 < l.N && l.wide) {
                *(__nv_bfloat162 *)c = __floats2bfloat162_rn(x, y);
            } else if (r < l.M) {
                if (s < l.N) {
                    c[0] = __float2bfloat16(x);
                }
                if (s + 1 < l.N) {
                    c[1] = __float2bfloat16(y);
                }
            }
        }
    }
}

// ---------------------------------------------------------------- versions 1 to 4: tiles of 128 x 128, steps of 32

/* Eight warps, two down and four across: 64 x 32 sums each, 4 x 4 products of 16 x 8. */
enum { BM = 128, BN = 128, BK = 32, WM = 64, WN = 32, R = WM / 16, S = WN / 8 };

/* Version 1: a lane fetches its fragments by itself. Two neighbours of A lie side by side: one load of 4 bytes. Those
 * of B lie one below the other: two loads of 2 bytes, and an instruction to join them. */
static __global__ __launch_bounds__(THREADS) void mma_kernel1(struct layer l) {
    __shared__ __align__(16) bf16 tile_A[BM][BK], tile_B[BK][BN];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN, warp = threadIdx.x / WARP;
    int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN, g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
    float sum[R][S][4] = {};
    for (int start = 0; start < l.K; start += BK) {
        for (int p = threadIdx.x; p < BM * BK / 8; p += THREADS) { // pieces of eight: BM * BK / 8 of either tile
            int m = p / (BK / 8), k = p % (BK / 8) * 8, r = first_row + m;
            *(uint4 *)&tile_A[m][k] = load8(l.A + (size_t)r * l.K + start + k, r < l.M ? l.K - start - k : 0, l.wide);
        }
        for (int p = threadIdx.x; p < BK * BN / 8; p += THREADS) {
            int k = p / (BN / 8), n = p % (BN / 8) * 8, r = start + k, s = first_col + n;
            *(uint4 *)&tile_B[k][n] = load8(l.B + (size_t)r * l.N + s, r < l.K ? l.N - s : 0, l.wide);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            uint32_t a[R][4], b[S / 2][4];
            for (int i = 0; i < R; i++) {
                for (int q = 0; q < 4; q++) {
                    a[i][q] = *(const uint32_t *)&tile_A[row + i * 16 + q % 2 * 8 + g][k + q / 2 * 8 + t * 2];
                }
            }
            for (int j = 0; j < S; j++) {
                for (int q = 0; q < 2; q++) {
                    const bf16 *above = &tile_B[k + q * 8 + t * 2][col + j * 8 + g];
                    b[j / 2][j % 2 * 2 + q] = __bfloat16_as_ushort(above[0]) | (uint32_t)__bfloat16_as_ushort(above[BN])
                                                                                   << 16;
                }
            }
            multiply(sum, a, b);
        }
        __syncthreads();
    }
    store_fragments(l, sum, first_row + row, first_col + col);
}

/* Version 2: ldmatrix. 32 lanes point to 32 rows of 8 numbers, and get them as fragments. For a 16 x 16 piece of A lane
 * i points to row i % 16, left or right half; for B likewise, and each 8 x 8 matrix is transposed on its way. */
static __global__ __launch_bounds__(THREADS) void mma_kernel2(struct layer l) {
    __shared__ __align__(16) bf16 tile_A[BM][BK], tile_B[BK][BN];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN, warp = threadIdx.x / WARP;
    int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    int down = threadIdx.x % 16, right = threadIdx.x % WARP / 16 * 8; // the row that this lane points to
    float sum[R][S][4] = {};
    for (int start = 0; start < l.K; start += BK) {
        for (int p = threadIdx.x; p < BM * BK / 8; p += THREADS) {
            int m = p / (BK / 8), k = p % (BK / 8) * 8, r = first_row + m;
            *(uint4 *)&tile_A[m][k] = load8(l.A + (size_t)r * l.K + start + k, r < l.M ? l.K - start - k : 0, l.wide);
        }
        for (int p = threadIdx.x; p < BK * BN / 8; p += THREADS) {
            int k = p / (BN / 8), n = p % (BN / 8) * 8, r = start + k, s = first_col + n;
            *(uint4 *)&tile_B[k][n] = load8(l.B + (size_t)r * l.N + s, r < l.K ? l.N - s : 0, l.wide);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            uint32_t a[R][4], b[S / 2][4];
            for (int i = 0; i < R; i++) {
                ldmatrix(a[i], &tile_A[row + i * 16 + down][k + right]);
            }
            for (int j = 0; j < S / 2; j++) {
                ldmatrix_transposed(b[j], &tile_B[k + down][col + j * 16 + right]);
            }
            multiply(sum, a, b);
        }
        __syncthreads();
    }
    store_fragments(l, sum, first_row + row, first_col + col);
}

/* Where a tile with rows of COLS numbers has the piece of eight that begins at (row, col). 128 bytes are all 32 banks:
 * they hold 8 pieces. The swizzle exchanges the pieces of a row, by an exclusive or with the number of the row (of the
 * row's 128 bytes, where these hold several rows): so 8 rows have their pieces of one column in 8 different places. */
template <int COLS> static __device__ int swizzled(int row, int col) {
    enum { PIECES = COLS / 8, ROWS = PIECES < 8 ? 8 / PIECES : 1, PLACES = PIECES < 8 ? PIECES : 8 };
    return row * COLS + ((col / 8) ^ (row / ROWS % PLACES)) * 8;
}

/* Version 3: the swizzle, where tiles are written and where they are read. */
static __global__ __launch_bounds__(THREADS) void mma_kernel3(struct layer l) {
    __shared__ __align__(16) bf16 tile_A[BM * BK], tile_B[BK * BN];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN, warp = threadIdx.x / WARP;
    int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    int down = threadIdx.x % 16, right = threadIdx.x % WARP / 16 * 8;
    float sum[R][S][4] = {};
    for (int start = 0; start < l.K; start += BK) {
        for (int p = threadIdx.x; p < BM * BK / 8; p += THREADS) {
            int m = p / (BK / 8), k = p % (BK / 8) * 8, r = first_row + m;
            *(uint4 *)&tile_A[swizzled<BK>(m, k)] =
                load8(l.A + (size_t)r * l.K + start + k, r < l.M ? l.K - start - k : 0, l.wide);
        }
        for (int p = threadIdx.x; p < BK * BN / 8; p += THREADS) {
            int k = p / (BN / 8), n = p % (BN / 8) * 8, r = start + k, s = first_col + n;
            *(uint4 *)&tile_B[swizzled<BN>(k, n)] = load8(l.B + (size_t)r * l.N + s, r < l.K ? l.N - s : 0, l.wide);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            uint32_t a[R][4], b[S / 2][4];
            for (int i = 0; i < R; i++) {
                ldmatrix(a[i], &tile_A[swizzled<BK>(row + i * 16 + down, k + right)]);
            }
            for (int j = 0; j < S / 2; j++) {
                ldmatrix_transposed(b[j], &tile_B[swizzled<BN>(k + down, col + j * 16 + right)]);
            }
            multiply(sum, a, b);
        }
        __syncthreads();
    }
    store_fragments(l, sum, first_row + row, first_col + col);
}

/* Asks for a copy of 16 bytes to shared memory, past the registers; of zeros, if they are not inside the matrix: then
 * `from` is not read. The number of bytes to read is an operand, so there is no branch (__pipeline_memcpy_async would
 * make two instructions of it). From here on rows are a multiple of eight long. */
static __device__ void copy8(bf16 *to, const bf16 *from, bool inside) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
}

/* Version 4: a ring of stages. While tile i is multiplied, the tiles i + 1 and i + 2 are on their way. One barrier a
 * step is enough: behind it all have the tile that arrived, and all are done with the one before, whose stage is filled
 * next. Behind the end of K there are zeros, so that each step commits one group and the wait counts right. */
static __global__ __launch_bounds__(THREADS) void mma_kernel4(struct layer l) {
    enum { STAGES = 3 };
    __shared__ __align__(16) bf16 tile_A[STAGES][BM * BK], tile_B[STAGES][BK * BN];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN, warp = threadIdx.x / WARP;
    int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
    int down = threadIdx.x % 16, right = threadIdx.x % WARP / 16 * 8;
    auto ask_for = [&](int tile) {
        int start = tile * BK, stage = tile % STAGES;
        for (int p = threadIdx.x; p < BM * BK / 8; p += THREADS) {
            int m = p / (BK / 8), k = p % (BK / 8) * 8, r = first_row + m;
            copy8(&tile_A[stage][swizzled<BK>(m, k)], l.A + (size_t)r * l.K + start + k, r < l.M && start + k < l.K);
        }
        for (int p = threadIdx.x; p < BK * BN / 8; p += THREADS) {
            int k = p / (BN / 8), n = p % (BN / 8) * 8, r = start + k, s = first_col + n;
            copy8(&tile_B[stage][swizzled<BN>(k, n)], l.B + (size_t)r * l.N + s, r < l.K && s < l.N);
        }
        __pipeline_commit();
    };

    float sum[R][S][4] = {};
    for (int tile = 0; tile < STAGES - 1; tile++) {
        ask_for(tile);
    }
    for (int tile = 0; tile * BK < l.K; tile++) {
        int stage = tile % STAGES;
        __pipeline_wait_prior(STAGES - 2); // all groups but the newest: this thread's part of `tile` has arrived
        __syncthreads();                   // and all threads' parts
        ask_for(tile + STAGES - 1);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            uint32_t a[R][4], b[S / 2][4];
            for (int i = 0; i < R; i++) {
                ldmatrix(a[i], &tile_A[stage][swizzled<BK>(row + i * 16 + down, k + right)]);
            }
            for (int j = 0; j < S / 2; j++) {
                ldmatrix_transposed(b[j], &tile_B[stage][swizzled<BN>(k + down, col + j * 16 + right)]);
            }
            multiply(sum, a, b);
        }
    }
    __pipeline_wait_prior(0);
    store_fragments(l, sum, first_row + row, first_col + col);
}

// ---------------------------------------------------------------- versions 5 to 8: sizes are parameters

/* The sizes of a block's work: its tile, a step along K, a warp's tile, stages; how many rows of tiles are computed at
 * the same time; over how many of a step's parts the copies are spread; blocks on a multiprocessor. */
template <int BM_, int BN_, int BK_, int WM_, int WN_, int STAGES_, int GROUP_, int SPREAD_ = 1, int BLOCKS_ = 1>
struct Sizes {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, STAGES = STAGES_;
    static constexpr int GROUP = GROUP_, SPREAD = SPREAD_, BLOCKS = BLOCKS_;
    static constexpr int THREADS = BM / WM * (BN / WN) * WARP, R = WM / 16, S = WN / 8, PARTS = BK / 16;
    static constexpr int PIECES_A = BM * BK / 8 / THREADS, PIECES_B = BK * BN / 8 / THREADS; // that a thread copies
    static constexpr int STAGE = BM * BK + BK * BN;                                          // bf16 of both tiles
    static constexpr int SHARED = STAGES * STAGE * (int)sizeof(bf16);                        // bytes
};

/* The blocks that run at the same time shall be a square of tiles, not a strip: then they read fewer rows of A and
 * columns of B, and find them in the L2 cache. So tiles are numbered down GROUP rows, then on to the next column. */
template <class T> static __device__ int2 position_of(int tile, int tiles_down, int tiles_across) {
    int width = T::GROUP * tiles_across, first = tile / width * T::GROUP;
    int rows = min(T::GROUP, tiles_down - first);
    return make_int2((first + tile % width % rows) * T::BM, tile % width / rows * T::BN);
}

/* A warp's fragments for part `k` of a stage: those of A begin at from_A, 16 rows apart. */
template <class T>
static __device__ void load_fragments(uint32_t (&a)[T::R][4], uint32_t (&b)[T::S / 2][4], const bf16 *stage, int k) {
    int warp = threadIdx.x / WARP, down = threadIdx.x % 16, right = threadIdx.x % WARP / 16 * 8;
    int row = warp / (T::BN / T::WN) * T::WM, col = warp % (T::BN / T::WN) * T::WN;
    const bf16 *from_A = stage + swizzled<T::BK>(row + down, k * 16 + right);
    const bf16 *tile_B = stage + T::BM * T::BK + k * 16 * T::BN;
#pragma unroll
    for (int j = 0; j < T::S / 2; j++) {
        ldmatrix_transposed(b[j], tile_B + swizzled<T::BN>(down, col + j * 16 + right));
    }
#pragma unroll
    for (int i = 0; i < T::R; i++) {
        ldmatrix(a[i], from_A + i * 16 * T::BK);
    }
}

/* A block's sum over the steps from `begin` to `end`, of the tile at (first_row, first_col). WHOLE: the matrices are
 * multiples of the tiles. When it returns, no copy is on its way and shared memory is free. */
template <class T, bool WHOLE>
static __device__ void sum_tile(const struct layer &l, int2 first, int begin, int end, bf16 *shared,
                                float (&sum)[T::R][T::S][4]) {
    constexpr int ROWS_A = T::THREADS / (T::BK / 8), ROWS_B = T::THREADS / (T::BN / 8); // that all threads copy at once
    static_assert(ROWS_A % 8 == 0 && ROWS_B % 8 == 0, "a thread's pieces have the same place in the swizzle");
    int m = threadIdx.x / (T::BK / 8), k_A = threadIdx.x % (T::BK / 8) * 8;
    int k_B = threadIdx.x / (T::BN / 8), n = threadIdx.x % (T::BN / 8) * 8;
    const bf16 *from_A = l.A + (size_t)(first.x + m) * l.K + begin * T::BK + k_A;
    const bf16 *from_B = l.B + (size_t)(begin * T::BK + k_B) * l.N + first.y + n;
    bf16 *to_A = shared + swizzled<T::BK>(m, k_A), *to_B = shared + T::BM * T::BK + swizzled<T::BN>(k_B, n);
    int asked = begin, writing = 0, reading = 0;

    // This thread's copies for the next step, those that belong to part k of the multiplication.
    auto ask_for = [&](int k) {
#pragma unroll
        for (int p = 0; p < T::PIECES_A; p++) {
            if (p * T::SPREAD / T::PIECES_A == k) {
                bool inside = asked < end;
                if (!WHOLE) {
                    inside = inside && first.x + m + p * ROWS_A < l.M && asked * T::BK + k_A < l.K;
                }
                copy8(to_A + writing * T::STAGE + p * ROWS_A * T::BK, from_A + (size_t)p * ROWS_A * l.K, inside);
            }
        }
#pragma unroll
        for (int p = 0; p < T::PIECES_B; p++) {
            if (p * T::SPREAD / T::PIECES_B == k) {
                bool inside = asked < end;
                if (!WHOLE) {
                    inside = inside && asked * T::BK + k_B + p * ROWS_B < l.K && first.y + n < l.N;
                }
                copy8(to_B + writing * T::STAGE + p * ROWS_B * T::BN, from_B + (size_t)p * ROWS_B * l.N, inside);
            }
        }
    };
    auto next_step = [&]() {
        __pipeline_commit();
        asked++;
        from_A += T::BK;
        from_B += (size_t)T::BK * l.N;
        writing = writing + 1 == T::STAGES ? 0 : writing + 1;
    };

#pragma unroll
    for (int stage = 0; stage < T::STAGES - 1; stage++) {
#pragma unroll
        for (int k = 0; k < T::SPREAD; k++) {
            ask_for(k);
        }
        next_step();
    }
    uint32_t a[2][T::R][4], b[2][T::S / 2][4];
    __pipeline_wait_prior(T::STAGES - 2);
    __syncthreads();
    load_fragments<T>(a[0], b[0], shared, 0);
    for (int step = begin; step < end; step++) {
#pragma unroll
        for (int k = 0; k < T::PARTS; k++) {
            ask_for(k);
            if (k == T::PARTS - 1) { // the next fragments are in the next stage
                next_step();
                __pipeline_wait_prior(T::STAGES - 2);
                __syncthreads();
                reading = reading + 1 == T::STAGES ? 0 : reading + 1;
            }
            load_fragments<T>(a[(k + 1) % 2], b[(k + 1) % 2], shared + reading * T::STAGE, (k + 1) % T::PARTS);
            multiply(sum, a[k % 2], b[k % 2]);
        }
    }
    __pipeline_wait_prior(0);
    __syncthreads();
}

template <class T> static __device__ int tiles_down(const struct layer &l) {
    return (l.M + T::BM - 1) / T::BM;
}

template <class T> static __device__ int tiles_across(const struct layer &l) {
    return (l.N + T::BN - 1) / T::BN;
}

template <class T> static __device__ int steps(const struct layer &l) {
    return (l.K + T::BK - 1) / T::BK;
}

/* Version 5: larger tiles. A warp's 64 x 64 sums need 128 numbers for each k, for 4096 multiply-adds: half as many per
 * sum as 64 x 32. They fill 128 registers, so a multiprocessor holds 8 warps, 2 per scheduler. Somebody has to have
 * work when the tensor core is free, so each warp fetches the fragments of the next part while it multiplies. */
template <class T, bool WHOLE> static __global__ __launch_bounds__(T::THREADS, T::BLOCKS) void mma_kernel5(layer l) {
    extern __shared__ __align__(128) bf16 shared[];
    int2 first = position_of<T>(blockIdx.x, tiles_down<T>(l), tiles_across<T>(l));
    int warp = threadIdx.x / WARP;
    float sum[T::R][T::S][4] = {};
    sum_tile<T, WHOLE>(l, first, 0, steps<T>(l), shared, sum);
    store_fragments(l, sum, first.x + warp / (T::BN / T::WN) * T::WM, first.y + warp % (T::BN / T::WN) * T::WN);
}

/* The epilogue: bias and GELU in registers, then each warp turns its tile round in shared memory, 16 rows at a time:
 * fragments in, rows out, eight numbers per lane. The swizzle keeps both free of conflicts. */
template <class T>
static __device__ void store_rows(const struct layer &l, const float (&sum)[T::R][T::S][4], int2 first, bf16 *shared) {
    constexpr int LANES = T::WN / 8; // that write one row
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, g = lane / 4, t = lane % 4;
    int row = first.x + warp / (T::BN / T::WN) * T::WM, col = first.y + warp % (T::BN / T::WN) * T::WN;
    bf16 *mine = shared + warp * T::WM * T::WN;
#pragma unroll
    for (int j = 0; j < T::S; j++) {
        int s = col + j * 8 + t * 2;
        bool inside = l.bias && s < l.N;
        float2 bias = inside ? __bfloat1622float2(*(const __nv_bfloat162 *)(l.bias + s)) : make_float2(0, 0);
#pragma unroll
        for (int i = 0; i < 2 * T::R; i++) {
            float x = sum[i / 2][j][i % 2 * 2], y = sum[i / 2][j][i % 2 * 2 + 1];
            if (l.bias) {
                x = gelu(x + bias.x);
                y = gelu(y + bias.y);
            }
            *(__nv_bfloat162 *)(mine + swizzled<T::WN>(i * 8 + g, j * 8) + t * 2) = __floats2bfloat162_rn(x, y);
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < T::WM; i += WARP / LANES) {
        int r = i + lane / LANES, s = lane % LANES * 8;
        if (row + r < l.M && col + s < l.N) {
            *(uint4 *)(l.C + (size_t)(row + r) * l.N + col + s) = *(const uint4 *)(mine + swizzled<T::WN>(r, s));
        }
    }
}

/* Version 6: the epilogue. */
template <class T, bool WHOLE> static __global__ __launch_bounds__(T::THREADS, T::BLOCKS) void mma_kernel6(layer l) {
    extern __shared__ __align__(128) bf16 shared[];
    int2 first = position_of<T>(blockIdx.x, tiles_down<T>(l), tiles_across<T>(l));
    float sum[T::R][T::S][4] = {};
    sum_tile<T, WHOLE>(l, first, 0, steps<T>(l), shared, sum);
    store_rows<T>(l, sum, first, shared);
}

/* Version 7: split-K. The blocks with one blockIdx.x have one tile, and each of them another part of K. They cannot
 * write C: each writes its sums, fp32, to a matrix of its own, and sum_parts_kernel adds these up. */
template <class T, bool WHOLE> static __global__ __launch_bounds__(T::THREADS, T::BLOCKS) void mma_kernel7(layer l) {
    extern __shared__ __align__(128) bf16 shared[];
    int2 first = position_of<T>(blockIdx.x, tiles_down<T>(l), tiles_across<T>(l));
    int parts = gridDim.y, part = blockIdx.y, all = steps<T>(l);
    float sum[T::R][T::S][4] = {};
    sum_tile<T, WHOLE>(l, first, all * part / parts, all * (part + 1) / parts, shared, sum);
    int warp = threadIdx.x / WARP, g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
    int row = first.x + warp / (T::BN / T::WN) * T::WM + g, col = first.y + warp % (T::BN / T::WN) * T::WN + t * 2;
    float *mine = (float *)l.workspace + (size_t)part * l.M * l.N;
#pragma unroll
    for (int i = 0; i < 2 * T::R; i++) {
#pragma unroll
        for (int j = 0; j < T::S; j++) {
            if (row + i * 8 < l.M && col + j * 8 < l.N) {
                *(float2 *)(mine + (size_t)(row + i * 8) * l.N + col + j * 8) =
                    make_float2(sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]);
            }
        }
    }
}

/* Adds up the parts, always in the same order: so the same input gives the same bits. A thread has two elements. */
static __global__ void sum_parts_kernel(struct layer l, int parts) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 2, all = (size_t)l.M * l.N;
    if (i < all) {
        float2 sum = make_float2(0, 0);
        for (int part = 0; part < parts; part++) {
            float2 more = *(const float2 *)((const float *)l.workspace + part * all + i);
            sum.x += more.x;
            sum.y += more.y;
        }
        int col = (int)(i % l.N);
        *(__nv_bfloat162 *)(l.C + i) =
            __floats2bfloat162_rn(finish(sum.x, l.bias, col), finish(sum.y, l.bias, col + 1));
    }
}

/* A block's unfinished sums, as its threads hold them; and whether they have arrived. */
template <class T> static __device__ float4 *unfinished(const struct layer &l, int block) {
    return (float4 *)l.workspace + (size_t)block * T::R * T::S * T::THREADS;
}

/* CUDA does not promise that blocks begin in the order of blockIdx. So a block draws its number: all blocks with smaller numbers have
 * begun by then, and never wait for a block that has not. */
static __device__ int draw_number(int *number) {
    __shared__ int drawn;
    if (threadIdx.x == 0) {
        drawn = atomicAdd(number, 1);
    }
    __syncthreads();
    return drawn;
}

/* Version 8: stream-K. There are as many blocks as the machine holds. While there are two rounds of tiles or more, each
 * block takes whole ones. All steps of the last tiles then stand in one row, tile after tile, and each block gets an
 * equal share of them, from `begin` to `end`. It goes through that from its end, tile by tile. Where a tile's last step
 * belongs to another block, it leaves its sums to that one. Where it has the last step but not the first, which comes
 * last of all, it waits for the sums of the blocks before it. They have begun with them, so the wait is short.
 * ready[b] is 1 when block b has left its sums; the word after the last one counts the blocks that have begun. */
template <class T, bool WHOLE>
static __global__ __launch_bounds__(T::THREADS, T::BLOCKS) void mma_kernel8(layer l, int *ready) {
    extern __shared__ __align__(128) bf16 shared[];
    int down = tiles_down<T>(l), across = tiles_across<T>(l), of_tile = steps<T>(l);
    int block = draw_number(&ready[gridDim.x]);
    int rounds = max(0, down * across / (int)gridDim.x - 1), shared_tiles = down * across - rounds * gridDim.x;
    auto begin_of = [&](int b) { return (int)((long long)shared_tiles * of_tile * b / gridDim.x); };
    int begin = begin_of(block), end = begin_of(block + 1);
    while (rounds > 0 || begin < end) {
        int tile = block, from = 0, to = of_tile, tile_begin = 0; // a whole tile ...
        if (rounds > 0) {
            rounds--;
            tile += shared_tiles + rounds * gridDim.x;
        } else { // ... or part of one
            tile = (end - 1) / of_tile;
            tile_begin = tile * of_tile;
            from = max(begin, tile_begin) - tile_begin;
            to = end - tile_begin;
            end = tile_begin + from;
        }
        int2 first = position_of<T>(tile, down, across);
        float sum[T::R][T::S][4] = {};
        sum_tile<T, WHOLE>(l, first, from, to, shared, sum);
        if (to < of_tile) {
            float4 *mine = unfinished<T>(l, block);
#pragma unroll
            for (int i = 0; i < T::R * T::S; i++) {
                const float(&s)[4] = sum[i / T::S][i % T::S];
                mine[i * T::THREADS + threadIdx.x] = make_float4(s[0], s[1], s[2], s[3]);
            }
            __threadfence(); // my sums are seen by whoever ...
            __syncthreads();
            if (threadIdx.x == 0) {
                atomicExch(&ready[block], 1); // ... sees this
            }
            continue;
        }
        for (int other = block - 1; from > 0; other--) {
            while (threadIdx.x == 0 && atomicAdd(&ready[other], 0) == 0) {
            }
            __syncthreads();
            __threadfence();
            const float4 *theirs = unfinished<T>(l, other);
#pragma unroll
            for (int i = 0; i < T::R * T::S; i++) {
                float(&s)[4] = sum[i / T::S][i % T::S];
                float4 v = theirs[i * T::THREADS + threadIdx.x];
                s[0] += v.x, s[1] += v.y, s[2] += v.z, s[3] += v.w;
            }
            from = begin_of(other) - tile_begin; // the tile's steps from here on are in the sum now
        }
        store_rows<T>(l, sum, first, shared);
        __syncthreads(); // shared memory is free again
    }
}

// ---------------------------------------------------------------- the launchers

/* All are queued in `stream`, without waiting. M and N may be 0; with K = 0 the sums are 0. */

/* What the versions use. Tuned on an H200 (measured/sweep.cu): 5, 6 and 8 for large matrices, 7 and 8 for few tiles. */
typedef Sizes<128, 256, 32, 64, 64, 6, 16, 2> Large;
typedef Sizes<128, 128, 64, 64, 64, 3, 8, 3, 2> Small;
typedef Sizes<128, 128, 64, 64, 32, 4, 8, 3> Stream;

typedef void (*mma_kernel)(struct layer l);

static void bias_gelu(struct layer l, cudaStream_t stream) {
    if (l.bias) {
        bias_gelu_kernel<<<(unsigned)(((size_t)l.M * l.N + 255) / 256), 256, 0, stream>>>(l);
        CUDA_CHECK_LAUNCH();
    }
}

template <mma_kernel kernel> static void mma1to4(struct layer l, cudaStream_t stream) {
    if (l.M == 0 || l.N == 0) {
        return;
    }
    dim3 grid(ceil_div(l.N, BN), ceil_div(l.M, BM));
    kernel<<<grid, THREADS, 0, stream>>>(l);
    CUDA_CHECK_LAUNCH();
    bias_gelu(l, stream);
}

/* Versions 4 to 8 copy 16 bytes at once: every row has to begin on a multiple of these. Else version 3 does the work. */
static void mma4(struct layer l, cudaStream_t stream) {
    (l.wide ? mma1to4<mma_kernel4> : mma1to4<mma_kernel3>)(l, stream);
}

template <class T> static bool whole(const struct layer &l) {
    return l.M % T::BM == 0 && l.N % T::BN == 0 && l.K % T::BK == 0;
}

template <class T> static int tiles(const struct layer &l) {
    return ceil_div(l.M, T::BM) * ceil_div(l.N, T::BN);
}

/* More than 48 KiB of shared memory have to be asked for. */
template <class T, class Kernel, class... Arguments>
static void launch(Kernel kernel, dim3 grid, cudaStream_t stream, Arguments... arguments) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED));
    kernel<<<grid, T::THREADS, T::SHARED, stream>>>(arguments...);
    CUDA_CHECK_LAUNCH();
}

static bool left_to_3(const struct layer &l, cudaStream_t stream) {
    bool narrow = !l.wide || l.M == 0 || l.N == 0;
    if (narrow) {
        mma1to4<mma_kernel3>(l, stream);
    }
    return narrow;
}

static void mma5(struct layer l, cudaStream_t stream) {
    typedef Large T;
    if (!left_to_3(l, stream)) {
        launch<T>(whole<T>(l) ? mma_kernel5<T, true> : mma_kernel5<T, false>, tiles<T>(l), stream, l);
        bias_gelu(l, stream);
    }
}

static void mma6(struct layer l, cudaStream_t stream) {
    typedef Large T;
    if (!left_to_3(l, stream)) {
        launch<T>(whole<T>(l) ? mma_kernel6<T, true> : mma_kernel6<T, false>, tiles<T>(l), stream, l);
    }
}

/* As many parts as give each multiprocessor a block; of at least 16 steps, or the sums cost more than the products. */
template <class T> static int parts_of_K(const struct layer &l) {
    int parts = multiprocessors() / tiles<T>(l), most = ceil_div(l.K, T::BK) / 16;
    parts = parts < most ? parts : most;
    return parts > 1 ? parts : 1;
}

static void mma7(struct layer l, cudaStream_t stream) {
    typedef Small T;
    if (left_to_3(l, stream)) {
        return;
    }
    int parts = parts_of_K<T>(l);
    if (parts == 1) { // nothing to share: as version 6
        launch<T>(whole<T>(l) ? mma_kernel6<T, true> : mma_kernel6<T, false>, tiles<T>(l), stream, l);
        return;
    }
    launch<T>(whole<T>(l) ? mma_kernel7<T, true> : mma_kernel7<T, false>, dim3(tiles<T>(l), parts), stream, l);
    sum_parts_kernel<<<(unsigned)(((size_t)l.M * l.N / 2 + 255) / 256), 256, 0, stream>>>(l, parts);
    CUDA_CHECK_LAUNCH();
}

template <class T> static void stream_k(struct layer l, cudaStream_t stream) {
    int blocks = multiprocessors() * T::BLOCKS, most = tiles<T>(l) * ceil_div(l.K, T::BK);
    blocks = blocks < most ? blocks : most;
    int *ready = (int *)((char *)l.workspace + (size_t)blocks * T::BM * T::BN * sizeof(float));
    CUDA_CHECK(cudaMemsetAsync(ready, 0, (blocks + 1) * sizeof(int), stream));
    launch<T>(whole<T>(l) ? mma_kernel8<T, true> : mma_kernel8<T, false>, blocks, stream, l, ready);
}

static void mma8(struct layer l, cudaStream_t stream) {
    if (l.K == 0) {
        mma6(l, stream);
    } else if (!left_to_3(l, stream)) {
        (tiles<Large>(l) >= multiprocessors() ? stream_k<Large> : stream_k<Stream>)(l, stream);
    }
}

static const struct layer_version versions[] = {
    {"mma_kernel1", mma1to4<mma_kernel1>, 2},
    {"mma_kernel2", mma1to4<mma_kernel2>, 2},
    {"mma_kernel3", mma1to4<mma_kernel3>, 2},
    {"mma_kernel4", mma4, 2},
    {"mma_kernel5", mma5, 2},
    {"mma_kernel6", mma6, 1},
    {"mma_kernel7", mma7, 1},
    {"mma_kernel8", mma8, 1},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---------------------------------------------------------------- verify and measure

struct shape {
    int M, N, K;
    bool bias;
};

static void verify(const struct layer_version *all, int first, int last, struct shape s, uint64_t seed) {
    struct problem problem = problem_create(s.M, s.N, s.K, s.bias, seed, layer_cpu);
    for (int v = first; v <= last; v++) {
        problem_verify_version(&problem, &all[v]);
    }
    problem_free(&problem);
}

static void measure(const struct layer_version *all, int first, int last, struct shape s, uint64_t seed) {
    struct problem problem = problem_create(s.M, s.N, s.K, s.bias, seed, layer_cpu);
    problem_measure(&problem, &all[first], last - first + 1);
    problem_free(&problem);
}

/* Shapes that are no multiples of anything, multiples of 8 that fit no tile, multiples of all tiles, few steps, many
 * steps and few tiles, and those where one of the three is 0. */
static const struct shape shapes[] = {
    {1, 1, 1, false},        {31, 31, 31, true},     {33, 33, 33, false},  {129, 65, 257, true},
    {0, 8, 8, false},        {8, 0, 8, true},        {8, 8, 0, false},     {1, 8, 8, true},
    {136, 264, 72, false},   {136, 264, 72, true},   {257, 520, 24, true}, {257, 520, 24, false},
    {64, 512, 64, false},    {64, 512, 64, true},    {8, 16, 4104, true},  {8, 16, 4104, false},
    {128, 256, 512, false},  {128, 256, 512, true},  {256, 256, 64, true}, {256, 256, 64, false},
    {300, 128, 1000, false}, {300, 128, 1000, true},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

int main(int argc, char **argv) {
    struct lesson<struct shape, struct problem, struct layer_version, struct layer_job> lesson = {
        "matrix product", versions, VERSIONS
    };
    struct options options = options_read(argc, argv, VERSIONS);
    bool asked = options.size >= 0;
    device_print_backend();
    if (options.size > 32768) {
        options_usage_error(argv[0], "SIZE is the edge of a matrix in this lesson, at most 32768", NULL);
    }
    int n = asked ? (int)options.size : device_is_emulator() ? 256 : 8192;
    // What a profiler shows, the first launch or the largest one, is the product that the table is about.
    const struct shape edge[] = {{n, n, n, false}, {n, n, n / 16 * 8, true}};
    lesson.verify_size = verify, lesson.measure_size = measure;
    lesson.verified = asked ? edge : shapes, lesson.verified_count = asked ? 2 : SHAPES;
    lesson.measured = edge, lesson.measured_count = n > 0;
    return lesson_run(&lesson, &options);
}
