// expect: none
// arch: sm_80
/* Threads leave a cuda::barrier for good, and the others go on with it. */
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
    if (i >= 16) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    y[i] = x[i + 16];
    barrier.arrive_and_wait();
    x[i + 16] = y[15 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
