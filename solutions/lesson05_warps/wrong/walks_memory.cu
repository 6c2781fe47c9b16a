// expect: access_limit
/* Right, but each thread walks back through memory until it finds a sample. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };
#define ALL_LANES 0xffffffffu

__global__ void fill_forward_kernel(const float *x, float *y, unsigned *valid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float v = i < n ? x[i] : NAN;
    unsigned here = __ballot_sync(ALL_LANES, !isnan(v));
    float value = v;
    for (int k = i; k > i - lane && isnan(value) && i < n; k--) {
        value = x[k - 1];
    }
    value = isnan(value) ? 0.0f : value;
    if (i < n) {
        y[i] = value;
        if (lane == 0) {
            valid[i / 32] = here;
        }
    }
}

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    fill_forward_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, valid, n);
    CUDA_CHECK_LAUNCH();
}

#include "two_channels.h"
