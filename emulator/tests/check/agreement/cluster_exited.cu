// expect: launch_failure
// arch: sm_90
/* A block has exited long before another one reads its shared memory. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) kernel(int *y) {
    __shared__ int values[BLOCK];
    auto cluster = cg::this_cluster();
    values[threadIdx.x] = threadIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 0)
        return;
    for (int i = 0; i < 100; i++)
        __nanosleep(10000);
    cluster.sync();
    y[blockIdx.x * BLOCK + threadIdx.x] = cluster.map_shared_rank(values, 0)[threadIdx.x];
    cluster.sync();
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y);
    return finish();
}
