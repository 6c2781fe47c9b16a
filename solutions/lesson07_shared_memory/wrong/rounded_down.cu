// expect: stale_output
/* The number of blocks is rounded down: the last outputs have no thread. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };

__global__ void moving_max_kernel(const float *x, float *y, int n, int radius) {
    extern __shared__ float tile[];
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
    int blocks = n / BLOCK > 0 ? n / BLOCK : 1;
    size_t bytes = (BLOCK + 2 * radius) * sizeof(float);
    moving_max_kernel<<<blocks, BLOCK, bytes, stream>>>(x, y, n, radius);
    CUDA_CHECK_LAUNCH();
}
