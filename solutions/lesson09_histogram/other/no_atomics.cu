/* Bytes: counters of 16 bits for each thread, in its own bank, so that nobody else writes them; a warp is a block, and has so few bytes that no
 * counter gets full. Floats: lanes of a warp with the same bin make one atomic together. */
#include "common/check.h"

enum { BINS = 256, WARP = 32, BYTES_OF_A_THREAD = 512, BYTES_OF_A_BLOCK = WARP * BYTES_OF_A_THREAD, BLOCK = 256 };

__global__ void clear_kernel(unsigned *counts, int bins) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bins) {
        counts[b] = 0;
    }
}

/* Block k has the bytes from k * BYTES_OF_A_BLOCK on. */
__global__ void histogram_kernel(const unsigned char *x, int n, unsigned *counts) {
    __shared__ unsigned pairs[BINS / 2][WARP]; // the low half of a word is an even value's
    int lane = threadIdx.x;
    for (int p = 0; p < BINS / 2; p++) {
        pairs[p][lane] = 0;
    }
    long long first = (long long)blockIdx.x * BYTES_OF_A_BLOCK;
    for (int k = 0; k < BYTES_OF_A_THREAD; k++) {
        long long i = first + k * WARP + lane;
        if (i < n) {
            unsigned value = x[i];
            pairs[value / 2][lane] += value % 2 ? 1u << 16 : 1u;
        }
    }
    __syncwarp();
    for (int p = lane; p < BINS / 2; p += WARP) {
        unsigned even = 0, odd = 0;
        for (int k = 0; k < WARP; k++) {
            unsigned word = pairs[p][(p + k) % WARP];
            even += word & 0xffff;
            odd += word >> 16;
        }
        atomicAdd(&counts[2 * p], even);
        atomicAdd(&counts[2 * p + 1], odd);
    }
}

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    clear_kernel<<<1, BINS, 0, stream>>>(counts, BINS);
    CUDA_CHECK_LAUNCH();
    histogram_kernel<<<n / BYTES_OF_A_BLOCK + 1, WARP, 0, stream>>>(x, n, counts);
    CUDA_CHECK_LAUNCH();
}

__global__ void distribution_kernel(const float *x, int n, float low, float scale, int bins, unsigned *counts) {
    extern __shared__ unsigned own[];
    for (int b = threadIdx.x; b < bins; b += BLOCK) {
        own[b] = 0;
    }
    __syncthreads();
    int lane = threadIdx.x % WARP;
    for (int first = blockIdx.x * BLOCK + threadIdx.x - lane; first < n; first += gridDim.x * BLOCK) {
        int i = first + lane;
        float place = i < n ? (x[i] - low) * scale : -1.0f;
        int bin = place >= 0 && place < bins ? (int)place : bins;
        unsigned equal = __match_any_sync(0xffffffffu, bin);
        if (bin < bins && lane == __ffs(equal) - 1) {
            atomicAdd(&own[bin], __popc(equal));
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += BLOCK) {
        if (own[b]) {
            atomicAdd(&counts[b], own[b]);
        }
    }
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    clear_kernel<<<bins / BLOCK + 1, BLOCK, 0, stream>>>(counts, bins);
    CUDA_CHECK_LAUNCH();
    int blocks = n / 16384 + 1;
    blocks = blocks < 500 ? blocks : 500;
    distribution_kernel<<<blocks, BLOCK, 4 * bins, stream>>>(x, n, low, scale, bins, counts);
    CUDA_CHECK_LAUNCH();
}
