// expect: none
// arch: sm_80
/* Asynchronous copies, waited for, then a barrier. */
#include "agreement.h"

#include <cuda_pipeline.h>

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &x[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[i] = tile[BLOCK - 1 - i];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
