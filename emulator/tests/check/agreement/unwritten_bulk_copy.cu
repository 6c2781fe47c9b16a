// expect: uninitialized
// arch: sm_90
/* cp.async.bulk brings what was never written. */
#include "agreement.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>

__global__ void kernel(int *x, int *y) {
    __shared__ alignas(16) int tile[BLOCK];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int i = threadIdx.x;
    if (i == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    if (i == 0)
        cuda::memcpy_async(tile, x, cuda::aligned_size_t<16>(sizeof tile), barrier);
    barrier.arrive_and_wait();
    y[i] = tile[i];
}

int main() {
    int *x = device_raw<int>(BLOCK), *y = device<int>(BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
