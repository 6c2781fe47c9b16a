// expect: access_limit
// says: 1 thread in 1 block wrote the result
/* Right, but one thread does it, eight elements at a time so that it takes few instructions; 16 other blocks are launched and do nothing. */
#include "common/check.h"

__global__ void idle() {}

__global__ void one_by_one(const float *x, int n, float low, float high, float *y, int *count) {
    int at = 0;
#pragma unroll 8
    for (int i = 0; i < n; i++) {
        float v = x[i];
        if (low <= v && v < high) {
            y[at++] = v;
        }
    }
    *count = at;
}

void compact(const float *x, int n, float low, float high, float *y, int *count, int *, cudaStream_t stream) {
    idle<<<16, 256, 0, stream>>>();
    CUDA_CHECK_LAUNCH();
    one_by_one<<<1, 1, 0, stream>>>(x, n, low, high, y, count);
    CUDA_CHECK_LAUNCH();
}
