// expect: none
// arch: sm_90
/* A histogram whose bins are shared out over the blocks of a cluster, by atomics. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) kernel(int *y) {
    __shared__ int bins[16];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    cluster.sync();
    int value = (blockIdx.x * BLOCK + threadIdx.x) * 7 % 64;
    atomicAdd(cluster.map_shared_rank(bins, value / 16) + value % 16, 1);
    cluster.sync();
    if (threadIdx.x < 16)
        y[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y);
    return finish();
}
