// expect: race
// arch: sm_90
/* No barrier behind the last access to another block: that may have exited, and its shared memory with it. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) kernel(int *y) {
    __shared__ int values[BLOCK];
    auto cluster = cg::this_cluster();
    values[threadIdx.x] = threadIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 3)
        y[threadIdx.x] = cluster.map_shared_rank(values, 0)[threadIdx.x];
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y);
    return finish();
}
