// expect: not_by_kernel
// says: read by kernels in the host's memory
/* The host computes, and a kernel reads the result in pinned memory. */
#include "common/check.h"
#include "host_works.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        const struct work *w = queue_the_host(a, x, y, n);
        carry<<<(n + 255) / 256, 256>>>(out, w->result, n);
        CUDA_CHECK_LAUNCH();
    }
}
