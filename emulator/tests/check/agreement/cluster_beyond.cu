// expect: out_of_bounds
// arch: sm_90
/* An index beyond another block's shared memory. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) kernel(int *y, int beyond) {
    __shared__ int values[BLOCK];
    auto cluster = cg::this_cluster();
    values[threadIdx.x] = threadIdx.x;
    cluster.sync();
    cluster.map_shared_rank(values, (cluster.block_rank() + 1) % 4)[threadIdx.x + beyond] = 1;
    cluster.sync();
    y[blockIdx.x * BLOCK + threadIdx.x] = values[threadIdx.x];
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y, 60000);
    return finish();
}
