// expect: race
// arch: sm_80
/* Threads use a cuda::barrier that may not be initialized yet. */
#include "agreement.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>

__global__ void kernel(int *x, int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int i = threadIdx.x;
    if (i == 0)
        init(&barrier, blockDim.x);
    y[i] = x[i];
    barrier.arrive_and_wait();
    x[i] = y[i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
