// expect: wrong_result
// says: was it copied, or computed with?
/* Adds 0 to what it moves: that makes 0.0 of -0.0. */
#include "common/check.h"
#include "right.h"

enum { BLOCK = 128 };

__global__ void scaled_reverse_kernel(float zero, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[n - 1 - i] = in[i] + zero;
    }
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        saxpy_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, x, y, out, n);
        CUDA_CHECK_LAUNCH();
    }
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        scaled_reverse_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(0.0f, in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
