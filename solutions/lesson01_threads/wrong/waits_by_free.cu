// expect: api_error
// says: called cudaFree, which waits
/* Right, but cudaFree waits for the device. */
#include "common/check.h"
#include "right.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    void *scratch;
    CUDA_CHECK(cudaMalloc(&scratch, 256));
    if (n > 0) {
        saxpy_kernel<<<(n + 127) / 128, 128>>>(a, x, y, out, n);
        CUDA_CHECK_LAUNCH();
    }
    CUDA_CHECK(cudaFree(scratch));
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
