// expect: api_error
// says: it uses more memory with each call
/* A word for each call, which nobody frees. */
#include "common/check.h"
#include "right.h"

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    void *word;
    CUDA_CHECK(cudaMallocAsync(&word, 4, stream));
    right_histogram(x, n, counts, stream);
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    right_distribution(x, n, low, scale, bins, counts, stream);
}
