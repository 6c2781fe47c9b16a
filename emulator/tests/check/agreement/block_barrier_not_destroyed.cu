// expect: none
// arch: sm_80
/* The same without a destructor: no phase is open. */
#include "agreement.h"

#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>

__global__ void kernel(int *x, int *y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int i = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        if (i == 0)
            init(&barrier, blockDim.x);
        __syncthreads();
        x[i] = i;
        barrier.arrive_and_wait();
        y[i] = x[BLOCK - 1 - i];
        __syncthreads();
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
