// expect: access_limit
// says: a single block of one_block_saxpy wrote more than half
/* Right, but one block does all of it, after more launches than are shown, which do nothing. */
#include "common/check.h"
#include "right.h"

__global__ void one_block_saxpy(float a, const float *x, const float *y, float *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = a * x[i] + y[i];
    }
}

__global__ void idle_kernel(float *) {}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    for (int i = 0; n >= 65536 && i < 64; i++) {
        idle_kernel<<<64, 128>>>(out);
    }
    one_block_saxpy<<<1, 1024>>>(a, x, y, out, n);
    CUDA_CHECK_LAUNCH();
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
