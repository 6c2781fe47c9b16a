/* One launch: the blocks count, all of them wait at a barrier of the grid, and each adds up what those before it keep. The elements are
 * read again after that; what waits polls a flag, which is not x. */
#include <cooperative_groups.h>

#include "common/check.h"

namespace cg = cooperative_groups;

enum { BLOCK = 256, BLOCKS = 32, WARPS = BLOCK / 32 };

/* The sum over all warps of the block, and in *before those of the warps before this one. All threads call it. */
__device__ int add_warps(int mine, int *before) {
    __shared__ int numbers[WARPS];
    int sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        numbers[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    *before = 0;
    for (int w = 0; w < WARPS; w++) {
        *before += w < threadIdx.x / 32 ? numbers[w] : 0;
        sum += numbers[w];
    }
    return sum;
}

__global__ void compact_kernel(const float *x, int n, float low, float high, float *y, int *count, int *starts) {
    int tiles = (n + BLOCK - 1) / BLOCK, each = (tiles + BLOCKS - 1) / BLOCKS * BLOCK, before;
    int first = min(blockIdx.x * each, n), end = min(first + each, n), mine = 0, start = 0;
    for (int tile = first; tile < end; tile += BLOCK) {
        int i = tile + threadIdx.x;
        mine += __popc(__ballot_sync(~0u, i < end && low <= x[i] && x[i] < high));
    }
    int total = add_warps(mine, &before);
    if (threadIdx.x == 0) {
        starts[blockIdx.x] = total;
    }
    cg::this_grid().sync();
    for (int b = 0; b < blockIdx.x; b++) {
        start += starts[b];
    }
    if (blockIdx.x == BLOCKS - 1 && threadIdx.x == 0) {
        *count = start + total;
    }
    for (int tile = first; tile < end; tile += BLOCK) {
        int i = tile + threadIdx.x;
        float v = i < end ? x[i] : low;
        unsigned word = __ballot_sync(~0u, i < end && low <= v && v < high);
        int all = add_warps(__popc(word), &before), lane = threadIdx.x % 32;
        if (word >> lane & 1) {
            y[start + before + __popc(word & ((1u << lane) - 1))] = v;
        }
        start += all;
    }
}

void compact(const float *x, int n, float low, float high, float *y, int *count, int *starts, cudaStream_t stream) {
    void *arguments[] = {&x, &n, &low, &high, &y, &count, &starts};
    CUDA_CHECK(cudaLaunchCooperativeKernel((const void *)compact_kernel, BLOCKS, BLOCK, arguments, 0, stream));
}
