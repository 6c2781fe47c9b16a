// expect: race
// arch: sm_90
/* A barrier of the block, where the whole cluster has to wait: the next block may not have written yet. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) kernel(int *y) {
    __shared__ int values[BLOCK];
    auto cluster = cg::this_cluster();
    cluster.sync();
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[blockIdx.x * BLOCK + threadIdx.x] =
        cluster.map_shared_rank(values, (cluster.block_rank() + 1) % 4)[BLOCK - 1 - threadIdx.x];
    cluster.sync();
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y);
    return finish();
}
