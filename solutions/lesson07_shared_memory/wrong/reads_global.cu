// expect: access_limit
/* Right, but every window is read from global memory. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };

__global__ void moving_max_kernel(const float *x, float *y, int n, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float largest = -INFINITY;
        for (int k = 0; k <= 2 * radius; k++) {
            int j = i - radius + k;
            largest = 0 <= j && j < n ? fmaxf(largest, x[j]) : largest;
        }
        y[i] = largest;
    }
}

void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    moving_max_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n, radius);
    CUDA_CHECK_LAUNCH();
}
