/* Three launches, as in exercise 11, instead of a look-back: the zeros of each tile, all sums of these by one block, and then the places. */
#include "common/check.h"

enum { BLOCK = 512, TILE = 4 * BLOCK };

/* Exclusive, over the block, in shared memory; *total is the sum of all. */
__device__ int block_scan(int value, int *total) {
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, now = 0;
    __syncthreads(); // the last call is over
    s[0][t] = value;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        s[1 - now][t] = s[now][t] + (t >= step ? s[now][t - step] : 0);
        now = 1 - now;
        __syncthreads();
    }
    *total = s[now][BLOCK - 1];
    return s[now][t] - value;
}

__device__ bool is_zero(const unsigned *x, int i, int n, int bit) {
    return i < n && (x[i] >> bit & 1) == 0;
}

__global__ void zeros_kernel(const unsigned *x, int n, int bit, int *zeros) {
    int mine = 0;
    for (int i = blockIdx.x * TILE + threadIdx.x, k = 0; k < 4; k++, i += BLOCK) {
        mine += __syncthreads_count(is_zero(x, i, n, bit));
    }
    if (threadIdx.x == 0) {
        zeros[blockIdx.x] = mine;
    }
}

/* zeros[b] becomes the sum of all before it, zeros[tiles] that of all. */
__global__ void starts_kernel(int *zeros, int tiles) {
    int before = 0, total;
    for (int first = 0; first < tiles; first += BLOCK) {
        int b = first + threadIdx.x, mine = b < tiles ? zeros[b] : 0, inside = block_scan(mine, &total);
        if (b < tiles) {
            zeros[b] = before + inside;
        }
        before += total;
    }
    if (threadIdx.x == 0) {
        zeros[tiles] = before;
    }
}

__global__ void places_kernel(const unsigned *x, unsigned *y, int n, int bit, const int *zeros, int tiles) {
    int before = zeros[blockIdx.x], all = zeros[tiles], total;
    for (int i = blockIdx.x * TILE + threadIdx.x, k = 0; k < 4; k++, i += BLOCK) {
        unsigned v = i < n ? x[i] : ~0u, one = v >> bit & 1;
        int mine = before + block_scan(1 - one, &total);
        if (i < n) {
            y[one ? all + i - mine : mine] = v;
        }
        before += total;
    }
}

void split(const unsigned *x, unsigned *y, int n, int bit, unsigned long long *words, cudaStream_t stream) {
    int tiles = (n + TILE - 1) / TILE, *zeros = (int *)words;
    if (n > 0) {
        zeros_kernel<<<tiles, BLOCK, 0, stream>>>(x, n, bit, zeros);
        CUDA_CHECK_LAUNCH();
        starts_kernel<<<1, BLOCK, 0, stream>>>(zeros, tiles);
        CUDA_CHECK_LAUNCH();
        places_kernel<<<tiles, BLOCK, 0, stream>>>(x, y, n, bit, zeros, tiles);
        CUDA_CHECK_LAUNCH();
    }
}
