// expect: race
// arch: sm_90
/* The loop has no barrier of the cluster at its end: a block may write again while the one before still reads. */
#include "agreement.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) kernel(int *y) {
    __shared__ int values[BLOCK];
    auto cluster = cg::this_cluster();
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        values[threadIdx.x] = threadIdx.x + i;
        cluster.sync();
        sum += cluster.map_shared_rank(values, (cluster.block_rank() + 1) % 4)[threadIdx.x];
    }
    y[blockIdx.x * BLOCK + threadIdx.x] = sum;
    cluster.sync();
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<4, BLOCK>>>(y);
    return finish();
}
