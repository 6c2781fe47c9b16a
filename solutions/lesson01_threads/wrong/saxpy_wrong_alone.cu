// expect: out_of_bounds
// says: ok      reverse, random input
/* Only saxpy's guard is wrong: reverse keeps its points. */
#include "common/check.h"

__global__ void saxpy_kernel(float a, const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        out[i] = a * x[i] + y[i];
    }
}

__global__ void reverse_kernel(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[n - 1 - i] = in[i];
    }
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        saxpy_kernel<<<(n + 127) / 128, 128>>>(a, x, y, out, n);
        CUDA_CHECK_LAUNCH();
    }
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
