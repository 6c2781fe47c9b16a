// expect: launch_failure
// arch: sm_80
/* Shared memory is used for a cuda::barrier and for data at once. */
#include "agreement.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>

__global__ void kernel(int *x, int *y) {
    __shared__ alignas(8) int tile[BLOCK];
    auto *barrier = reinterpret_cast<cuda::barrier<cuda::thread_scope_block> *>(tile);
    int i = threadIdx.x;
    if (i == 0)
        init(barrier, blockDim.x);
    __syncthreads();
    tile[i] = x[i];
    __syncthreads();
    (void)barrier->arrive();
    y[i] = i;
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
