// expect: wrong_result
/* All lanes with a sample are candidates, those behind the gap too. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };
#define ALL_LANES 0xffffffffu

__global__ void fill_forward_kernel(const float *x, float *y, unsigned *valid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float v = i < n ? x[i] : NAN;
    unsigned here = __ballot_sync(ALL_LANES, !isnan(v));
    unsigned up_to_me = here;
    int source = 31 - __clz(up_to_me);
    float value = __shfl_sync(ALL_LANES, v, source);
    value = source < 0 ? 0.0f : value;
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
