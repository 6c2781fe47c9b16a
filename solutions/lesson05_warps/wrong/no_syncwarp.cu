// expect: race
/* Through shared memory instead of a shuffle, with nothing between the lanes' writes and their neighbours' reads. The lanes of
 * a warp often run together, and then the result is right. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };
#define ALL_LANES 0xffffffffu

__global__ void fill_forward_kernel(const float *x, float *y, unsigned *valid, int n) {
    __shared__ float samples[BLOCK / 32][32];
    __shared__ unsigned words[BLOCK / 32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) {
        words[warp] = 0;
    }
    __syncwarp();
    if (i < n && !isnan(x[i])) {
        samples[warp][lane] = x[i];
        atomicOr(&words[warp], 1u << lane);
    }
    if (i >= n) {
        return;
    }
    unsigned candidates = words[warp] << (31 - lane);
    y[i] = candidates ? samples[warp][lane - __clz(candidates)] : 0.0f;
    if (lane == 0) {
        valid[i / 32] = words[warp];
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
