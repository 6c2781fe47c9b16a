// expect: uninitialized
// arch: sm_90
/* A block reads what nobody has written of another one's shared memory. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) kernel(int *y) {
    __shared__ int values[BLOCK];
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() != 2)
        values[threadIdx.x] = threadIdx.x;
    cluster.sync();
    y[blockIdx.x * BLOCK + threadIdx.x] =
        1 + cluster.map_shared_rank(values, (cluster.block_rank() + 1) % 4)[threadIdx.x];
    cluster.sync();
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y);
    return finish();
}
