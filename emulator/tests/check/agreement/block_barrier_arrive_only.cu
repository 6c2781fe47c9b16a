// expect: none
// arch: sm_80
/* One warp arrives in every phase and never waits, the other waits. */
#include "agreement.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[32];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    int i = threadIdx.x;
    if (i == 0)
        init(&full, blockDim.x);
    __syncthreads();
    if (i >= 32) {
        tile[i - 32] = x[i];
        (void)full.arrive();
        return;
    }
    full.arrive_and_wait();
    y[i] = tile[31 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
