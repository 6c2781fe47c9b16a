// expect: access_limit
// says: a single block of summarize_kernel
/* Right, and a single block reads everything. */
#include <math.h>

#include "common/check.h"
#include "right.h"

void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream) {
    summarize_kernel<<<1, BLOCK, 0, stream>>>(x, result, n, partial, done);
    CUDA_CHECK_LAUNCH();
}
