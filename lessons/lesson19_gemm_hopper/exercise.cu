/* Exercise 19: a product on Hopper's tensor cores, by a producer, two consumers, and two mbarriers for each stage.
 *
 * C = A * B, bfloat16, row-major: A is M x K, B is K x N, C is M x N; sums are fp32, and rounded once. A block computes 128
 * x 128 elements of C, in steps of 64 along K, with three warpgroups of 128 threads: group 0 is the producer, groups 1 and
 * 2 are the consumers, which have 64 rows of the tile each. Three stages of shared memory form a circular buffer:
 *
 *     producer, one thread:                          each consumer, 128 threads:
 *         for each step:                                 for each step:
 *             wait until the stage is empty                  wait until the stage is full
 *             announce how many bytes will arrive            multiply: its 64 rows of A, all of B
 *             start the copies                               when that is finished, arrive: the stage is empty
 *
 * `full` ends a phase when the producer and all bytes have arrived; `empty` when both consumers have arrived.
 * common/hopper.h has the functions, each with a comment.
 *
 * The grader (make exercise19) calls, from the host:
 *
 *     void matmul(int M, int N, int K, const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C,
 *                 cudaStream_t stream);
 *
 *   - M, N and K are any numbers from 0 to 2^20, N and K multiples of 8; no matrix has more than 2^31 - 1 elements; the
 *     arrays begin on multiples of 16 bytes and do not overlap;
 *   - C is only written. With K = 0 it is 0;
 *   - the work is queued in `stream`, and the function returns without waiting for it; a failed launch is reported;
 *   - nothing but the M * N elements of C is written, nothing outside A and B is read;
 *   - all barriers are initialized before any thread, or TMA, uses them (mbarrier_init_done());
 *   - on the emulator, in every call: all of A and B is copied by TMA, each tile once for a block (limit: 1.01 times the bytes),
 *     and wgmma multiplies it: of S = ceil(K / 64) steps a block executes at most 20000 + 3000 S instructions of a warp, and
 *     its threads load from shared memory in at most 2048 wavefronts; no load of global memory; a block has three stages of
 *     shared memory, 96 KiB and a few barriers (98,304 to 100,000 bytes), and uses all three; from three steps on TMA
 *     prefetches: during a wait for a tile, at least 0.3 further ones are in flight or complete, on average; after the first
 *     __syncthreads() no warp waits for all threads: a warp reaches at most 2 block barriers, not counting those of one
 *     warpgroup; each tile of C is written by a different block.
 *
 * When all checks pass, you have the main loop of a Hopper GEMM: TMA fills a ring of three stages ahead of the
 * products.
 * First step: TODO 6, about ten minutes: the check "a failed launch is reported" passes.
 */
// arch: sm_90a
// fails as given: not_implemented
#include <cuda_bf16.h>
#include <stdint.h>

#include "common/check.h"
#include "common/hopper.h"

#pragma nv_diag_suppress 177 // as given, some functions ...
#pragma nv_diag_suppress 550 // ... and variables still wait for their TODO

typedef __nv_bfloat16 bf16;

enum { BM = 128, BN = 128, BK = 64 }; // a block's tile of C, and the length of a step
enum { BOX = 64 };                    // columns of B in one copy: 128 bytes
enum { STAGES = 3, CONSUMERS = 2, THREADS = (1 + CONSUMERS) * WARPGROUP };

/* The description of A and B for TMA. A box of A is 128 rows of 64 numbers, one of B 64 rows of 64. */
struct maps {
    CUtensorMap A, B;
};

struct ring {
    bf16 A[STAGES][BM * BK];
    bf16 B[STAGES][BK * BN]; // two boxes: columns 0 to 63, columns 64 to 127
    uint64_t full[STAGES], empty[STAGES];
};

/* This consumer's sums, 64 x 128 from `row` and `col` on: each lane writes two neighbours at once. */
static __device__ void store_sums(int M, int N, bf16 *C, const float (&sum)[64], int row, int col) {
    int warp = threadIdx.x % WARPGROUP / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 64; i += 2) {
        int r = row + warp * 16 + i / 2 % 2 * 8 + lane / 4, c = col + i / 4 * 8 + lane % 4 * 2;
        if (r < M && c < N) {
            *(__nv_bfloat162 *)(C + (size_t)r * N + c) = __floats2bfloat162_rn(sum[i], sum[i + 1]);
        }
    }
}

__global__ __launch_bounds__(THREADS, 1) void matmul_kernel(int M, int N, int K, const __grid_constant__ maps maps,
                                                            bf16 *C) {
    extern __shared__ __align__(1024) char shared[];
    ring &s = *(ring *)shared;
    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the block's tile of C
    int group = threadIdx.x / WARPGROUP, steps = (K + BK - 1) / BK;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            // TODO 1: two barriers: how many arrivals end a phase of `full`, and how many one of `empty`?
        }
        mbarrier_init_done();
    }
    __syncthreads();

    if (group == 0) {
        registers_give<40>();
        if (threadIdx.x == 0) {
            for (int step = 0; step < steps; step++) {
                // TODO 2: the producer. Which stage, and which round of it? Wait until it is empty (in the first round it
                // is: for which parity does a wait on a new barrier return at once?). mbarrier_expect announces the bytes of
                // whole tiles, as TMA writes zeros outside of the matrix. Then three copies: tma_load(where, &maps.A, column, row,
                // barrier) for A, and for each of B's two boxes.
                (void)row, (void)col, (void)maps, (void)s;
            }
        }
        return;
    }
    registers_take<232>();
    float sum[64] = {};
    int consumer = group - 1; // its rows of the tile: consumer * 64 ... consumer * 64 + 63
    for (int step = 0; step < steps; step++) {
        int stage = step % STAGES, round = step / STAGES;
        // TODO 3: wait until the stage is full.
        (void)stage, (void)round;
        // Descriptors: 8 rows have 1024 bytes, and the second box of B begins 8192 bytes after the first.
        uint64_t a = tile_descriptor(s.A[stage] + consumer * 64 * BK, 1024, 0);
        uint64_t b = tile_descriptor(s.B[stage], 1024, BOX * BK * sizeof(bf16));
        // TODO 4: multiply. wgmma_n128(sum, a, b, 1) takes 16 of K; for the next 16, A's descriptor advances by 32 bytes in
        // its rows, B's by 16 rows of 128 bytes, both in units of 16 bytes. Which call comes before the four, which
        // after them?
        (void)a, (void)b, (void)sum;
        // TODO 5: release the stage: when may it be overwritten, and how many threads of a consumer arrive?
    }
    store_sums(M, N, C, sum, row + consumer * 64, col);
}

void matmul(int M, int N, int K, const bf16 *A, const bf16 *B, bf16 *C, cudaStream_t stream) {
    if (M == 0 || N == 0) {
        return;
    }
    maps maps = {};
    if (K > 0) { // no step, no map
        maps.A = tensor_map_bf16(A, M, K, BM);
        maps.B = tensor_map_bf16(B, K, N, BK);
    }
    CUDA_CHECK(cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(ring)));
    // TODO 6: launch matmul_kernel in `stream`, with sizeof(ring) bytes of shared memory: a block for each tile of C,
    // columns along x, rows along y. Check the launch.
    (void)C, (void)stream, (void)maps;
}
