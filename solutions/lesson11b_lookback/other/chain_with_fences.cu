/* No look-back, and no value beside the status: tile after tile, each with a counter that says how many are done, and fences. Blocks of 1024
 * threads with two elements each. */
#include "common/check.h"

enum { BLOCK = 1024, TILE = 2 * BLOCK };

struct state {
    unsigned ticket, zeros;         // tiles taken, and zeros of all
    volatile unsigned done, before; // tiles that are done, and the zeros of them
};

__global__ void zeros_kernel(const unsigned *x, int n, int bit, struct state *state) {
    int i = blockIdx.x * TILE + threadIdx.x, j = i + BLOCK;
    int zeros = __syncthreads_count(i < n && !(x[i] >> bit & 1)) + __syncthreads_count(j < n && !(x[j] >> bit & 1));
    if (threadIdx.x == 0) {
        atomicAdd(&state->zeros, (unsigned)zeros);
    }
}

/* Exclusive, over the lanes of a warp. */
__device__ int lanes_before(int value) {
    int sum = value;
    for (int step = 1; step < 32; step *= 2) {
        int before = __shfl_up_sync(~0u, sum, step);
        sum += threadIdx.x % 32 >= step ? before : 0;
    }
    return sum - value;
}

/* Two rows of a block in one scan: one counts in the low half of a number, the other in the high half. */
__global__ void places_kernel(const unsigned *x, unsigned *y, int n, int bit, struct state *state) {
    __shared__ int warps[32], tile, before_tile, low;
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0) {
        tile = (int)atomicAdd(&state->ticket, 1u);
    }
    __syncthreads();
    int i = tile * TILE + t, j = i + BLOCK, all = (int)state->zeros;
    unsigned a = i < n ? x[i] : ~0u, b = j < n ? x[j] : ~0u;
    int zero_a = !(a >> bit & 1), zero_b = !(b >> bit & 1), both = zero_a | zero_b << 16, before = lanes_before(both);
    if (lane == 31) {
        warps[warp] = before + both;
    }
    __syncthreads();
    if (warp == 0) {
        int mine = warps[lane];
        warps[lane] = lanes_before(mine);
        if (lane == 31) {
            int sums = warps[lane] + mine;
            while (state->done != (unsigned)tile) {
            }
            __threadfence();
            before_tile = (int)state->before;
            state->before = before_tile + (sums & 0xffff) + (sums >> 16);
            __threadfence();
            state->done = tile + 1;
            low = sums & 0xffff;
        }
    }
    __syncthreads();
    before += warps[warp];
    int before_a = before_tile + (before & 0xffff), before_b = before_tile + low + (before >> 16);
    if (i < n) {
        y[zero_a ? before_a : all + i - before_a] = a;
    }
    if (j < n) {
        y[zero_b ? before_b : all + j - before_b] = b;
    }
}

void split(const unsigned *x, unsigned *y, int n, int bit, unsigned long long *words, cudaStream_t stream) {
    int blocks = (n + TILE - 1) / TILE;
    struct state *state = (struct state *)words;
    if (blocks == 0) {
        return;
    }
    CUDA_CHECK(cudaMemsetAsync(state, 0, sizeof *state, stream));
    zeros_kernel<<<blocks, BLOCK, 0, stream>>>(x, n, bit, state);
    CUDA_CHECK_LAUNCH();
    places_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n, bit, state);
    CUDA_CHECK_LAUNCH();
}
