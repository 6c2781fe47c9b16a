// expect: api_error
// says: it uses more memory with each call
/* A word for each call, which nobody frees. */
#include <math.h>

#include "common/check.h"
#include "right.h"

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    void *word;
    CUDA_CHECK(cudaMallocAsync(&word, 4, stream));
    right_fill_forward(x, y, valid, n, stream);
}

void two_channels(const float *x, float *y, int n, cudaStream_t stream) {
    right_two_channels(x, y, n, stream);
}
