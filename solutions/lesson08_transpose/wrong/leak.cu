// expect: api_error
// says: it uses more memory with each call
/* A word for each call, which nobody frees. */
#include "common/check.h"
#include "right.h"

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    void *word;
    CUDA_CHECK(cudaMallocAsync(&word, 4, stream));
    right_transpose(in, out, count, rows, cols, stream);
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    right_transpose_in_place(x, n, stream);
}
