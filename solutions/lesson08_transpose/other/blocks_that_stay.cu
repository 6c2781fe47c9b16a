/* A grid of 1000 blocks at most; in place, a block for each pair of tiles and none for nothing. */
#include "common/check.h"

enum { TILE = 32, THREADS = 256 };

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

/* Blocks that stay, and take one tile after the other: the tile is used again, so there is a barrier before that, too. */
__global__ void tiles_kernel(const float *in, float *out, int count, int rows, int cols) {
    __shared__ float tile[TILE * (TILE + 1)];
    int down = (rows + TILE - 1) / TILE, across = (cols + TILE - 1) / TILE;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int b = blockIdx.x; b < count * down * across; b += gridDim.x) {
        int row = b / across % down * TILE, col = b % across * TILE;
        size_t first = (size_t)(b / across / down) * rows * cols;
        for (int i = warp; i < TILE && row + i < rows; i += THREADS / 32) {
            if (col + lane < cols) {
                tile[i * (TILE + 1) + lane] = in[first + (size_t)(row + i) * cols + col + lane];
            }
        }
        __syncthreads();
        for (int i = warp; i < TILE && col + i < cols; i += THREADS / 32) {
            if (row + lane < rows) {
                out[first + (size_t)(col + i) * rows + row + lane] = tile[lane * (TILE + 1) + i];
            }
        }
        __syncthreads();
    }
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    if (count > 0 && rows > 0 && cols > 0) {
        int tiles = count * ceil_div(rows, TILE) * ceil_div(cols, TILE);
        int blocks = tiles < 1000 ? tiles : 1000;
        tiles_kernel<<<blocks, THREADS, 0, stream>>>(in, out, count, rows, cols);
        CUDA_CHECK_LAUNCH();
    }
}

/* A block for each pair alone: pair p of the triangle is in the row y for which y (y + 1) / 2 <= p. One tile waits in registers. */
__global__ void pairs_kernel(float *x, int n) {
    __shared__ float tile[TILE][TILE + 1];
    int y = (int)((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) / 2.0f);
    y += (y + 1) * (y + 2) / 2 <= (int)blockIdx.x;
    y -= y * (y + 1) / 2 > (int)blockIdx.x;
    int r0 = y * TILE, c0 = ((int)blockIdx.x - y * (y + 1) / 2) * TILE;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float kept[4];
    for (int k = 0; k < 4; k++) {
        int i = warp + 8 * k;
        if (r0 + i < n && c0 + lane < n) {
            tile[i][lane] = x[(size_t)(r0 + i) * n + c0 + lane];
        }
        if (r0 != c0 && c0 + i < n && r0 + lane < n) {
            kept[k] = x[(size_t)(c0 + i) * n + r0 + lane];
        }
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        int i = warp + 8 * k;
        if (c0 + i < n && r0 + lane < n) {
            x[(size_t)(c0 + i) * n + r0 + lane] = tile[lane][i];
        }
    }
    if (r0 == c0) {
        return;
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        tile[warp + 8 * k][lane] = kept[k]; // words that do not exist are not stored below
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        int i = warp + 8 * k;
        if (r0 + i < n && c0 + lane < n) {
            x[(size_t)(r0 + i) * n + c0 + lane] = tile[lane][i];
        }
    }
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    int tiles = ceil_div(n, TILE);
    if (n > 0) {
        pairs_kernel<<<tiles *(tiles + 1) / 2, THREADS, 0, stream>>>(x, n);
        CUDA_CHECK_LAUNCH();
    }
}
