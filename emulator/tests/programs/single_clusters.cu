// Thread block clusters of one block, which is what a launch without cluster dimensions makes: ranks, addresses, barriers.
// arch: sm_90
#include "program.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

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

int main() {
    static unsigned found[2 * BLOCK * 8], expected[2 * BLOCK * 8];
    static int values[BLOCK], right[BLOCK];
    unsigned *words = device_zeros<unsigned>(2 * BLOCK * 8);
    int *out = device_zeros<int>(BLOCK);

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

    return program_failures != 0;
}
