// expect: misaligned
/* Pairs of floats where x is aligned for them; y may lie elsewhere. */
#include <math.h>

#include "common/check.h"
#include "right.h"

__global__ void pairs_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float2 v = ((const float2 *)x)[i];
        ((float2 *)y)[i] = make_float2(soften(v.x), widen(v.y));
    }
    if (i == 0 && n % 2) {
        y[n - 1] = soften(x[n - 1]);
    }
}

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    right_fill_forward(x, y, valid, n, stream);
}

void two_channels(const float *x, float *y, int n, cudaStream_t stream) {
    if ((size_t)x % sizeof(float2) || n == 0) {
        right_two_channels(x, y, n, stream);
        return;
    }
    pairs_kernel<<<(n / 2 + BLOCK) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
