// expect: access_limit
// says: sector of 32 bytes was read
/* The windows are read in global memory, but in a copy of x. */
#include <math.h>

#include "common/check.h"
#include "right.h"

__global__ void global_kernel(const float *x, float *y, int n, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float largest = -INFINITY;
    for (int j = i - radius; i < n && j <= i + radius; j++) {
        largest = j >= 0 && j < n ? fmaxf(largest, x[j]) : largest;
    }
    if (i < n) {
        y[i] = largest;
    }
}

void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream) {
    float *copy;
    if (n == 0) {
        return;
    }
    CUDA_CHECK(cudaMallocAsync((void **)&copy, n * sizeof(float), stream));
    CUDA_CHECK(cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    global_kernel<<<(n + 127) / 128, 128, 0, stream>>>(copy, y, n, radius);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaFreeAsync(copy, stream));
}
