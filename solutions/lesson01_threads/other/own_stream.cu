// expect: pass
/* Written differently: saxpy in a stream of its own that events join to the caller's, reverse by cudaLaunchKernel. */
#include "common/check.h"
#include "../wrong/right.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    static cudaStream_t own;
    static cudaEvent_t before, after;
    if (n == 0) {
        return;
    }
    if (!own) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&before, cudaEventDisableTiming));
        CUDA_CHECK(cudaEventCreateWithFlags(&after, cudaEventDisableTiming));
    }
    CUDA_CHECK(cudaEventRecord(before, 0));
    CUDA_CHECK(cudaStreamWaitEvent(own, before, 0));
    saxpy_kernel<<<(n + 127) / 128, 128, 0, own>>>(a, x, y, out, n);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaEventRecord(after, own));
    CUDA_CHECK(cudaStreamWaitEvent(0, after, 0));
}

void reverse(const float *in, float *out, int n) {
    void *arguments[] = {&in, &out, &n};
    if (n > 0) {
        CUDA_CHECK(cudaLaunchKernel((const void *)reverse_kernel, dim3((n + 255) / 256), dim3(256), arguments, 0, 0));
    }
}
