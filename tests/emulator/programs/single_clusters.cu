// Thread block clusters of one block, which is what a launch without cluster dimensions makes: ranks, addresses, barriers, and
// stores and reductions into the cluster's shared memory that an mbarrier counts.
// arch: sm_90
#include "program.h"
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define BLOCK 96

static __global__ void ranks(unsigned *out) {
    cg::cluster_group cluster = cg::this_cluster();
    unsigned *mine = out + 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    __shared__ int shared[BLOCK];
    mine[0] = cluster.block_rank();
    mine[1] = cluster.num_blocks();
    mine[2] = cluster.thread_rank() - threadIdx.x;
    mine[3] = cluster.num_threads();
    mine[4] = cluster.query_shared_rank(shared);
    mine[5] = cluster.map_shared_rank(shared, 0) == shared;
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(mine[6]));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(mine[7]));
}

// Each thread reads what another wrote before the cluster's barrier, twice.
static __global__ void neighbours(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ int shared[BLOCK];
    int *all = cluster.map_shared_rank(shared, 0);
    shared[threadIdx.x] = 3 * threadIdx.x;
    cluster.sync();
    int next = all[(threadIdx.x + 33) % BLOCK];
    cluster.barrier_arrive();
    out[threadIdx.x] = next;
    cluster.barrier_wait();
    shared[threadIdx.x] = next + 1;
    cluster.sync();
    out[threadIdx.x] += 1000 * all[(threadIdx.x + 1) % BLOCK];
}

// One warp has arrived long before the other waits, and goes on; some threads leave early.
static __global__ void late(int *out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x >= 64)
        return;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    if (threadIdx.x < 32) {
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        if (threadIdx.x == 0)
            flag = 7;
    } else {
        while (flag != 7)
            ;
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
    out[threadIdx.x] = flag;
}

// Stores and sums arrive at an mbarrier, 16 bytes and 4 bytes a thread.
static __global__ void async(int *out) {
    __shared__ alignas(16) int stored[4 * BLOCK];
    __shared__ unsigned sums[BLOCK];
    __shared__ uint64_t barrier;
    int i = threadIdx.x, other = BLOCK - 1 - i;
    sums[i] = 5 * i;
    if (i == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cg::this_cluster().sync();
    if (i == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 20 * BLOCK);
    const int four[4] = {i, i + 1, i + 2, i + 3};
    ptx::st_async(&stored[4 * other], four, &barrier);
    ptx::red_async(ptx::op_add, &sums[other], (uint32_t)i, &barrier);
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
        ;
    out[i] = stored[4 * i] + 1000 * stored[4 * i + 3];
    out[BLOCK + i] = sums[i];
}

int main() {
    static unsigned found[2 * BLOCK * 8], expected[2 * BLOCK * 8];
    static int values[2 * BLOCK], right[2 * BLOCK];
    unsigned *words = device_zeros<unsigned>(2 * BLOCK * 8);
    int *out = device_zeros<int>(2 * BLOCK);

    ranks<<<2, BLOCK>>>(words);
    FINISH();
    from_device(found, words, 2 * BLOCK * 8);
    for (int i = 0; i < 2 * BLOCK; i++) {
        const unsigned mine[8] = {0, 1, 0, BLOCK, 0, 1, (unsigned)i / BLOCK, 2};
        memcpy(expected + 8 * i, mine, sizeof mine);
    }
    check_equal("ranks", expected, found, 2 * BLOCK * 8);

    neighbours<<<1, BLOCK>>>(out);
    FINISH();
    from_device(values, out, BLOCK);
    for (int i = 0; i < BLOCK; i++)
        right[i] = 3 * ((i + 33) % BLOCK) + 1000 * (3 * ((i + 34) % BLOCK) + 1);
    check_equal("barriers", right, values, BLOCK);

    late<<<1, BLOCK>>>(out);
    FINISH();
    from_device(values, out, 64);
    for (int i = 0; i < 64; i++)
        right[i] = 7;
    check_equal("arriving without waiting", right, values, 64);

    async<<<1, BLOCK>>>(out);
    FINISH();
    from_device(values, out, 2 * BLOCK);
    for (int i = 0; i < BLOCK; i++) {
        int other = BLOCK - 1 - i;
        right[i] = other + 1000 * (other + 3);
        right[BLOCK + i] = 5 * i + other;
    }
    check_equal("st.async and red.async", right, values, 2 * BLOCK);
    return program_failures != 0;
}
