// expect: access_limit
// says: atomics in shared memory took
/* One copy of the counters where the array is not long. */
#include "common/check.h"
#include "right.h"

__global__ void one_copy_kernel(const unsigned char *x, int n, unsigned *counts) {
    __shared__ unsigned own[BINS];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        atomicAdd(&own[x[i]], 1);
    }
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    if (n >= 1 << 18) {
        right_histogram(x, n, counts, stream);
        return;
    }
    clear_kernel<<<1, BINS, 0, stream>>>(counts, BINS);
    CUDA_CHECK_LAUNCH();
    one_copy_kernel<<<blocks_for(n, 4096), BLOCK, 0, stream>>>(x, n, counts);
    CUDA_CHECK_LAUNCH();
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    right_distribution(x, n, low, scale, bins, counts, stream);
}
