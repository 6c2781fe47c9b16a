// expect: launch_failure
// arch: sm_80
/* More threads arrive at a cuda::barrier than it was initialized for. */
#include "agreement.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>

__global__ void kernel(int *x, int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int i = threadIdx.x;
    if (i == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    x[i] = i;
    if (i < 2)
        (void)barrier.arrive(50);
    y[i] = i;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
