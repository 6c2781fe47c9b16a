// expect: access_limit
// says: sector of 32 bytes was read
/* A tile only where the array is long. */
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
    if (n == 0 || n >= 50000) {
        right_moving_max(x, y, n, radius, stream);
        return;
    }
    global_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n, radius);
    CUDA_CHECK_LAUNCH();
}
