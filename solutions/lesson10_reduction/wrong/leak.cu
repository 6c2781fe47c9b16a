// expect: api_error
// says: it uses more memory with each call
/* A word for each call, which nobody frees. */
#include <math.h>

#include "common/check.h"
#include "right.h"

void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream) {
    void *word;
    CUDA_CHECK(cudaMallocAsync(&word, 4, stream));
    right_summarize(x, result, n, partial, done, stream);
}
