// expect: race
// says: whose previous phase may not be complete
/* The producer tells the bytes before it waits for the stage: the phase before may not be over. */
#include <cuda_bf16.h>
#include <stdint.h>

#include "common/check.h"
#include "common/hopper.h"

typedef __nv_bfloat16 bf16;

enum { BM = 128, BN = 128, BK = 64 }; // a block's tile of C, and the length of a step
enum { BOX = 64 };                    // columns of B in one copy: 128 bytes
enum { STAGES = 3, CONSUMERS = 2, THREADS = (1 + CONSUMERS) * WARPGROUP };

/* What TMA knows of A and B. A box of A is 128 rows of 64 numbers, one of B 64 rows of 64. */
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
            mbarrier_init(&s.full[stage], 1);
            mbarrier_init(&s.empty[stage], CONSUMERS);
        }
        mbarrier_init_done();
    }
    __syncthreads();

    if (group == 0) {
        registers_give<40>();
        if (threadIdx.x == 0) {
            for (int step = 0; step < steps; step++) {
                int stage = step % STAGES, round = step / STAGES;
                mbarrier_expect(&s.full[stage], sizeof s.A[stage] + sizeof s.B[stage]);
                mbarrier_wait(&s.empty[stage], round % 2 ^ 1);
                tma_load(s.A[stage], &maps.A, step * BK, row, &s.full[stage]);
                tma_load(s.B[stage], &maps.B, col, step * BK, &s.full[stage]);
                tma_load(s.B[stage] + BOX * BK, &maps.B, col + BOX, step * BK, &s.full[stage]);
            }
        }
        return;
    }
    registers_take<232>();
    float sum[64] = {};
    int consumer = group - 1; // its rows of the tile: consumer * 64 ... consumer * 64 + 63
    for (int step = 0; step < steps; step++) {
        int stage = step % STAGES, round = step / STAGES;
        mbarrier_wait(&s.full[stage], round % 2);
        // Descriptors: 8 rows have 1024 bytes, and the second box of B lies 8192 bytes behind the first.
        uint64_t a = tile_descriptor(s.A[stage] + consumer * 64 * BK, 1024, 0);
        uint64_t b = tile_descriptor(s.B[stage], 1024, BOX * BK * sizeof(bf16));
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK / 16; k++) {
            wgmma_n128(sum, a + k * (32 / 16), b + k * (16 * 128 / 16), 1);
        }
        wgmma_commit();
        wgmma_wait<0>();
        if (threadIdx.x % WARPGROUP == 0) {
            mbarrier_arrive(&s.empty[stage]);
        }
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
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    matmul_kernel<<<grid, THREADS, sizeof(ring), stream>>>(M, N, K, maps, C);
    CUDA_CHECK_LAUNCH();
}
