// expect: race
/* Through shared memory: a lane reads what another one writes, and nothing says that it has. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };
#define ALL_LANES 0xffffffffu

__global__ void fill_forward_kernel(const float *x, float *y, unsigned *valid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float v = i < n ? x[i] : NAN;
    unsigned here = __ballot_sync(ALL_LANES, !isnan(v));
    __shared__ volatile float samples[BLOCK];
    samples[threadIdx.x] = v;
    unsigned up_to_me = here & ALL_LANES >> (31 - lane);
    float value = up_to_me ? samples[threadIdx.x - lane + 31 - __clz(up_to_me)] : 0.0f;
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
