/* Lesson 19: a matrix product with TMA and wgmma, from one tile by TMA to a persistent kernel in clusters.
 *
 *     make lesson19 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson19 run V=6 SIZE=264        one version, matrices of 264 x 264
 *
 * You will learn to let hardware do what threads did so far: TMA copies tiles and swizzles them, an mbarrier counts the
 * bytes, wgmma multiplies from shared memory. What is left to threads is to say when; so warps get different jobs.
 *
 *     hopper_kernel1   a tensor map, an mbarrier, wgmma: one tile is loaded, then multiplied
 *     hopper_kernel2   a ring of stages, filled by the threads that multiply
 *     hopper_kernel3   warp specialization: a producer fills the ring, two consumers multiply, mbarriers both ways
 *     hopper_kernel4   tiles of 128 x 256: registers move from the producer to the consumers
 *     hopper_kernel5   an order of tiles for L2, and stores by TMA
 *     hopper_kernel6   persistent blocks: the next tile is loaded and multiplied while this one is stored
 *     hopper_kernel7   clusters of two blocks, which load B once for both: multicast
 *     hopper_kernel8   fp8: the same with numbers of one byte
 *
 * C = A * B: A is M x K, B is K x N, C is M x N, all row-major bfloat16; the sums are fp32, and rounded at the end. N and
 * K are multiples of 8. (Version 8: A and B in e4m3, B as N x K, K a multiple of 16.)
 */
// arch: sm_90a
// sizes: 0 8 72 264 512
#include <cuda_bf16.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/hopper.h"
#include "../../common/gelu_layer.h"
#include "../../common/verify.h"

typedef __nv_bfloat16 bf16;

enum { WARP = 32, CONSUMERS = 2 };
enum { BM = 128, BK = 64 }; // rows of a block's tile; numbers of a step: 128 bytes, what the swizzle is made for
enum { BOX = 64 };          // columns of B or C in one copy: 128 bytes as well
enum { BOX_BYTES = BK * BOX * 2, EIGHT_ROWS = 8 * 128 };
#ifndef GROUP
#define GROUP 16 // rows of tiles that blocks go through together, from version 5 on
#endif
#ifndef STAGES
#define STAGES 4 // of versions 3 and later
#endif

// ---------------------------------------------------------------- the reference

/* Rows 0, step, 2 * step, ... of C, summed in double and not rounded. */
static void layer_cpu(int M, int N, int K, const float *A, const float *B, const float *, float *C, int step) {
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
            C[i * N + j] = (float)sum[j];
        }
    }
    free(sum);
}

// ---------------------------------------------------------------- what several versions share

/* A, B and C as TMA sees them. Boxes: 128 rows x 64 of A, 64 x 64 of B and of C. */
struct maps {
    CUtensorMap A, B, C;
};

/* The ring of a block: tiles of A and B, and two mbarriers for each stage. */
template <int BN, int COUNT> struct ring {
    bf16 A[COUNT][BM * BK]; // 128 rows of 128 bytes
    bf16 B[COUNT][BK * BN]; // BN / 64 boxes, each 64 rows of 128 bytes
    uint64_t full[COUNT], empty[COUNT];
};

/* Starts the copies of one step's tiles, and announces how many bytes they have. By one thread. */
template <int BN>
static __device__ void load_tiles(bf16 *A, bf16 *B, uint64_t *full, const maps &maps, int row, int col, int k) {
    mbarrier_expect(full, (BM * BK + BK * BN) * sizeof(bf16));
    tma_load(A, &maps.A, k, row, full);
    for (int n = 0; n < BN; n += BOX) {
        tma_load(B + n * BK, &maps.B, col + n, k, full);
    }
}

static __device__ __forceinline__ void wgmma(float (&sum)[64], uint64_t a, uint64_t b, int add) {
    wgmma_n128(sum, a, b, add);
}
static __device__ __forceinline__ void wgmma(float (&sum)[128], uint64_t a, uint64_t b, int add) {
    wgmma_n256(sum, a, b, add);
}

/* sum = A * B, or sum += A * B: 64 rows of A's tile, all columns of B's. A group of four products, on its way when this
 * returns. 16 of K are 32 bytes of each row of A, and 16 rows of B, 2048 bytes. */
template <int REGISTERS>
static __device__ __forceinline__ void multiply(float (&sum)[REGISTERS], const bf16 *A, const bf16 *B, int add) {
    uint64_t a = tile_descriptor(A, EIGHT_ROWS, 0), b = tile_descriptor(B, EIGHT_ROWS, BOX_BYTES);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BK / 16; k++) { // addresses in a descriptor are in units of 16 bytes
        wgmma(sum, a + k * (32 >> 4), b + k * (2 * EIGHT_ROWS >> 4), add || k > 0);
    }
    wgmma_commit();
}

/* Each lane writes its own sums, two neighbours at once. `row` and `col`: where the warp group's 64 rows begin. */
template <int REGISTERS>
static __device__ void store_sums(const struct layer &l, const float (&sum)[REGISTERS], int row, int col) {
    int warp = threadIdx.x % WARPGROUP / WARP, lane = threadIdx.x % WARP;
#pragma unroll
    for (int i = 0; i < REGISTERS; i += 2) {
        int r = row + warp * 16 + i / 2 % 2 * 8 + lane / 4, c = col + i / 4 * 8 + lane % 4 * 2;
        if (r < l.M && c < l.N) {
            *(__nv_bfloat162 *)(l.C + (size_t)r * l.N + c) = __floats2bfloat162_rn(sum[i], sum[i + 1]);
        }
    }
}

static __host__ __device__ int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// ---------------------------------------------------------------- versions 1 and 2: all threads do everything

/* Version 1: two warp groups, 64 x 128 sums each. Thread 0 asks for the tiles; the mbarrier opens when their bytes have
 * come; the products are waited for before the next tiles may overwrite these. */
static __global__ __launch_bounds__(2 * WARPGROUP) void hopper_kernel1(struct layer l,
                                                                       const __grid_constant__ maps maps) {
    extern __shared__ __align__(1024) char shared[];
    ring<128, 1> &s = *(ring<128, 1> *)shared;
    int row = blockIdx.y * BM, col = blockIdx.x * 128, group = threadIdx.x / WARPGROUP;
    if (threadIdx.x == 0) {
        mbarrier_init(&s.full[0], 1);
        mbarrier_init_done();
    }
    __syncthreads();
    float sum[64] = {};
    for (int i = 0; i * BK < l.K; i++) {
        if (threadIdx.x == 0) {
            load_tiles<128>(s.A[0], s.B[0], &s.full[0], maps, row, col, i * BK);
        }
        mbarrier_wait(&s.full[0], i % 2);
        multiply(sum, s.A[0] + group * 64 * BK, s.B[0], i > 0);
        wgmma_wait<0>();
        __syncthreads(); // both warpgroups have finished with the tiles
    }
    store_sums(l, sum, row + group * 64, col);
}

/* Version 2: three stages. Before the loop all are asked for; a stage that has been multiplied is asked for again. */
static __global__ __launch_bounds__(2 * WARPGROUP) void hopper_kernel2(struct layer l,
                                                                       const __grid_constant__ maps maps) {
    enum { COUNT = 3 };
    extern __shared__ __align__(1024) char shared[];
    ring<128, COUNT> &s = *(ring<128, COUNT> *)shared;
    int row = blockIdx.y * BM, col = blockIdx.x * 128, group = threadIdx.x / WARPGROUP;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < COUNT; stage++) {
            mbarrier_init(&s.full[stage], 1);
        }
        mbarrier_init_done();
        for (int i = 0; i < COUNT && i * BK < l.K; i++) {
            load_tiles<128>(s.A[i], s.B[i], &s.full[i], maps, row, col, i * BK);
        }
    }
    __syncthreads();
    float sum[64] = {};
    for (int i = 0; i * BK < l.K; i++) {
        int stage = i % COUNT, next = (i + COUNT) * BK;
        mbarrier_wait(&s.full[stage], i / COUNT % 2);
        multiply(sum, s.A[stage] + group * 64 * BK, s.B[stage], i > 0);
        wgmma_wait<0>();
        __syncthreads();
        if (threadIdx.x == 0 && next < l.K) {
            load_tiles<128>(s.A[stage], s.B[stage], &s.full[stage], maps, row, col, next);
        }
    }
    store_sums(l, sum, row + group * 64, col);
}

// ---------------------------------------------------------------- versions 3 and later: a producer, two consumers

/* Thread 0 makes the barriers. A stage is full when its producer has arrived (and the bytes have), empty when both
 * consumers of each block that reads what is written there have. */
static __device__ void make_barriers(uint64_t *full, uint64_t *empty, int blocks = 1) {
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            mbarrier_init(&full[stage], 1);
            mbarrier_init(&empty[stage], CONSUMERS * blocks);
        }
        mbarrier_init_done();
    }
}

/* Version 3: warp group 0 loads, 1 and 2 multiply. Nobody waits for anybody but through the two barriers of a stage.
 * A fresh barrier counts as past a phase of parity 1: so the first round of the producer does not wait. */
static __global__ __launch_bounds__(3 * WARPGROUP, 1) void hopper_kernel3(struct layer l,
                                                                          const __grid_constant__ maps maps) {
    extern __shared__ __align__(1024) char shared[];
    ring<128, STAGES> &s = *(ring<128, STAGES> *)shared;
    int row = blockIdx.y * BM, col = blockIdx.x * 128, group = threadIdx.x / WARPGROUP;
    make_barriers(s.full, s.empty);
    __syncthreads();
    if (group == 0) {
        registers_give<40>();
        if (threadIdx.x == 0) {
            for (int i = 0; i * BK < l.K; i++) {
                int stage = i % STAGES, round = i / STAGES;
                mbarrier_wait(&s.empty[stage], round % 2 ^ 1);
                load_tiles<128>(s.A[stage], s.B[stage], &s.full[stage], maps, row, col, i * BK);
            }
        }
        return;
    }
    registers_take<232>();
    float sum[64] = {};
    for (int i = 0; i * BK < l.K; i++) {
        int stage = i % STAGES, round = i / STAGES;
        mbarrier_wait(&s.full[stage], round % 2);
        multiply(sum, s.A[stage] + (group - 1) * 64 * BK, s.B[stage], i > 0);
        wgmma_wait<0>();
        if (threadIdx.x % WARPGROUP == 0) {
            mbarrier_arrive(&s.empty[stage]); // this consumer has finished with the stage
        }
    }
    store_sums(l, sum, row + (group - 1) * 64, col);
}

/* From here on a block has 128 x 256 sums, a consumer 64 x 256: 128 registers of each thread. */
enum { BN = 256, THREADS = (1 + CONSUMERS) * WARPGROUP };

typedef ring<BN, STAGES> Ring;

/* A consumer is done with the tiles of step `i`. With clusters it says so in each block: each writes into both. */
template <int BLOCKS> static __device__ __forceinline__ void release(Ring &s, unsigned i) {
    int thread = threadIdx.x % WARPGROUP;
    if (BLOCKS == 1 && thread == 0) {
        mbarrier_arrive(&s.empty[i % STAGES]);
    } else if (BLOCKS > 1 && thread < BLOCKS) {
        mbarrier_arrive_at(&s.empty[i % STAGES], thread);
    }
}

/* A consumer's products of one step; `i` counts the steps of all tiles. This group of products stays on its way while the
 * next tiles are waited for; so a stage is released a step later. */
template <int BLOCKS, class Multiply>
static __device__ __forceinline__ void sum_step(Ring &s, float (&sum)[BN / 2], unsigned &i, bool first,
                                                Multiply multiply_stage) {
    unsigned stage = i % STAGES, round = i / STAGES;
    mbarrier_wait(&s.full[stage], round % 2);
    multiply_stage(sum, stage, !first);
    wgmma_wait<1>();
    if (!first) {
        release<BLOCKS>(s, i - 1);
    }
    i++;
}

/* After the last step of a tile. */
template <int BLOCKS> static __device__ __forceinline__ void sum_end(Ring &s, unsigned i) {
    wgmma_wait<0>();
    release<BLOCKS>(s, i - 1);
}

/* A consumer's sums of one tile. */
template <class Multiply>
static __device__ __forceinline__ void sum_tile(Ring &s, float (&sum)[BN / 2], int steps, unsigned &i,
                                                Multiply multiply_stage) {
    for (int step = 0; step < steps; step++) {
        sum_step<1>(s, sum, i, step == 0, multiply_stage);
    }
    sum_end<1>(s, i);
}

/* What version 4 to 7 multiply: a consumer's 64 rows of the stage. */
struct multiply_bf16 {
    Ring &s;
    int consumer;
    __device__ __forceinline__ void operator()(float (&sum)[BN / 2], unsigned stage, int add) const {
        multiply(sum, s.A[stage] + consumer * 64 * BK, s.B[stage], add);
    }
};

/* Version 4: as version 3, with twice the tile. Without setmaxnreg 384 threads have 168 registers each: too few. */
static __global__ __launch_bounds__(THREADS, 1) void hopper_kernel4(struct layer l, const __grid_constant__ maps maps) {
    extern __shared__ __align__(1024) char shared[];
    Ring &s = *(Ring *)shared;
    int row = blockIdx.y * BM, col = blockIdx.x * BN, group = threadIdx.x / WARPGROUP, steps = ceil_div(l.K, BK);
    make_barriers(s.full, s.empty);
    __syncthreads();
    if (group == 0) {
        registers_give<40>();
        for (int i = 0; threadIdx.x == 0 && i < steps; i++) {
            int stage = i % STAGES, round = i / STAGES;
            mbarrier_wait(&s.empty[stage], round % 2 ^ 1);
            load_tiles<BN>(s.A[stage], s.B[stage], &s.full[stage], maps, row, col, i * BK);
        }
        return;
    }
    registers_take<232>();
    float sum[BN / 2];
    unsigned i = 0;
    sum_tile(s, sum, steps, i, multiply_bf16{s, group - 1});
    store_sums(l, sum, row + (group - 1) * 64, col);
}

// ---------------------------------------------------------------- versions 5 and later: order, and stores by TMA

/* Where a tile begins: its row and column. Tiles are numbered down the columns of a group of GROUP rows of tiles, so
 * that blocks that run at the same time form a square: together they need fewer different tiles of A and B. */
static __device__ int2 position_of(int tile, int down, int across, int group_rows) {
    int width = group_rows * across, first = tile / width * group_rows, rows = min(group_rows, down - first);
    return make_int2(first + tile % width % rows, tile % width / rows);
}

/* C on its way out: each consumer has two boxes of 64 x 64. */
struct workshop {
    bf16 C[CONSUMERS][2][64 * BOX];
    Ring ring;
};

enum { PARTS = BN / BOX };

/* A consumer's 64 x 256 sums of a tile that is finished, rounded: 64 registers of each thread. */
struct leaving {
    uint32_t sums[BN / 4];
    int row, col;
};

static __device__ uint32_t pack(float x, float y) {
    __nv_bfloat162 both = __floats2bfloat162_rn(x, y);
    return *(const uint32_t *)&both;
}

static __device__ __forceinline__ void round_sums(struct leaving &leaving, const float (&sum)[BN / 2], int row,
                                                  int col) {
#pragma unroll
    for (int i = 0; i < BN / 4; i++) {
        leaving.sums[i] = pack(sum[2 * i], sum[2 * i + 1]);
    }
    leaving.row = row;
    leaving.col = col;
}

/* One of their four parts leaves, a box of 64 x 64: by stmatrix into shared memory, swizzled as TMA expects it, and from
 * there by one thread. While a box is read, the other one is written. */
static __device__ __forceinline__ void store_box(bf16 (&boxes)[2][64 * BOX], const CUtensorMap *map,
                                                 const struct leaving &leaving, int part) {
    int thread = threadIdx.x % WARPGROUP, group = threadIdx.x / WARPGROUP, lane = thread % WARP;
    int r = thread / WARP * 16 + lane % 16; // the row that this lane points to
    bf16 *box = boxes[part % 2];
    if (thread == 0) {
        tma_wait_read<1>(); // the previous contents of this box have been read
    }
    named_barrier(group, WARPGROUP);
#pragma unroll
    for (int piece = 0; piece < 8; piece += 2) { // 8 columns, 16 bytes
        const uint32_t *x = leaving.sums + part * 16 + piece * 2;
        uint32_t four[4] = {x[0], x[1], x[2], x[3]};
        stmatrix(box + r * BOX + ((piece + lane / 16) ^ r % 8) * 8, four);
    }
    proxy_fence(); // so that TMA sees the stores
    named_barrier(group, WARPGROUP);
    if (thread == 0) {
        tma_store(map, box, leaving.col + part * BOX, leaving.row);
        tma_commit();
    }
}

/* All of them, with nothing else to do. */
static __device__ __forceinline__ void store_boxes(bf16 (&boxes)[2][64 * BOX], const CUtensorMap *map,
                                                   const struct leaving &leaving) {
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        store_box(boxes, map, leaving, part);
    }
    if (threadIdx.x % WARPGROUP == 0) {
        tma_wait_read<0>(); // shared memory is another block's when this one ends
    }
}

/* Version 5: version 4 with another order of the tiles, and the sums leave by TMA. */
static __global__ __launch_bounds__(THREADS, 1) void hopper_kernel5(struct layer l, const __grid_constant__ maps maps) {
    extern __shared__ __align__(1024) char shared[];
    workshop &w = *(workshop *)shared;
    Ring &s = w.ring;
    int2 tile = position_of(blockIdx.x, ceil_div(l.M, BM), ceil_div(l.N, BN), GROUP);
    int row = tile.x * BM, col = tile.y * BN, group = threadIdx.x / WARPGROUP, steps = ceil_div(l.K, BK);
    make_barriers(s.full, s.empty);
    __syncthreads();
    if (group == 0) {
        registers_give<40>();
        for (int i = 0; threadIdx.x == 0 && i < steps; i++) {
            int stage = i % STAGES, round = i / STAGES;
            mbarrier_wait(&s.empty[stage], round % 2 ^ 1);
            load_tiles<BN>(s.A[stage], s.B[stage], &s.full[stage], maps, row, col, i * BK);
        }
        return;
    }
    registers_take<232>();
    float sum[BN / 2];
    unsigned i = 0;
    sum_tile(s, sum, steps, i, multiply_bf16{s, group - 1});
    struct leaving leaving;
    round_sums(leaving, sum, row + (group - 1) * 64, col);
    store_boxes(w.C[group - 1], &maps.C, leaving);
}

/* A tile of version 6 and later, while the one before leaves: a box after each of the first steps, when tensor cores have
 * two groups of products to work on. So a tile has at least as many steps as parts; behind the last row of B come zeros. */
template <int BLOCKS, class Multiply>
static __device__ __forceinline__ void sum_while_storing(workshop &w, const CUtensorMap *map, bool store,
                                                         const struct leaving &leaving, float (&sum)[BN / 2], int steps,
                                                         unsigned &i, Multiply multiply_stage) {
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        sum_step<BLOCKS>(w.ring, sum, i, part == 0, multiply_stage);
        if (store) {
            store_box(w.C[threadIdx.x / WARPGROUP - 1], map, leaving, part);
        }
    }
    for (int step = PARTS; step < steps; step++) {
        sum_step<BLOCKS>(w.ring, sum, i, false, multiply_stage);
    }
    sum_end<BLOCKS>(w.ring, i);
}

static __device__ int steps_of(int K, int of_step) {
    return max(ceil_div(K, of_step), (int)PARTS);
}

/* Version 6: as many blocks as multiprocessors; each takes tile after tile. The ring never stops, and neither do the tensor
 * cores: the sums of a tile are rounded, and leave while the next tile is multiplied. */
static __global__ __launch_bounds__(THREADS, 1) void hopper_kernel6(struct layer l, const __grid_constant__ maps maps) {
    extern __shared__ __align__(1024) char shared[];
    workshop &w = *(workshop *)shared;
    Ring &s = w.ring;
    int down = ceil_div(l.M, BM), across = ceil_div(l.N, BN), steps = steps_of(l.K, BK);
    int group = threadIdx.x / WARPGROUP;
    unsigned i = 0; // steps of all tiles so far
    make_barriers(s.full, s.empty);
    __syncthreads();
    if (group == 0) {
        registers_give<40>();
        for (int tile = blockIdx.x; threadIdx.x == 0 && tile < down * across; tile += gridDim.x) {
            int2 at = position_of(tile, down, across, GROUP);
            for (int step = 0; step < steps; step++, i++) {
                unsigned stage = i % STAGES, round = i / STAGES;
                mbarrier_wait(&s.empty[stage], round % 2 ^ 1);
                load_tiles<BN>(s.A[stage], s.B[stage], &s.full[stage], maps, at.x * BM, at.y * BN, step * BK);
            }
        }
        return;
    }
    registers_take<232>();
    float sum[BN / 2];
    struct leaving leaving;
    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        int2 at = position_of(tile, down, across, GROUP);
        sum_while_storing<1>(w, &maps.C, tile != blockIdx.x, leaving, sum, steps, i, multiply_bf16{s, group - 1});
        round_sums(leaving, sum, at.x * BM + (group - 1) * 64, at.y * BN);
    }
    store_boxes(w.C[group - 1], &maps.C, leaving);
}

// ---------------------------------------------------------------- version 7: clusters

enum { BLOCKS = 2 }; // in a cluster: one below the other, with the same columns of B

/* Asks for this block's tile of A, and for its half of B's tile, which goes to both blocks. The other half comes from
 * the other block: the same number of bytes as ever arrives here. */
static __device__ void load_shared_tiles(Ring &s, int stage, const maps &maps, int row, int col, int k, int rank) {
    uint64_t *full = &s.full[stage];
    mbarrier_expect(full, (BM * BK + BK * BN) * sizeof(bf16));
    tma_load(s.A[stage], &maps.A, k, row, full);
    for (int n = rank * (BN / BLOCKS); n < (rank + 1) * (BN / BLOCKS); n += BOX) {
        tma_load_multicast(s.B[stage] + n * BK, &maps.B, col + n, k, full, (1 << BLOCKS) - 1);
    }
}

/* Version 7: two blocks of a cluster have tiles one below the other. A stage is empty when the consumers of both blocks
 * have released it, since this block writes there, too. */
static __global__ __launch_bounds__(THREADS, 1) void hopper_kernel7(struct layer l, const __grid_constant__ maps maps) {
    extern __shared__ __align__(1024) char shared[];
    workshop &w = *(workshop *)shared;
    Ring &s = w.ring;
    int down = ceil_div(l.M, BM * BLOCKS), across = ceil_div(l.N, BN), steps = steps_of(l.K, BK); // of pairs of tiles
    int group = threadIdx.x / WARPGROUP, rank = cluster_rank();
    unsigned i = 0;
    make_barriers(s.full, s.empty, BLOCKS);
    cluster_sync(); // the other block's barriers are there as well
    if (group == 0) {
        registers_give<40>();
        for (int pair = blockIdx.x / BLOCKS; threadIdx.x == 0 && pair < down * across; pair += gridDim.x / BLOCKS) {
            int2 at = position_of(pair, down, across, GROUP / BLOCKS);
            for (int step = 0; step < steps; step++, i++) {
                unsigned stage = i % STAGES, round = i / STAGES;
                mbarrier_wait(&s.empty[stage], round % 2 ^ 1);
                load_shared_tiles(s, stage, maps, (at.x * BLOCKS + rank) * BM, at.y * BN, step * BK, rank);
            }
        }
    } else {
        registers_take<232>();
        float sum[BN / 2];
        struct leaving leaving;
        for (int pair = blockIdx.x / BLOCKS; pair < down * across; pair += gridDim.x / BLOCKS) {
            int2 at = position_of(pair, down, across, GROUP / BLOCKS);
            sum_while_storing<BLOCKS>(w, &maps.C, pair != blockIdx.x / BLOCKS, leaving, sum, steps, i,
                                      multiply_bf16{s, group - 1});
            round_sums(leaving, sum, (at.x * BLOCKS + rank) * BM + (group - 1) * 64, at.y * BN);
        }
        store_boxes(w.C[group - 1], &maps.C, leaving);
    }
    cluster_sync(); // nobody leaves while the other block may still arrive at its barriers
}

// ---------------------------------------------------------------- version 8: fp8

/* Version 8: version 6 in fp8. A step is again 128 bytes, now 128 numbers, and a stage is as large as before. Only 16-bit
 * types can be transposed by wgmma: so B comes as N x K, and its tile looks like A's, 256 rows of 128 bytes. */
enum { BK8 = 128 };

struct multiply_fp8 {
    Ring &s;
    int consumer;
    __device__ __forceinline__ void operator()(float (&sum)[BN / 2], unsigned stage, int add) const {
        uint64_t a = tile_descriptor((const char *)s.A[stage] + consumer * 64 * BK8, EIGHT_ROWS, 0);
        uint64_t b = tile_descriptor(s.B[stage], EIGHT_ROWS, 0);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < BK8 / 32; k++) {
            wgmma_n256_e4m3(sum, a + k * (32 >> 4), b + k * (32 >> 4), add || k > 0);
        }
        wgmma_commit();
    }
};

static __global__ __launch_bounds__(THREADS, 1) void hopper_kernel8(struct layer l, const __grid_constant__ maps maps) {
    extern __shared__ __align__(1024) char shared[];
    workshop &w = *(workshop *)shared;
    Ring &s = w.ring;
    int down = ceil_div(l.M, BM), across = ceil_div(l.N, BN), steps = steps_of(l.K, BK8);
    int group = threadIdx.x / WARPGROUP;
    unsigned i = 0;
    make_barriers(s.full, s.empty);
    __syncthreads();
    if (group == 0) {
        registers_give<40>();
        for (int tile = blockIdx.x; threadIdx.x == 0 && tile < down * across; tile += gridDim.x) {
            int2 at = position_of(tile, down, across, GROUP);
            for (int step = 0; step < steps; step++, i++) {
                unsigned stage = i % STAGES, round = i / STAGES;
                mbarrier_wait(&s.empty[stage], round % 2 ^ 1);
                mbarrier_expect(&s.full[stage], (BM + BN) * BK8);
                tma_load(s.A[stage], &maps.A, step * BK8, at.x * BM, &s.full[stage]);
                tma_load(s.B[stage], &maps.B, step * BK8, at.y * BN, &s.full[stage]);
            }
        }
        return;
    }
    registers_take<232>();
    float sum[BN / 2];
    struct leaving leaving;
    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        int2 at = position_of(tile, down, across, GROUP);
        sum_while_storing<1>(w, &maps.C, tile != blockIdx.x, leaving, sum, steps, i, multiply_fp8{s, group - 1});
        round_sums(leaving, sum, at.x * BM + (group - 1) * 64, at.y * BN);
    }
    store_boxes(w.C[group - 1], &maps.C, leaving);
}

// ---------------------------------------------------------------- the launchers

/* All are queued in `stream`, without waiting. M, N or K may be 0; with K = 0 the sums are 0. A tensor map is made for
 * each launch and handed over as an argument: it holds the matrix's address. */

typedef void (*hopper_kernel)(struct layer l, const __grid_constant__ maps maps);

/* True if there is nothing to multiply: a tensor map of an empty matrix cannot be made. */
static bool nothing_to_multiply(const struct layer &l, cudaStream_t stream) {
    bool nothing = l.M == 0 || l.N == 0 || l.K == 0;
    if (nothing && l.M > 0 && l.N > 0) {
        CUDA_CHECK(cudaMemsetAsync(l.C, 0, (size_t)l.M * l.N * sizeof(bf16), stream));
    }
    return nothing;
}

static maps make_maps(const struct layer &l) {
    return {tensor_map_bf16(l.A, l.M, l.K, BM), tensor_map_bf16(l.B, l.K, l.N, BK), tensor_map_bf16(l.C, l.M, l.N, 64)};
}

static void launch(hopper_kernel kernel, dim3 grid, int threads, int bytes, const struct layer &l, const maps &maps,
                   cudaStream_t stream) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<grid, threads, bytes, stream>>>(l, maps);
    CUDA_CHECK_LAUNCH();
}

/* Versions 1 to 4: a block for each tile, columns along x, rows along y. */
template <hopper_kernel kernel, int COLUMNS, int WARPGROUPS, class Shared>
static void hopper1to4(struct layer l, cudaStream_t stream) {
    if (!nothing_to_multiply(l, stream)) {
        dim3 grid(ceil_div(l.N, COLUMNS), ceil_div(l.M, BM));
        launch(kernel, grid, WARPGROUPS * WARPGROUP, sizeof(Shared), l, make_maps(l), stream);
    }
}

static int tiles(const struct layer &l) {
    return ceil_div(l.M, BM) * ceil_div(l.N, BN);
}

static void hopper5(struct layer l, cudaStream_t stream) {
    if (!nothing_to_multiply(l, stream)) {
        launch(hopper_kernel5, tiles(l), THREADS, sizeof(workshop), l, make_maps(l), stream);
    }
}

static int multiprocessors(void) {
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

static void hopper6(struct layer l, cudaStream_t stream) {
    if (!nothing_to_multiply(l, stream)) {
        int blocks = min(multiprocessors(), tiles(l));
        launch(hopper_kernel6, blocks, THREADS, sizeof(workshop), l, make_maps(l), stream);
    }
}

/* As many clusters as the machine holds at once: where multiprocessors of a group are odd in number, one is left over. */
static void hopper7(struct layer l, cudaStream_t stream) {
    if (nothing_to_multiply(l, stream)) {
        return;
    }
    int clusters = 0, pairs = ceil_div(l.M, BM * BLOCKS) * ceil_div(l.N, BN);
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {BLOCKS, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = pairs * BLOCKS;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = sizeof(workshop);
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    CUDA_CHECK(cudaFuncSetAttribute(hopper_kernel7, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(workshop)));
    CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, hopper_kernel7, &config));
    config.gridDim = min(pairs, clusters) * BLOCKS;
    CUDA_CHECK(cudaLaunchKernelEx(&config, hopper_kernel7, l, make_maps(l)));
}

/* A and B are e4m3 here: one byte each, B as N x K. */
static void hopper8(struct layer l, cudaStream_t stream) {
    if (!nothing_to_multiply(l, stream)) {
        maps maps = {tensor_map_2d(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, l.A, l.M, l.K, BM),
                     tensor_map_2d(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, l.B, l.N, l.K, BN),
                     tensor_map_bf16(l.C, l.M, l.N, 64)};
        launch(hopper_kernel8, min(multiprocessors(), tiles(l)), THREADS, sizeof(workshop), l, maps, stream);
    }
}

static const struct layer_version versions[] = {
    {"hopper_kernel1", hopper1to4<hopper_kernel1, 128, 2, ring<128, 1>>, 1},
    {"hopper_kernel2", hopper1to4<hopper_kernel2, 128, 2, ring<128, 3>>, 1},
    {"hopper_kernel3", hopper1to4<hopper_kernel3, 128, 3, ring<128, STAGES>>, 1},
    {"hopper_kernel4", hopper1to4<hopper_kernel4, BN, 3, Ring>, 1},
    {"hopper_kernel5", hopper5, 1},
    {"hopper_kernel6", hopper6, 1},
    {"hopper_kernel7", hopper7, 1},
};
enum { VERSIONS = sizeof versions / sizeof versions[0], FP8 = VERSIONS + 1 };

#include "measure.h"

// ---------------------------------------------------------------- verify and measure

static void verify_versions(int first, int last, int M, int N, int K, uint64_t seed) {
    if (first < VERSIONS) {
        struct problem problem = problem_create(M, N, K, false, seed, layer_cpu);
        for (int v = first; v <= last && v < VERSIONS; v++) {
            problem_verify_version(&problem, &versions[v]);
        }
        problem_free(&problem);
    }
    if (last == FP8 - 1) {
        fp8_verify_shape(M, N, ceil_div(K, 16) * 16, seed);
    }
}

/* Empty matrices, shapes that fill no tile, shapes that fill all, fewer steps than stages and more; and one with more
 * tiles than a machine of 132 multiprocessors has blocks, for the versions that go from tile to tile. */
static void verify_shapes(int first, int last, uint64_t seed) {
    static const int shapes[][3] = {{0, 8, 8},     {8, 0, 8},      {8, 8, 0},       {1, 8, 8},
                                    {64, 136, 64}, {129, 264, 72}, {300, 520, 328}, {128, 256, 640}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        verify_versions(first, last, shapes[s][0], shapes[s][1], shapes[s][2], seed);
    }
    if (last >= 5) {
        verify_versions(first < 5 ? 5 : first, last, 1300, 3104, 72, seed);
    }
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, FP8);
    int first = options.version ? options.version - 1 : 0;
    int last = options.version ? options.version - 1 : FP8 - 1;
    int n = device_is_emulator() ? 512 : 8192; // the edge of the table's matrices
    device_print_backend();

    if (options.size > 32768 || options.size % 8 > 0) {
        options_usage_error(argv[0],
                            "SIZE is the edge of a matrix in this lesson: at most 32768, and a multiple of 8, as TMA "
                            "wants rows that begin on multiples of 16 bytes",
                            NULL);
    } else if (options.size >= 0) {
        n = (int)options.size;
        verify_versions(first, last, n, n, n, options.seed);
        verify_versions(first, last, n, n, n / 16 * 8, options.seed);
    } else {
        verify_shapes(first, last, options.seed);
    }
    if (n > 0 && verify_tally()->failures == 0) { // how fast a wrong kernel is does not matter
        measure(first, last, n, options.seed);
    }
    return verify_finish("matrix product");
}
