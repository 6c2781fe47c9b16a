// expect: access_limit
/* Both jobs right, but each warp does both channels, one after the other. */
#include <math.h>

#include "common/check.h"

#define ALL_LANES 0xffffffffu

__global__ void fill_forward_kernel(const float *x, float *y, unsigned *valid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v = i < n ? x[i] : NAN;
    unsigned here = __ballot_sync(ALL_LANES, !isnan(v));
    int source = 31 - __clz(here & ALL_LANES >> (31 - lane));
    float value = __shfl_sync(ALL_LANES, v, source);
    if (i < n) {
        y[i] = source < 0 ? 0.0f : value;
        if (lane == 0) {
            valid[i / 32] = here;
        }
    }
}

__global__ void two_channels_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float v = x[i];
    if (i % 2 == 0) {
        for (int round = 0; round < 48; round++) {
            v = v - 0.03125f * v * v * v;
        }
    } else {
        for (int round = 0; round < 48; round++) {
            v = v + 0.0625f * (copysignf(1.0f, v) - v);
        }
    }
    y[i] = v;
}

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    if (n > 0) {
        fill_forward_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, valid, n);
        CUDA_CHECK_LAUNCH();
    }
}

void two_channels(const float *x, float *y, int n, cudaStream_t stream) {
    if (n > 0) {
        two_channels_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
        CUDA_CHECK_LAUNCH();
    }
}
