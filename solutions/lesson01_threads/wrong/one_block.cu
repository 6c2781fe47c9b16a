// expect: access_limit
// says: a single block of one_block_saxpy wrote more than half
/* Right, but one block does all of it. */
#include "common/check.h"
#include "right.h"

__global__ void one_block_saxpy(float a, const float *x, const float *y, float *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = a * x[i] + y[i];
    }
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    one_block_saxpy<<<1, 1024>>>(a, x, y, out, n);
    CUDA_CHECK_LAUNCH();
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
