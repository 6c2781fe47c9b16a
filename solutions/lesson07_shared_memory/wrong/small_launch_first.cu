// expect: access_limit
// says: sector of 32 bytes was read
/* The windows are read in global memory; a launch of one thread, which does nothing, comes first. */
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

__global__ void nothing_kernel() {}

void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream) {
    nothing_kernel<<<1, 1, 0, stream>>>();
    CUDA_CHECK_LAUNCH();
    if (n > 0) {
        global_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n, radius);
        CUDA_CHECK_LAUNCH();
    }
}
