// expect: none
// arch: sm_80
/* cuda::barrier between writing and reading. */
#include "agreement.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int i = threadIdx.x;
    if (i == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    tile[i] = x[i];
    barrier.arrive_and_wait();
    y[i] = tile[BLOCK - 1 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
