// expect: none
// arch: sm_90
/* Each block reads what the next one of its cluster has written; a barrier of the cluster before and after. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) kernel(int *y) {
    __shared__ int values[BLOCK];
    auto cluster = cg::this_cluster();
    values[threadIdx.x] = threadIdx.x;
    cluster.sync();
    y[blockIdx.x * BLOCK + threadIdx.x] =
        cluster.map_shared_rank(values, (cluster.block_rank() + 1) % 4)[BLOCK - 1 - threadIdx.x];
    cluster.sync();
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y);
    return finish();
}
