// expect: wrong_result
// says: where are they cleared?
/* The additions go on top of what counts held before. */
#include "common/check.h"

enum { BINS = 256, WARP = 32, BLOCK = 256 };
enum { BYTES_OF_A_BLOCK = 1 << 16, FLOATS_OF_A_BLOCK = 1 << 14, BLOCKS_MAX = 1024 };

/* As many blocks as n elements are worth, if a block has about `each` of them. */
static int blocks_for(int n, int each) {
    int blocks = n / each + 1;
    return blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
}

/* A thread for each bin. Where it is launched before another kernel, in the same stream, it is done before that begins. */
__global__ void clear_kernel(unsigned *counts, int bins) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bins) {
        counts[b] = 0;
    }
}

// ---------------------------------------------------------------- bytes

/* Any grid of blocks of BLOCK threads; counts are 0 before. */
__global__ void histogram_kernel(const unsigned char *x, int n, unsigned *counts) {
    __shared__ unsigned copies[BINS][WARP];
    for (int i = threadIdx.x; i < BINS * WARP; i += BLOCK) {
        copies[0][i] = 0;
    }
    __syncthreads();

    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        atomicAdd(&copies[x[i]][threadIdx.x % WARP], 1);
    }

    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (int k = 0; k < WARP; k++) {
            sum += copies[b][(b + k) % WARP];
        }
        atomicAdd(&counts[b], sum);
    }
}

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    histogram_kernel<<<blocks_for(n, BYTES_OF_A_BLOCK), BLOCK, 0, stream>>>(x, n, counts);
    CUDA_CHECK_LAUNCH();
}

// ---------------------------------------------------------------- floats

/* The bin of x, or -1 where it has none. */
__device__ int bin_of(float x, float low, float scale, int bins) {
    float place = (x - low) * scale;
    return place >= 0.0f && place < bins ? (int)place : -1; // NaN: no comparison with it is true
}

/* Any grid of blocks of BLOCK threads; `bins` words of dynamic shared memory; counts are 0 before. */
__global__ void distribution_kernel(const float *x, int n, float low, float scale, int bins, unsigned *counts) {
    extern __shared__ unsigned own[];
    for (int b = threadIdx.x; b < bins; b += BLOCK) {
        own[b] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        int b = bin_of(x[i], low, scale, bins);
        if (b >= 0) {
            atomicAdd(&own[b], 1);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += BLOCK) {
        atomicAdd(&counts[b], own[b]);
    }
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    clear_kernel<<<(bins + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(counts, bins);
    CUDA_CHECK_LAUNCH();
    int blocks = blocks_for(n, FLOATS_OF_A_BLOCK);
    distribution_kernel<<<blocks, BLOCK, bins * sizeof(unsigned), stream>>>(x, n, low, scale, bins, counts);
    CUDA_CHECK_LAUNCH();
}
