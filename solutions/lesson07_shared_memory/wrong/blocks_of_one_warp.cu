// expect: access_limit
// says: sector of 32 bytes was read
/* Blocks of 8 threads, which read their windows in global memory: a block has hardly more outputs than one. */
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
    if (n > 0) {
        global_kernel<<<(n + 7) / 8, 8, 0, stream>>>(x, y, n, radius);
        CUDA_CHECK_LAUNCH();
    }
}
