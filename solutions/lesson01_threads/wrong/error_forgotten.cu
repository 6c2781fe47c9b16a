// expect: api_error
/* The error is asked for, and then dropped: the caller will never hear of it. */
#include "common/check.h"
#include "right.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        saxpy_kernel<<<(n + 127) / 128, 128>>>(a, x, y, out, n);
        cudaGetLastError();
    }
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        cudaGetLastError();
    }
}
