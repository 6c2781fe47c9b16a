// expect: race
// arch: sm_90
/* Threads store into the next block's shared memory and arrive at its mbarrier; that reads without having waited. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static __device__ uint32_t mapped(const void *p, uint32_t rank) {
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((uint32_t)__cvta_generic_to_shared(p)), "r"(rank));
    return there;
}

__global__ void __cluster_dims__(4) kernel(int *y) {
    __shared__ int values[BLOCK];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    uint32_t next = (cluster.block_rank() + 1) % 4;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1; fence.mbarrier_init.release.cluster;" ::"r"(
                         (uint32_t)__cvta_generic_to_shared(&full)),
                     "r"(BLOCK)
                     : "memory");
    cluster.sync();
    cluster.map_shared_rank(values, next)[threadIdx.x] = threadIdx.x;
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapped(&full, next)) : "memory");
    y[blockIdx.x * BLOCK + threadIdx.x] = values[BLOCK - 1 - threadIdx.x];
    cluster.sync();
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y);
    return finish();
}
