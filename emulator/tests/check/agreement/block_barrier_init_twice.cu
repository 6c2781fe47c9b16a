// expect: launch_failure
// arch: sm_80
/* A cuda::barrier is initialized again while threads wait at it. */
#include "agreement.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>

__global__ void kernel(int *x, int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int i = threadIdx.x;
    if (i == 0)
        init(&barrier, 2 * blockDim.x);
    __syncthreads();
    x[i] = i;
    (void)barrier.arrive();
    __syncthreads();
    if (i == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    barrier.arrive_and_wait();
    y[i] = i;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
