// expect: access_limit
// says: one block works at a time
/* Right, but every launch is a single block, and one runs after the other. */
#include "common/check.h"
#include "right.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    for (int at = 0; at < n; at += 1024) {
        saxpy_kernel<<<1, 1024>>>(a, x + at, y + at, out + at, n - at);
    }
    CUDA_CHECK_LAUNCH();
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
