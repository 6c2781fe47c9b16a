// expect: access_limit
// says: each sample was read 2.0 times
/* A thread reads the samples of both channels, and needs one. */
#include <math.h>

#include "common/check.h"
#include "right.h"

__global__ void both_read_kernel(const volatile float *x, float *y, int n) {
    int half = blockDim.x / 2, right = threadIdx.x / half;
    int pair = blockIdx.x * half + threadIdx.x % half;
    float l = 2 * pair < n ? x[2 * pair] : 0, r = 2 * pair + 1 < n ? x[2 * pair + 1] : 0;
    if (2 * pair + right < n) {
        y[2 * pair + right] = right ? widen(r) : soften(l);
    }
}

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    right_fill_forward(x, y, valid, n, stream);
}

void two_channels(const float *x, float *y, int n, cudaStream_t stream) {
    if (n > 0) {
        both_read_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
        CUDA_CHECK_LAUNCH();
    }
}
