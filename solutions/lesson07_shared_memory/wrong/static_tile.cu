// expect: out_of_bounds
/* A tile of a fixed length: long enough for a radius of 16. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };

__global__ void moving_max_kernel(const float *x, float *y, int n, int radius) {
    __shared__ float tile[BLOCK + 2 * 16];
    int first = blockIdx.x * blockDim.x - radius;
    int length = blockDim.x + 2 * radius;
    for (int t = threadIdx.x; t < length; t += blockDim.x) {
        int j = first + t;
        tile[t] = 0 <= j && j < n ? x[j] : -INFINITY;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float largest = -INFINITY;
        for (int k = 0; k <= 2 * radius; k++) {
            largest = fmaxf(largest, tile[threadIdx.x + k]);
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
