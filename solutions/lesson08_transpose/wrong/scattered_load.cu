// expect: access_limit
// says: 32.00 sectors were read (limit
/* No tile: a warp reads a column and writes a row. */
#include "common/check.h"

enum { TILE = 32, ROWS = 8 }; // a block of 32 x 8 threads moves a tile of 32 x 32

static __host__ __device__ int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// ---------------------------------------------------------------- many matrices

__global__ void transpose_kernel(const float *in, float *out, int rows, int cols) {
    int tile_rows = ceil_div(rows, TILE), tile_cols = ceil_div(cols, TILE);
    int matrix = blockIdx.x / (tile_rows * tile_cols), mine = blockIdx.x % (tile_rows * tile_cols);
    int r0 = mine / tile_cols * TILE, c0 = mine % tile_cols * TILE;
    in += (size_t)matrix * rows * cols;
    out += (size_t)matrix * rows * cols;

    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int r = r0 + threadIdx.x, c = c0 + i;
        if (r < rows && c < cols) {
            out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
        }
    }
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    if (count == 0 || rows == 0 || cols == 0) {
        return;
    }
    int blocks = count * ceil_div(rows, TILE) * ceil_div(cols, TILE);
    transpose_kernel<<<blocks, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

// ---------------------------------------------------------------- one, in its own place

__global__ void in_place_kernel(float *x, int n) {
    __shared__ float upper[TILE][TILE + 1], lower[TILE][TILE + 1];
    if (blockIdx.x < blockIdx.y) {
        return; // the block on the other side of the diagonal does it
    }
    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int t = threadIdx.x;
        if (r0 + i < n && c0 + t < n) {
            upper[i][t] = x[(size_t)(r0 + i) * n + c0 + t];
        }
        if (c0 + i < n && r0 + t < n) {
            lower[i][t] = x[(size_t)(c0 + i) * n + r0 + t];
        }
    }
    __syncthreads();

    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int t = threadIdx.x;
        if (c0 + i < n && r0 + t < n) {
            x[(size_t)(c0 + i) * n + r0 + t] = upper[t][i];
        }
        if (r0 != c0 && r0 + i < n && c0 + t < n) {
            x[(size_t)(r0 + i) * n + c0 + t] = lower[t][i];
        }
    }
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    dim3 grid(ceil_div(n, TILE), ceil_div(n, TILE));
    in_place_kernel<<<grid, dim3(TILE, ROWS), 0, stream>>>(x, n);
    CUDA_CHECK_LAUNCH();
}
