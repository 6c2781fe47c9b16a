// expect: api_error
// says: a launch failed (the grader injected cudaErrorInvalidValue), and saxpy did not report it
/* Nobody asks whether the launches have failed. */
#include "common/check.h"
#include "right.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        saxpy_kernel<<<(n + 127) / 128, 128>>>(a, x, y, out, n);
    }
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
    }
}
