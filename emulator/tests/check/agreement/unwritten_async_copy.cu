// expect: uninitialized
// arch: sm_80
/* cp.async brings what was never written. */
#include "agreement.h"

#include <cuda_pipeline.h>

__global__ void kernel(int *x, int *y) {
    __shared__ int tile[BLOCK];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &x[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[i] = tile[i];
}

int main() {
    int *x = device_raw<int>(BLOCK), *y = device<int>(BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
