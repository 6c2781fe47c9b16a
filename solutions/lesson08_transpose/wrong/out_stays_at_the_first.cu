// expect: race
// says: and no barrier is missing
/* in moves on to the matrix of the block, and out does not. */
#include "common/check.h"
#include "right.h"

__global__ void first_matrix_kernel(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int tile_cols = ceil_div(cols, TILE), tiles = ceil_div(rows, TILE) * tile_cols;
    int r0 = blockIdx.x % tiles / tile_cols * TILE, c0 = blockIdx.x % tiles % tile_cols * TILE, t = threadIdx.x;
    in += (size_t)(blockIdx.x / tiles) * rows * cols;
    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        if (r0 + i < rows && c0 + t < cols) {
            tile[i][t] = in[(size_t)(r0 + i) * cols + c0 + t];
        }
    }
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        if (r0 + t < rows && c0 + i < cols) {
            out[(size_t)(c0 + i) * rows + r0 + t] = tile[t][i];
        }
    }
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    int blocks = count * ceil_div(rows, TILE) * ceil_div(cols, TILE);
    if (blocks > 0) {
        first_matrix_kernel<<<blocks, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
        CUDA_CHECK_LAUNCH();
    }
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    right_transpose_in_place(x, n, stream);
}
