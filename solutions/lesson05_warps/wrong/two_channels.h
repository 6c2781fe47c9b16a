/* The second job of exercise 05, done right, for files that are about the first. */
#include <math.h>

#include "common/check.h"

__global__ void two_channels_kernel(const float *x, float *y, int n) {
    int pair = blockIdx.x * 128 + threadIdx.x % 128;
    int i = 2 * pair + (threadIdx.x >= 128);
    if (i < n && threadIdx.x < 128) {
        float v = x[i];
        for (int round = 0; round < 48; round++) {
            v = v - 0.03125f * v * v * v;
        }
        y[i] = v;
    } else if (i < n) {
        float v = x[i];
        for (int round = 0; round < 48; round++) {
            v = v + 0.0625f * (copysignf(1.0f, v) - v);
        }
        y[i] = v;
    }
}

void two_channels(const float *x, float *y, int n, cudaStream_t stream) {
    if (n > 0) {
        two_channels_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
        CUDA_CHECK_LAUNCH();
    }
}
