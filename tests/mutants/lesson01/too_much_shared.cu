// expect: launch_error
/* 400 KB of shared memory in a block: no GPU has that. */
#include "common/check.h"
#include "right.h"

__global__ void big_saxpy_kernel(float a, const float *x, const float *y, float *out, int n) {
    __shared__ float big[100000];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        big[i % 100000] = a * x[i] + y[i];
        out[i] = big[i % 100000];
    }
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        big_saxpy_kernel<<<(n + 127) / 128, 128>>>(a, x, y, out, n);
        CUDA_CHECK_LAUNCH();
    }
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
