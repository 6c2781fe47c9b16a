/* Mistakes with clusters: shared memory of other blocks, the cluster's barrier, mbarriers of other blocks. See
 * memory.cu for the comments. */
// arch: sm_90
#include <cooperative_groups.h>
#include <cuda/ptx>

#include "run_case.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

static __device__ uint32_t mapped(const void *p, uint32_t rank) {
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((uint32_t)__cvta_generic_to_shared(p)), "r"(rank));
    return there;
}

// EXPECT reads_too_early 0 race
// SAYS Race reported between Write access at
// SAYS thread (0,0,0) of block (0,0,0) read values[31] of block (1,0,0) at
// SAYS while thread (31,0,0) of block (1,0,0) wrote it at
// SAYS with no cluster.sync() between
// CHECKS racecheck
__global__ void __cluster_dims__(2) reads_too_early(int *y) {
    __shared__ int values[32];
    auto cluster = cg::this_cluster();
    cluster.sync();
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(values, cluster.block_rank() ^ 1)[31 - threadIdx.x];
    cluster.sync();
}
static void case_reads_too_early(void) {
    reads_too_early<<<2, 32>>>(device_array<int>(64));
}

// EXPECT writes_again 0 race
// SAYS with no cluster.sync() between
// CHECKS racecheck
__global__ void __cluster_dims__(2) writes_again(int *y) {
    __shared__ int values[32];
    auto cluster = cg::this_cluster();
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        values[threadIdx.x] = threadIdx.x + i;
        cluster.sync();
        sum += cluster.map_shared_rank(values, cluster.block_rank() ^ 1)[threadIdx.x];
    }
    y[blockIdx.x * 32 + threadIdx.x] = sum;
    cluster.sync();
}
static void case_writes_again(void) {
    writes_again<<<2, 32>>>(device_array<int>(64));
}

// EXPECT ordered 0 none
// CHECKS all
__global__ void __cluster_dims__(4) ordered(int *y) {
    __shared__ int values[32], total;
    auto cluster = cg::this_cluster();
    int sum = 0, next = (cluster.block_rank() + 1) % 4;
    if (threadIdx.x == 0)
        total = 0;
    for (int i = 0; i < 3; i++) {
        values[threadIdx.x] = threadIdx.x + i;
        cluster.barrier_arrive();
        cluster.barrier_wait();
        sum += cluster.map_shared_rank(values, next)[threadIdx.x];
        atomicAdd(cluster.map_shared_rank(&total, 0), 1);
        cluster.sync();
    }
    y[blockIdx.x * 32 + threadIdx.x] = sum + *cluster.map_shared_rank(&total, 0);
    cluster.sync();
}
static void case_ordered(void) {
    ordered<<<8, 32>>>(device_array<int>(256));
}

// EXPECT by_mbarrier 0 none
// CHECKS all
__global__ void __cluster_dims__(2) by_mbarrier(int *y) {
    __shared__ int values[32];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 32);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    uint32_t next = cluster.block_rank() ^ 1;
    cluster.map_shared_rank(values, next)[threadIdx.x] = threadIdx.x;
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&full, next)) : "memory");
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, 0))
        ;
    y[blockIdx.x * 32 + threadIdx.x] = values[31 - threadIdx.x];
    cluster.sync();
}
static void case_by_mbarrier(void) {
    by_mbarrier<<<4, 32>>>(device_array<int>(128));
}

// EXPECT exits_early 719 launch_failure
// SAYS The shared memory of block (0,0,0), rank 0 in the cluster, is accessed after that block has exited.
// SAYS all blocks of the cluster have to reach a cluster.sync()
__global__ void __cluster_dims__(2) exits_early(int *y) {
    __shared__ int value;
    auto cluster = cg::this_cluster();
    value = blockIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 0)
        return;
    __nanosleep(1000);
    cluster.barrier_arrive();
    cluster.barrier_wait();
    y[blockIdx.x] = *cluster.map_shared_rank(&value, 0);
}
static void case_exits_early(void) {
    exits_early<<<2, 1>>>(device_array<int>(2));
}

// Here the other block is read before it exits, as luck will have it.
// EXPECT may_exit_early 0 race
// SAYS and the end of block (0,0,0)
// SAYS thread (0,0,0) of block (1,0,0) read value of block (0,0,0) at
// SAYS and that block may have exited already.
// CHECKS racecheck
__global__ void __cluster_dims__(2) may_exit_early(int *y) {
    __shared__ int value;
    auto cluster = cg::this_cluster();
    value = blockIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 1)
        y[blockIdx.x] = *cluster.map_shared_rank(&value, 0);
}
static void case_may_exit_early(void) {
    may_exit_early<<<2, 1>>>(device_array<int>(2));
}

// EXPECT beyond_another 700 out_of_bounds
// SAYS Invalid __shared__ write of size 4 bytes
// SAYS by thread (3,0,0) in block (0,0,0)
// SAYS in the shared memory of block (1,0,0), rank 1 in the cluster
// SAYS and is 1 bytes after values, which has 128 bytes
__global__ void __cluster_dims__(2) beyond_another(int offset) {
    __shared__ int values[32];
    auto cluster = cg::this_cluster();
    values[threadIdx.x] = 0;
    cluster.sync();
    if (cluster.block_rank() == 0)
        cluster.map_shared_rank(values, 1)[threadIdx.x + offset] = 1;
    cluster.sync();
}
static void case_beyond_another(void) {
    beyond_another<<<2, 4>>>(29);
}

// EXPECT no_such_block 719 launch_failure
// SAYS There is no block of rank 2 in the cluster, which has 2.
__global__ void __cluster_dims__(2) no_such_block(int *y) {
    __shared__ int value;
    auto cluster = cg::this_cluster();
    value = 1;
    cluster.sync();
    y[blockIdx.x] = *cluster.map_shared_rank(&value, cluster.block_rank() + 1);
    cluster.sync();
}
static void case_no_such_block(void) {
    no_such_block<<<2, 1>>>(device_array<int>(2));
}

// EXPECT one_does_not_come 719 divergent_barrier
// SAYS Barrier error detected. Divergent thread(s) in block.
// SAYS by thread (0,0,0) in block (1,0,0)
__global__ void __cluster_dims__(2) one_does_not_come(int *y) {
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 1)
        asm volatile("barrier.sync 1, 64;");
    cluster.sync();
    y[threadIdx.x] = 1;
}
static void case_one_does_not_come(void) {
    one_does_not_come<<<2, 32>>>(device_array<int>(32));
}

// EXPECT does_not_arrive 719 divergent_barrier
// SAYS Barrier error detected. Divergent thread(s) in cluster.
// SAYS by thread (0,0,0) in block (0,0,0)
// SAYS and 32 threads of block (1,0,0), rank 1 in the cluster, wait there without having arrived
__global__ void __cluster_dims__(2) does_not_arrive(int *y) {
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0)
        cluster.barrier_arrive();
    cluster.barrier_wait();
    y[threadIdx.x] = 1;
}
static void case_does_not_arrive(void) {
    does_not_arrive<<<2, 32>>>(device_array<int>(32));
}

// Nothing but the phase could end this loop, so no time needs to pass before it is reported.
// EXPECT round_less 719 divergent_barrier
// TIMEOUT 1
// SAYS Barrier error detected. Threads wait for a phase of an mbarrier that never ends.
// SAYS thread of the cluster that has not exited is waiting
__global__ void __cluster_dims__(2) round_less(int *y) {
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 2);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    if (cluster.block_rank() == 1)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&full, 0)) : "memory");
    else
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, 0))
            ;
    cluster.sync();
    y[blockIdx.x] = 1;
}
static void case_round_less(void) {
    round_less<<<2, 1>>>(device_array<int>(2));
}

// What else may end a loop around an mbarrier: a word that another block writes much later, or the number of its tests.
// EXPECT waits_for_a_word 0 none
__device__ int word;
__global__ void waits_for_a_word(int *y) {
    __shared__ uint64_t full;
    if (blockIdx.x == 1) {
        for (long long start = clock64(); clock64() - start < 300000000;) // nanoseconds
            ;
        atomicExch(&word, 1);
        return;
    }
    ptx::mbarrier_init(&full, 1);
    while (!ptx::mbarrier_try_wait_parity(&full, 0) && !*(volatile int *)&word)
        ;
    y[0] = 1;
}
static void case_waits_for_a_word(void) {
    waits_for_a_word<<<2, 1>>>(device_array<int>(1));
}

// EXPECT gives_up 0 none
__global__ void gives_up(int *y) {
    __shared__ uint64_t full;
    ptx::mbarrier_init(&full, 1);
    int tests = 0;
    while (!ptx::mbarrier_try_wait_parity(&full, 0) && ++tests < 100000)
        ;
    y[0] = tests;
}
static void case_gives_up(void) {
    gives_up<<<1, 1>>>(device_array<int>(1));
}

// EXPECT waits_for_another 719 launch_failure
// SAYS An mbarrier of another block.
// SAYS it can neither initialize them nor wait for them
__global__ void __cluster_dims__(2) waits_for_another(int *y) {
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    ptx::mbarrier_init(&full, 1);
    cluster.sync();
    uint32_t over;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "l"(cluster.map_shared_rank(&full, cluster.block_rank() ^ 1))
                 : "memory");
    y[blockIdx.x] = over;
    cluster.sync();
}
static void case_waits_for_another(void) {
    waits_for_another<<<2, 1>>>(device_array<int>(2));
}

// EXPECT not_written 0 uninitialized
// SAYS Uninitialized __shared__ memory read of size 4 bytes
// SAYS values[0] of block (1,0,0)
// SAYS before the cluster.sync() that precedes the read
// CHECKS initcheck
__global__ void __cluster_dims__(2) not_written(int *y) {
    __shared__ int values[32];
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0)
        values[threadIdx.x] = 1;
    cluster.sync();
    if (cluster.block_rank() == 0)
        y[threadIdx.x] = cluster.map_shared_rank(values, 1)[threadIdx.x] + 1;
    cluster.sync();
}
static void case_not_written(void) {
    not_written<<<2, 32>>>(device_array<int>(32));
}

// EXPECT written_by_another 0 none
// CHECKS all
__global__ void __cluster_dims__(2) written_by_another(int *y) {
    __shared__ int values[32];
    auto cluster = cg::this_cluster();
    cluster.sync();
    cluster.map_shared_rank(values, cluster.block_rank() ^ 1)[threadIdx.x] = threadIdx.x;
    cluster.sync();
    y[blockIdx.x * 32 + threadIdx.x] = values[31 - threadIdx.x] + 1;
}
static void case_written_by_another(void) {
    written_by_another<<<2, 32>>>(device_array<int>(64));
}

// EXPECT multicast_to_nobody 719 launch_failure
// SAYS A multicast mask names blocks outside of the cluster: mask 0x5, and the cluster has 2.
__global__ void __cluster_dims__(2) multicast_to_nobody(const int *x, int *y) {
    __shared__ alignas(16) int tile[32];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "128, [%2], %3;"
                     :
                     : "r"((uint32_t)__cvta_generic_to_shared(tile)), "l"(x),
                       "r"((uint32_t)__cvta_generic_to_shared(&full)), "h"((uint16_t)5)
                     : "memory");
    cluster.sync();
    y[threadIdx.x] = tile[threadIdx.x];
}
static void case_multicast_to_nobody(void) {
    multicast_to_nobody<<<2, 32>>>(device_array<int>(32), device_array<int>(32));
}

// Both blocks write different values to the same words of one of them.
// EXPECT writes_together 0 race
// SAYS thread (0,0,0) of block (0,0,0) wrote values[0] of block (0,0,0) at
// SAYS with no cluster.sync() between
// CHECKS racecheck
__global__ void __cluster_dims__(2) writes_together(int *y) {
    __shared__ int values[32];
    auto cluster = cg::this_cluster();
    cluster.sync();
    cluster.map_shared_rank(values, 0)[threadIdx.x] = cluster.block_rank();
    cluster.sync();
    if (cluster.block_rank() == 0)
        y[threadIdx.x] = values[threadIdx.x];
}
static void case_writes_together(void) {
    writes_together<<<2, 32>>>(device_array<int>(32));
}

// EXPECT write_the_same 0 none
// CHECKS racecheck
__global__ void __cluster_dims__(2) write_the_same(int *y) {
    __shared__ int values[32];
    auto cluster = cg::this_cluster();
    cluster.sync();
    cluster.map_shared_rank(values, 0)[threadIdx.x] = threadIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 0)
        y[threadIdx.x] = values[threadIdx.x];
}
static void case_write_the_same(void) {
    write_the_same<<<2, 32>>>(device_array<int>(32));
}

// ---- the last arrivals: a block waits for those of the other before it exits, as the producer of a pipeline does ----

enum { STAGES = 3 };

template <int AWAITED> __device__ void pipeline_tail(void) {
    __shared__ uint64_t empty[STAGES];
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++)
            ptx::mbarrier_init(&empty[s], 2);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    cluster.sync();
    if (threadIdx.x >= 32 && threadIdx.x % 32 == 0) // two consumer warps, which also free the other block's stages
        for (int s = 0; s < STAGES; s++)
            asm volatile(
                "mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(mapped(&empty[s], cluster.block_rank() ^ 1))
                : "memory");
    if (threadIdx.x == 0)
        for (int s = 0; s < AWAITED; s++)
            while (!ptx::mbarrier_try_wait_parity(&empty[s], 0))
                ;
}

// EXPECT tail_awaited 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void __cluster_dims__(2) tail_awaited() {
    pipeline_tail<STAGES>();
}
static void case_tail_awaited(void) {
    tail_awaited<<<4, 96>>>();
}

// EXPECT tail_not_awaited 0 race
// SAYS wrote empty[2] of block (0,0,0) at
// SAYS and that block may have exited already.
// CHECKS racecheck
__global__ void __cluster_dims__(2) tail_not_awaited() {
    pipeline_tail<STAGES - 1>();
}
static void case_tail_not_awaited(void) {
    tail_not_awaited<<<2, 96>>>();
}

// The same by a flag in the other block's shared memory.
// EXPECT flag_awaited 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void __cluster_dims__(2) flag_awaited() {
    __shared__ int flag;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        flag = 0;
    cluster.sync();
    if (threadIdx.x == 0) {
        asm volatile("st.release.cluster.shared::cluster.u32 [%0], 1;" ::"r"(mapped(&flag, cluster.block_rank() ^ 1))
                     : "memory");
        int seen = 0;
        while (!seen)
            asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];"
                         : "=r"(seen)
                         : "r"((uint32_t)__cvta_generic_to_shared(&flag))
                         : "memory");
    }
}
static void case_flag_awaited(void) {
    flag_awaited<<<2, 32>>>();
}

// The other block is gone for certain when the arrival comes.
__device__ void arrive_late(int *done) {
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    cluster.sync();
    if (cluster.block_rank() == 0)
        return;
    cluster.barrier_arrive();
    cluster.barrier_wait();
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&bar, 0))
                 : "memory"); // HERE
    *done = 1;
}

// EXPECT arrives_late 0 launch_failure
// SAYS A thread arrives at an mbarrier of block (0,0,0), rank 0 in the cluster, after that block has exited.
// SAYS Here the arrival has no effect
__global__ void __cluster_dims__(2) arrives_late(int *done) {
    arrive_late(done);
}
static void case_arrives_late(void) {
    int *done = device_array<int>(1), host = 0;
    arrives_late<<<2, 1>>>(done);
    cudaMemcpy(&host, done, sizeof host, cudaMemcpyDeviceToHost);
    if (host != 1)
        abort();
}

// EXPECT arrival_is_an_access 719 launch_failure
// SAYS The shared memory of block (0,0,0), rank 0 in the cluster, is accessed after that block has exited.
// CHECKS memcheck
__global__ void __cluster_dims__(2) arrival_is_an_access(int *done) {
    arrive_late(done);
}
static void case_arrival_is_an_access(void) {
    arrival_is_an_access<<<2, 1>>>(device_array<int>(1));
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(does_not_arrive), CASE(reads_too_early),      CASE(writes_again),        CASE(ordered),
        CASE(by_mbarrier),     CASE(exits_early),          CASE(may_exit_early),      CASE(beyond_another),
        CASE(no_such_block),   CASE(one_does_not_come),    CASE(round_less),          CASE(waits_for_another),
        CASE(not_written),     CASE(written_by_another),   CASE(multicast_to_nobody), CASE(writes_together),
        CASE(write_the_same),  CASE(tail_awaited),         CASE(tail_not_awaited),    CASE(flag_awaited),
        CASE(arrives_late),    CASE(arrival_is_an_access), CASE(waits_for_a_word),    CASE(gives_up),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
