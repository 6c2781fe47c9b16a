/* A few blocks go over all tiles, so there is a second barrier: before the next tile is loaded. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };

__global__ void moving_max_kernel(const float *x, float *y, int n, int radius) {
    extern __shared__ float tile[];
    int length = blockDim.x + 2 * radius;
    for (int begin = blockIdx.x * blockDim.x; begin < n; begin += gridDim.x * blockDim.x) {
        for (int t = threadIdx.x; t < length; t += blockDim.x) {
            int j = begin - radius + t;
            tile[t] = 0 <= j && j < n ? x[j] : -INFINITY;
        }
        __syncthreads();
        int i = begin + threadIdx.x;
        if (i < n) {
            float largest = -INFINITY;
            for (int k = 0; k <= 2 * radius; k++) {
                largest = fmaxf(largest, tile[threadIdx.x + k]);
            }
            y[i] = largest;
        }
        __syncthreads(); // the next round replaces what others may still be reading
    }
}

void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = n < 4 * BLOCK ? 1 : 4;
    size_t bytes = (BLOCK + 2 * radius) * sizeof(float);
    moving_max_kernel<<<blocks, BLOCK, bytes, stream>>>(x, y, n, radius);
    CUDA_CHECK_LAUNCH();
}
