/* Exercise 18: a product on tensor cores, with a pipeline of three stages and a swizzle instead of padding.
 *
 * C = A * B, bfloat16, row-major: A is M x K, B is K x N, C is M x N; sums are fp32, and rounded once. A block of 4 warps
 * computes 64 x 64 elements of C, in steps of 32 along K; a warp has 32 x 32 of them, 2 x 4 products of 16 x 8. Three
 * stages of shared memory hold a tile of A and one of B each: while tile i is multiplied, i + 1 and i + 2 are in flight.
 *
 *     start the copies of tile 0 and of tile 1
 *     wait for tile 0, start tile 2, multiply tile 0          stage 0, 1, 2, 0, 1, 2, ... = tile % STAGES
 *     wait for tile 1, start tile 3, multiply tile 1
 *
 * The grader (make exercise18) calls, from the host:
 *
 *     void matmul(int M, int N, int K, const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C,
 *                 cudaStream_t stream);
 *
 *   - M, N and K are any numbers from 0 to 2^20, N and K multiples of 8; no matrix has more than 2^31 - 1 elements; the
 *     arrays begin on multiples of 16 bytes and do not overlap;
 *   - C is only written. With K = 0 it is 0;
 *   - the work is queued in `stream`, and the function returns without waiting for it;
 *   - nothing but the M * N elements of C is written, nothing outside A and B is read;
 *   - on the emulator, in every call: no bank conflict, so 2 wavefronts for each mma to read fragments (limit 2.2, times
 *     (steps + 1) / steps, as they may be read one step ahead) and 1 to
 *     write tiles (times (steps + 2) / steps, as zeros are written for two tiles past the end of K; times 1.5 where only
 *     a part of a tile exists); no padding: 24 KiB of shared memory in a block; of ceil(K / 32) steps, at most two barriers more; each tile is
 *     loaded once for a block (limit 1.1; 1.7 where rows begin between two sectors); a group has the copies of one tile, so a warp
 *     commits at most three more than there are steps; and no wait but the last ones includes the newest group: from 5 steps
 *     on at least 0.7 groups stay in flight, on average; of 2^18 elements of C and more no block does more
 *     than half;
 *   - what a tile contains beyond M and beyond N is up to you; past the end of K it must be 0.
 *
 * When all checks pass, three stages of asynchronous copies feed mma.sync, through a swizzle without bank conflicts or
 * padding.
 * First step: TODO 7, about ten minutes: the check "a failed launch is reported" passes.
 */
// arch: sm_80 sm_90
// fails as given: not_implemented
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <stdint.h>

#include "common/check.h"

#pragma nv_diag_suppress 177 // as given, some functions ...
#pragma nv_diag_suppress 550 // ... and variables still wait for their TODO

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

/* Starts a copy of eight elements to shared memory; of zeros, if they are not inside the matrix. */
static __device__ void copy8(bf16 *to, const bf16 *from, bool inside) {
    __pipeline_memcpy_async(to, from, 16, inside ? 0 : 16);
}

/* The index in a tile with rows of COLS elements of the piece of eight that begins at (row, col). */
template <int COLS> static __device__ int place(int row, int col) {
    // TODO 1: a swizzle. ldmatrix reads the pieces of one column from 8 rows at once. 128 bytes are all 32 banks, and
    // hold 8 pieces. With 64 columns a row is 128 bytes: permute its pieces by an exclusive or with row % 8. With 32
    // columns two rows share 128 bytes, and have 4 pieces each: what replaces row % 8?
    return row * COLS + col;
}

__global__ __launch_bounds__(THREADS) void matmul_kernel(int M, int N, int K, const bf16 *A, const bf16 *B, bf16 *C) {
    __shared__ __align__(128) bf16 tile_A[STAGES][BM * BK], tile_B[STAGES][BK * BN];
    int first_row = blockIdx.y * BM, first_col = blockIdx.x * BN; // of the block's tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / 2 * WM, col = warp % 2 * WN; // of the warp's tile, in the block's

    // Starts the copies of this step's tiles, and makes one group of them, also past the end of K.
    auto ask_for = [&](int tile) {
        // TODO 2: into which stage? A tile of A has BM * BK / 8 pieces of eight, one of B has BK * BN / 8: each of 128
        // threads copies two of each. Outside of the matrix, in either direction, copy8 writes zeros. Then __pipeline_commit().
        (void)tile, (void)first_row, (void)first_col, (void)A, (void)B;
    };

    float sum[WM / 16][WN / 8][4] = {};
    // TODO 3: start the copies of the first tiles: as many as are in flight before the first product.
    for (int tile = 0; tile * BK < K; tile++) {
        // TODO 4: three things have to happen here, in the right order: `tile` has arrived, for all threads; all have
        // finished the previous tile; the copies of a further tile are started. __pipeline_wait_prior(n) waits for all groups of this thread
        // but the newest n.
        // TODO 5: multiply. For each half of the step: fragments of A by ldmatrix, 16 x 16 at a time; fragments of B by
        // ldmatrix_transposed, 16 x 16 at a time, which are two of 16 x 8: registers 0 and 1, registers 2 and 3. Lane i
        // points to row i % 16, to its left half (i < 16) or right half.
        (void)row, (void)col, (void)lane, (void)sum, (void)tile_A, (void)tile_B;
    }
    __pipeline_wait_prior(0); // nothing may be in flight when the block ends

    // TODO 6: write the sums, two neighbours at once. sum[i][j][0] and [1] belong to row lane / 4 of the product (i, j),
    // and to its columns lane % 4 * 2 and the next; [2] and [3] to the row 8 below. Rows from M on and columns from N on
    // do not exist.
    (void)M, (void)N, (void)C, (void)sum;
}

void matmul(int M, int N, int K, const bf16 *A, const bf16 *B, bf16 *C, cudaStream_t stream) {
    // TODO 7: launch matmul_kernel in `stream`: a block for each tile of C, columns along x, rows along y. Check the
    // launch.
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C, (void)stream;
}
