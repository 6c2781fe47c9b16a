// expect: api_error
/* The launcher waits for its kernels. */
#include "common/check.h"

#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    right_split(x, y, n, bit, sums, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
}
