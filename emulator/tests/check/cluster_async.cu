/* The asynchronous proxy between the blocks of a cluster: copies into another block's shared memory, st.async, fences, and the end of a block.
 * See memory.cu for the comments. */
// arch: sm_90
#include <cooperative_groups.h>
#include <cuda/ptx>

#include "run_case.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { N = 32, BYTES = N * sizeof(int) };

static __device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ uint32_t mapped(const void *p, uint32_t rank) {
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}

static __device__ void begin(uint64_t *barrier, uint32_t count) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(barrier, count);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cg::this_cluster().sync();
}

static __device__ void expect(uint64_t *full, uint32_t bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full, bytes);
}

static __device__ void wait(uint64_t *barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity))
        ;
}

// Tells the block of that rank.
static __device__ void arrive(uint64_t *barrier, uint32_t rank) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(barrier, rank))
                 : "memory");
}

static __device__ void multicast(int *tile, const int *from, uint64_t *full, uint16_t blocks) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                 "%2, [%3], %4;"
                 :
                 : "r"(shared_address(tile)), "l"(from), "r"((uint32_t)BYTES), "r"(shared_address(full)), "h"(blocks)
                 : "memory");
}

static __device__ void store_bulk(int *to, const int *tile) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, tile, BYTES);
    ptx::cp_async_bulk_commit_group();
}

static int *input(void) {
    int *p = device_array<int>(4 * N);
    cudaMemset(p, 0, 4 * BYTES);
    return p;
}

// ---- what a copy of another block has brought ----

template <bool WAITS> __device__ void receive(const int *x, int *y) {
    __shared__ alignas(16) int tile[N];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    begin(&full, 1);
    if (threadIdx.x == 0) {
        expect(&full, BYTES);
        if (cluster.block_rank() == 0)
            multicast(tile, x, &full, 3);
    }
    if (WAITS || cluster.block_rank() == 0)
        wait(&full, 0);
    cluster.sync();
    y[blockIdx.x * N + threadIdx.x] = tile[threadIdx.x];
    wait(&full, 0);
    cluster.sync();
}

// EXPECT does_not_wait 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// SAYS thread (0,0,0) of block (1,0,0) read tile[0] of block (1,0,0) at
// SAYS while thread (0,0,0) of block (0,0,0)
// SAYS with a bulk copy that may
// CHECKS racecheck
__global__ void __cluster_dims__(2) does_not_wait(const int *x, int *y) {
    receive<false>(x, y);
}
static void case_does_not_wait(void) {
    does_not_wait<<<2, N>>>(input(), device_array<int>(2 * N));
}

// EXPECT waits 0 none
// CHECKS all
__global__ void __cluster_dims__(2) waits(const int *x, int *y) {
    receive<true>(x, y);
}
static void case_waits(void) {
    waits<<<4, N>>>(input(), device_array<int>(4 * N));
}

// Each block brings one half for both, and its warp tells the other when it has read it.
// EXPECT in_turns 0 none
// CHECKS all
__global__ void __cluster_dims__(2) in_turns(const int *x, int *y) {
    __shared__ alignas(16) int tile[2][2 * N];
    __shared__ uint64_t full[2], empty[2];
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank();
    int sum = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full[1], 1);
        ptx::mbarrier_init(&empty[0], 2);
        ptx::mbarrier_init(&empty[1], 2);
    }
    begin(&full[0], 1);
    for (int i = 0; i < 6; i++) {
        int s = i % 2, round = i / 2;
        if (threadIdx.x == 0) {
            if (round)
                wait(&empty[s], (round - 1) & 1);
            expect(&full[s], 2 * BYTES);
            multicast(tile[s] + rank * N, x + rank * N, &full[s], 3);
        }
        __syncwarp();
        wait(&full[s], round & 1);
        sum += tile[s][threadIdx.x] + tile[s][N + threadIdx.x];
        __syncwarp();
        if (threadIdx.x < 2)
            arrive(&empty[s], threadIdx.x);
    }
    y[blockIdx.x * N + threadIdx.x] = sum;
    cluster.sync();
}
static void case_in_turns(void) {
    in_turns<<<4, N>>>(input(), device_array<int>(4 * N));
}

// The second copy goes where the first one went, before the other block has read that.
// EXPECT overtakes 0 race
// SAYS Error: Unfinished bulk copy reported between Write access at
// SAYS thread (0,0,0) of block (1,0,0) read tile[0] of block (1,0,0) at
// CHECKS racecheck
__global__ void __cluster_dims__(2) overtakes(const int *x, int *y) {
    __shared__ alignas(16) int tile[N];
    __shared__ uint64_t full[2];
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full[1], 1);
    begin(&full[0], 1);
    for (int i = 0; i < 2 && threadIdx.x == 0; i++) {
        expect(&full[i], BYTES);
        if (cluster.block_rank() == 0)
            multicast(tile, x + i * N, &full[i], 3);
    }
    wait(&full[0], 0);
    if (cluster.block_rank() == 1)
        y[threadIdx.x] = tile[threadIdx.x];
    wait(&full[1], 0);
    cluster.sync();
}
static void case_overtakes(void) {
    overtakes<<<2, N>>>(input(), device_array<int>(2 * N));
}

// ---- from shared memory to another block's ----

template <bool WAITS> __device__ void hand_over(int *y) {
    __shared__ alignas(16) int own[N], tile[N];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    uint32_t next = cluster.block_rank() ^ 1;
    begin(&full, 1);
    own[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, BYTES);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     :
                     : "r"(mapped(tile, next)), "r"(shared_address(own)), "r"((uint32_t)BYTES), "r"(mapped(&full, next))
                     : "memory");
    }
    if (WAITS)
        wait(&full, 0);
    cluster.sync();
    y[blockIdx.x * N + threadIdx.x] = tile[threadIdx.x];
    wait(&full, 0);
    cluster.sync();
}

// EXPECT handed_too_early 0 race
// SAYS Error: Unfinished bulk copy reported between
// SAYS with a bulk copy that may
// CHECKS racecheck
__global__ void __cluster_dims__(2) handed_too_early(int *y) {
    hand_over<false>(y);
}
static void case_handed_too_early(void) {
    handed_too_early<<<2, N>>>(device_array<int>(2 * N));
}

// EXPECT handed_over 0 none
// CHECKS all
__global__ void __cluster_dims__(2) handed_over(int *y) {
    hand_over<true>(y);
}
static void case_handed_over(void) {
    handed_over<<<4, N>>>(device_array<int>(4 * N));
}

// ---- st.async ----

template <bool WAITS> __device__ void post(int *y) {
    __shared__ int values[N];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    uint32_t next = cluster.block_rank() ^ 1;
    begin(&full, 1);
    if (threadIdx.x == 0)
        expect(&full, BYTES);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     mapped(&values[threadIdx.x], next)),
                 "r"(threadIdx.x), "r"(mapped(&full, next))
                 : "memory");
    if (WAITS)
        wait(&full, 0);
    cluster.sync();
    y[blockIdx.x * N + threadIdx.x] = values[N - 1 - threadIdx.x];
    wait(&full, 0);
    cluster.sync();
}

// EXPECT posted_too_early 0 race
// SAYS Error: Unfinished st.async reported between Write access at
// SAYS with a st.async
// SAYS wait for that phase
// CHECKS racecheck
__global__ void __cluster_dims__(2) posted_too_early(int *y) {
    post<false>(y);
}
static void case_posted_too_early(void) {
    posted_too_early<<<2, N>>>(device_array<int>(2 * N));
}

// EXPECT posted 0 none
// CHECKS all
__global__ void __cluster_dims__(2) posted(int *y) {
    post<true>(y);
}
static void case_posted(void) {
    posted<<<4, N>>>(device_array<int>(4 * N));
}

// ---- what another block has stored, read by a copy ----

enum fence { BY_NOBODY, BY_WRITER, BY_READER };

template <fence FENCE> __device__ void send(int *y) {
    __shared__ alignas(16) int tile[N];
    auto cluster = cg::this_cluster();
    cluster.sync();
    cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x] = threadIdx.x;
    if (FENCE == BY_WRITER)
        ptx::fence_proxy_async();
    cluster.sync();
    if (FENCE == BY_READER)
        ptx::fence_proxy_async();
    if (threadIdx.x == 0) {
        store_bulk(y + blockIdx.x * N, tile);
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    cluster.sync();
}

// EXPECT not_fenced 0 race
// SAYS Error: Missing fence.proxy.async reported between Write access at
// SAYS fence.proxy.async between
// CHECKS racecheck
__global__ void __cluster_dims__(2) not_fenced(int *y) {
    send<BY_NOBODY>(y);
}
static void case_not_fenced(void) {
    not_fenced<<<2, N>>>(device_array<int>(2 * N));
}

// EXPECT fenced_by_writer 0 none
// CHECKS all
__global__ void __cluster_dims__(2) fenced_by_writer(int *y) {
    send<BY_WRITER>(y);
}
static void case_fenced_by_writer(void) {
    fenced_by_writer<<<4, N>>>(device_array<int>(4 * N));
}

// EXPECT fenced_by_reader 0 none
// CHECKS all
__global__ void __cluster_dims__(2) fenced_by_reader(int *y) {
    send<BY_READER>(y);
}
static void case_fenced_by_reader(void) {
    fenced_by_reader<<<4, N>>>(device_array<int>(4 * N));
}

// ---- a copy that still reads when the tile is filled again ----

template <bool WAITS> __device__ void refill(const int *x, int *y) {
    __shared__ alignas(16) int tile[N];
    __shared__ uint64_t full, empty;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&empty, 1);
    begin(&full, 1);
    for (int i = 0; i < 2 && threadIdx.x == 0; i++) {
        expect(&full, BYTES);
        if (cluster.block_rank() == 0) {
            if (i)
                wait(&empty, 0);
            multicast(tile, x, &full, 3);
        }
        wait(&full, i);
        if (cluster.block_rank() == 1) {
            store_bulk(y + i * N, tile);
            if (WAITS)
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
            arrive(&empty, 0);
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    cluster.sync();
}

// EXPECT refilled_too_early 0 race
// SAYS Error: Unfinished bulk copy reported between Read access at
// SAYS thread (0,0,0) of block (0,0,0) wrote tile of block (1,0,0) at
// SAYS while thread (0,0,0) of block (1,0,0)
// CHECKS racecheck
__global__ void __cluster_dims__(2) refilled_too_early(const int *x, int *y) {
    refill<false>(x, y);
}
static void case_refilled_too_early(void) {
    refilled_too_early<<<2, N>>>(input(), device_array<int>(2 * N));
}

// EXPECT refilled 0 none
// CHECKS all
__global__ void __cluster_dims__(2) refilled(const int *x, int *y) {
    refill<true>(x, y);
}
static void case_refilled(void) {
    refilled<<<2, N>>>(input(), device_array<int>(2 * N));
}

// ---- the end of a block ----

template <bool WAITS> __device__ void leave(const int *x) {
    __shared__ alignas(16) int tile[N];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    begin(&full, 1);
    if (threadIdx.x == 0)
        expect(&full, BYTES);
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        multicast(tile, x, &full, 3);
    cluster.sync();
    if (WAITS || cluster.block_rank() == 0)
        wait(&full, 0);
}

// EXPECT leaves 0 race
// SAYS and the end of block (1,0,0)
// SAYS that block may have exited
// CHECKS racecheck
__global__ void __cluster_dims__(2) leaves(const int *x) {
    leave<false>(x);
}
static void case_leaves(void) {
    leaves<<<2, N>>>(input());
}

// EXPECT stays 0 none
// CHECKS all
__global__ void __cluster_dims__(2) stays(const int *x) {
    leave<true>(x);
}
static void case_stays(void) {
    stays<<<4, N>>>(input());
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(does_not_wait),
        CASE(waits),
        CASE(in_turns),
        CASE(overtakes),
        CASE(handed_too_early),
        CASE(handed_over),
        CASE(posted_too_early),
        CASE(posted),
        CASE(not_fenced),
        CASE(fenced_by_writer),
        CASE(fenced_by_reader),
        CASE(refilled_too_early),
        CASE(refilled),
        CASE(leaves),
        CASE(stays),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
