// expect: api_error
/* Nobody asks whether the launch has failed. */
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

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    if (n > 0) {
        fill_forward_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, valid, n);
    }
}

#include "two_channels.h"
