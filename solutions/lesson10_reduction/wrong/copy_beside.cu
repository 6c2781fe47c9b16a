// expect: access_limit
// says: operations into the stream
/* The launch is right, and a copy comes before it. */
#include <math.h>

#include "common/check.h"
#include "right.h"

void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyAsync(result, partial, 2 * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    right_summarize(x, result, n, partial, done, stream);
}
