/* Each block leaves its counts in an array of their own, and a second kernel adds them up: no atomics in global memory at all, and nothing to clear. */
#include "common/check.h"

enum { BINS = 256, WARP = 32, BLOCK = 256, BLOCKS_MAX = 128, BINS_MAX = 8192 };

__device__ unsigned partial[BLOCKS_MAX * BINS_MAX]; // of block k: from k * bins on

static int blocks_for(int n, int each) {
    int blocks = (int)(((long long)n + each - 1) / each);
    return blocks > BLOCKS_MAX ? BLOCKS_MAX : blocks > 0 ? blocks : 1;
}

/* A warp for each bin would read words far apart; a thread for each bin reads as its neighbours do. */
__global__ void add_up_kernel(unsigned *counts, int bins, int blocks) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bins) {
        unsigned sum = 0;
        for (int k = 0; k < blocks; k++) {
            sum += partial[k * bins + b];
        }
        counts[b] = sum;
    }
}

__global__ void histogram_kernel(const unsigned char *x, int n) {
    __shared__ unsigned copies[BINS * WARP];
    unsigned *mine = copies + threadIdx.x % WARP;
    for (int i = threadIdx.x; i < BINS * WARP; i += blockDim.x) {
        copies[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(mine + x[i] * WARP, 1u);
    }
    __syncthreads();
    int lane = threadIdx.x % WARP;
    for (int b = threadIdx.x / WARP; b < BINS; b += blockDim.x / WARP) {
        unsigned sum = mine[b * WARP];
        for (int step = 1; step < WARP; step *= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        }
        if (lane == 0) {
            partial[blockIdx.x * BINS + b] = sum;
        }
    }
}

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    int blocks = blocks_for(n, 1 << 16);
    histogram_kernel<<<blocks, BLOCK, 0, stream>>>(x, n);
    CUDA_CHECK_LAUNCH();
    add_up_kernel<<<1, BINS, 0, stream>>>(counts, BINS, blocks);
    CUDA_CHECK_LAUNCH();
}

__global__ void distribution_kernel(const float *x, int n, float low, float scale, int bins) {
    extern __shared__ unsigned own[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        own[b] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float place = (x[i] - low) * scale;
        if (isfinite(place) && place >= 0.0f) {
            unsigned bin = (unsigned)place;
            if (bin < bins) {
                atomicInc(&own[bin], 0xffffffffu);
            }
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        partial[blockIdx.x * bins + b] = own[b];
    }
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    int blocks = blocks_for(n, 1 << 14);
    distribution_kernel<<<blocks, BLOCK, bins * sizeof(unsigned), stream>>>(x, n, low, scale, bins);
    CUDA_CHECK_LAUNCH();
    add_up_kernel<<<(bins + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(counts, bins, blocks);
    CUDA_CHECK_LAUNCH();
}
