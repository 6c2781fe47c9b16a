// expect: api_error
// says: it uses more memory with each call
/* A word for each call, which nobody frees. */
#include "common/check.h"
#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, unsigned long long *words, cudaStream_t stream) {
    void *word;
    CUDA_CHECK(cudaMallocAsync(&word, 4, stream));
    right_split(x, y, n, bit, words, stream);
}
