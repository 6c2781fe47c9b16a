// expect: api_error
// says: saxpy returned only after all earlier work in its stream had completed
/* Right, but it waits: a function of the host, queued behind the kernel, tells when it is done. */
#include "common/check.h"
#include "right.h"

static void set(void *flag) {
    *(volatile int *)flag = 1;
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    static volatile int done;
    done = 0;
    if (n > 0) {
        saxpy_kernel<<<(n + 127) / 128, 128>>>(a, x, y, out, n);
        CUDA_CHECK_LAUNCH();
    }
    CUDA_CHECK(cudaLaunchHostFunc(0, set, (void *)&done));
    while (!done) {
    }
}

void reverse(const float *in, float *out, int n) {
    if (n > 0) {
        reverse_kernel<<<(n + 127) / 128, 128>>>(in, out, n);
        CUDA_CHECK_LAUNCH();
    }
}
