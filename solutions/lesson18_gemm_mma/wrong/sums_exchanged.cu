// expect: wrong_result
// says: C[0][1] holds the value of C[8][0]
/* A lane's second and third sum change places: elements of row lane / 4 and of the row eight below. */
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <stdint.h>

#include "common/check.h"

typedef __nv_bfloat16 bf16;

enum { BM = 64, BN = 64, BK = 32 }; // a block's tile of C, and the length of a step
enum { WM = 32, WN = 32 };          // a warp's tile
enum { THREADS = 128, STAGES = 3 };

/* c += a * b on tensor cores: 16 x 16 times 16 x 8. The lesson's page has the lanes. */
static __device__ void mma(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Four 8 x 8 matrices: lanes 0 to 7 point to the rows of the first one, 16 bytes each, lanes 8 to 15 to those of the
 * second, and so on; r[i] is this lane's part of matrix i. */
static __device__ void ldmatrix(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* The same with each matrix transposed. */
static __device__ void ldmatrix_transposed(uint32_t (&r)[4], const bf16 *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
}

/* Asks for a copy of eight numbers to shared memory; of zeros, if they are not inside the matrix. */
static __device__ void copy8(bf16 *to, const bf16 *from, bool inside) {
    __pipeline_memcpy_async(to, from, 16, inside ? 0 : 16);
}

/* Where a tile with rows of COLS numbers has the piece of eight that begins at (row, col). */
template <int COLS> static __device__ int place(int row, int col) {
    constexpr int PIECES = COLS / 8, ROWS = 8 / PIECES;
    return row * COLS + ((col / 8) ^ (row / ROWS % PIECES)) * 8;
}

__global__ __launch_bounds__(THREADS) void matmul_kernel(int M, int N, int K, const bf16 *A, const bf16 *B, bf16 *C) {
    __shared__ __align__(128) bf16 tile_A[STAGES][BM * BK], tile_B[STAGES][BK * BN];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN; // of the block's tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / 2 * WM, col = warp % 2 * WN; // of the warp's tile, in the block's

    // Asks for the tiles of this step, and makes one group of it, also behind the end of K.
    auto ask_for = [&](int tile) {
        int start = tile * BK, stage = tile % STAGES;
        for (int p = threadIdx.x; p < BM * BK / 8; p += THREADS) {
            int m = p / (BK / 8), k = p % (BK / 8) * 8;
            copy8(&tile_A[stage][place<BK>(m, k)], A + (size_t)(first_row + m) * K + start + k,
                  first_row + m < M && start + k < K);
        }
        for (int p = threadIdx.x; p < BK * BN / 8; p += THREADS) {
            int k = p / (BN / 8), n = p % (BN / 8) * 8;
            copy8(&tile_B[stage][place<BN>(k, n)], B + (size_t)(start + k) * N + first_col + n,
                  start + k < K && first_col + n < N);
        }
        __pipeline_commit();
    };

    float sum[WM / 16][WN / 8][4] = {};
    for (int tile = 0; tile < STAGES - 1; tile++) {
        ask_for(tile);
    }
    for (int tile = 0; tile * BK < K; tile++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        ask_for(tile + STAGES - 1);
        int stage = tile % STAGES, down = lane % 16, right = lane / 16 * 8;
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            uint32_t a[WM / 16][4], b[WN / 16][4];
            for (int i = 0; i < WM / 16; i++) {
                ldmatrix(a[i], &tile_A[stage][place<BK>(row + i * 16 + down, k + right)]);
            }
            for (int j = 0; j < WN / 16; j++) {
                ldmatrix_transposed(b[j], &tile_B[stage][place<BN>(k + down, col + j * 16 + right)]);
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++) {
#pragma unroll
                for (int j = 0; j < WN / 8; j++) {
                    mma(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }
    __pipeline_wait_prior(0); // nothing may be on its way when the block ends

    for (int i = 0; i < WM / 16; i++) {
        for (int j = 0; j < WN / 8; j++) {
            for (int half = 0; half < 2; half++) {
                int r = first_row + row + i * 16 + half * 8 + lane / 4, s = first_col + col + j * 8 + lane % 4 * 2;
                if (r < M && s < N) {
                    *(__nv_bfloat162 *)(C + (size_t)r * N + s) =
                        __floats2bfloat162_rn(sum[i][j][half], sum[i][j][half + 2]);
                }
            }
        }
    }
}

void matmul(int M, int N, int K, const bf16 *A, const bf16 *B, bf16 *C, cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    matmul_kernel<<<grid, THREADS, 0, stream>>>(M, N, K, A, B, C);
    CUDA_CHECK_LAUNCH();
}
