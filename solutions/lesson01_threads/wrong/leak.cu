// expect: api_error
// says: it uses more memory with each call
/* Memory that nothing uses, allocated in each call and never freed. */
#include "common/check.h"
#include "right.h"

enum { BLOCK = 128 };

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    float *unused;
    CUDA_CHECK(cudaMalloc((void **)&unused, 1000));
    if (n > 0) {
        saxpy_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, x, y, out, n);
        CUDA_CHECK_LAUNCH();
    }
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
