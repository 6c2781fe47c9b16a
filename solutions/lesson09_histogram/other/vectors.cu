/* 16 bytes with a load; 64 copies, so that a byte of the input becomes a byte of the address; four equal bytes at once. For floats, a copy of the
 * counters for each warp where they fit. */
#include <stdint.h>

#include "common/check.h"

enum { BINS = 256, WARP = 32, BLOCK = 512, COPIES = 64, ROW = COPIES * 4, BYTES = BINS * ROW };

static int multiprocessors(void) {
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

static int blocks_for(int n, int each, int most) {
    int blocks = n / each + 1;
    return blocks < most ? blocks : most;
}

__global__ void clear_kernel(unsigned *counts, int bins) {
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < bins; b += gridDim.x * blockDim.x) {
        counts[b] = 0;
    }
}

__global__ void histogram_kernel(const unsigned char *x, int n, unsigned *counts) {
    extern __shared__ uint4 memory[];
    char *bins = (char *)memory;
    unsigned t = threadIdx.x, copy = t % COPIES * 4;
    for (int i = t; i < BYTES / 16; i += BLOCK) {
        memory[i] = make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
    int before = (int)(-(uintptr_t)x % 16);
    before = before < n ? before : n;
    int vectors = (n - before) / 16, behind = (n - before) % 16;
    const uint4 *v = (const uint4 *)(x + before);
    for (int i = blockIdx.x * BLOCK + t; i < vectors; i += gridDim.x * BLOCK) {
        uint4 four = v[i];
        unsigned words[4] = {four.x, four.y, four.z, four.w};
        for (int k = 0; k < 4; k++) {
            if (words[k] == __byte_perm(words[k], 0, 0)) {
                atomicAdd((unsigned *)(bins + __byte_perm(words[k], copy, 0x5504)), 4);
                continue;
            }
            for (int b = 0; b < 4; b++) {
                atomicAdd((unsigned *)(bins + __byte_perm(words[k], copy, 0x5504 + 16 * b)), 1);
            }
        }
    }
    if (blockIdx.x == 0 && t < before) {
        atomicAdd((unsigned *)(bins + x[t] * ROW + copy), 1);
    }
    if (blockIdx.x == 0 && t < behind) {
        atomicAdd((unsigned *)(bins + x[n - behind + t] * ROW + copy), 1);
    }
    __syncthreads();
    for (int b = t; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (unsigned k = 0; k < COPIES; k++) {
            sum += ((unsigned *)bins)[b * COPIES + (k + b) % COPIES];
        }
        if (sum) {
            atomicAdd(&counts[b], sum);
        }
    }
}

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    CUDA_CHECK(cudaFuncSetAttribute(histogram_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    clear_kernel<<<1, BINS, 0, stream>>>(counts, BINS);
    CUDA_CHECK_LAUNCH();
    histogram_kernel<<<blocks_for(n, 1 << 16, multiprocessors()), BLOCK, BYTES, stream>>>(x, n, counts);
    CUDA_CHECK_LAUNCH();
}

__global__ void distribution_kernel(const float *x, int n, float low, float scale, int bins, int copies,
                                    unsigned *counts) {
    extern __shared__ unsigned own[];
    for (int b = threadIdx.x; b < bins * copies; b += BLOCK) {
        own[b] = 0;
    }
    __syncthreads();
    unsigned *mine = own + (threadIdx.x / WARP % copies) * bins;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        float place = floorf((x[i] - low) * scale);
        if (0.0f <= place && place < bins) {
            atomicAdd(&mine[(int)place], 1);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += BLOCK) {
        unsigned sum = 0;
        for (int k = 0; k < copies; k++) {
            sum += own[k * bins + b];
        }
        atomicAdd(&counts[b], sum);
    }
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    int fit = 8192 / bins, copies = fit < BLOCK / WARP ? fit : BLOCK / WARP;
    clear_kernel<<<8, 256, 0, stream>>>(counts, bins);
    CUDA_CHECK_LAUNCH();
    distribution_kernel<<<blocks_for(n, 1 << 14, 2 * multiprocessors()), BLOCK, copies * bins * sizeof(unsigned),
                          stream>>>(x, n, low, scale, bins, copies, counts);
    CUDA_CHECK_LAUNCH();
}
