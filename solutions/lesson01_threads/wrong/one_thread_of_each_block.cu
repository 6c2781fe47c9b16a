// expect: access_limit
// says: 100 threads in 100 blocks wrote the result
/* Right, but of each block one thread does all of it, and the others look on; after more launches than are shown, which do nothing. */
#include "common/check.h"
#include "right.h"

__global__ void first_threads_saxpy(float a, const float *x, const float *y, float *out, int n) {
    for (int i = blockIdx.x; threadIdx.x == 0 && i < n; i += gridDim.x) {
        out[i] = a * x[i] + y[i];
    }
}

__global__ void idle_kernel(float *) {}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    for (int i = 0; n >= 65536 && i < 64; i++) {
        idle_kernel<<<64, 128>>>(out);
    }
    first_threads_saxpy<<<100, 128>>>(a, x, y, out, n);
    CUDA_CHECK_LAUNCH();
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
