// expect: race
/* A grid-stride loop over tiles: the next one is loaded while other warps still read this one. */
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
