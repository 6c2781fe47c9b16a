// expect: access_limit
// says: more than half
/* A single block counts; a large grid is launched as well, and has nothing to do. */
#include "common/check.h"
#include "right.h"

__global__ void nothing_kernel() {}

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    nothing_kernel<<<64, BLOCK, 0, stream>>>();
    CUDA_CHECK_LAUNCH();
    clear_kernel<<<1, BINS, 0, stream>>>(counts, BINS);
    CUDA_CHECK_LAUNCH();
    histogram_kernel<<<1, BLOCK, 0, stream>>>(x, n, counts);
    CUDA_CHECK_LAUNCH();
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    right_distribution(x, n, low, scale, bins, counts, stream);
}
