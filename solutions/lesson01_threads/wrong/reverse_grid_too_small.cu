// expect: stale_output
// says: element 0 is written by thread 103 of block 7, which was not launched
/* saxpy is right, and reverse has a block too few. Its first elements are missing, not its last ones. */
#include "common/check.h"
#include "right.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        saxpy_kernel<<<(n + 127) / 128, 128>>>(a, x, y, out, n);
        CUDA_CHECK_LAUNCH();
    }
}

void reverse(const float *in, float *out, int n) {
    if (n / 128 > 0) {
        reverse_kernel<<<n / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
