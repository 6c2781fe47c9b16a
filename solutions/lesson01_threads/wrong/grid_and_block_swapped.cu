// expect: launch_error
/* Grid and block exchanged: blocks of as many threads as there should be blocks. Up to 131072 elements nobody notices. */
#include "common/check.h"
#include "right.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        saxpy_kernel<<<128, (n + 127) / 128>>>(a, x, y, out, n);
        CUDA_CHECK_LAUNCH();
    }
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<128, (n + 127) / 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
