// expect: access_limit
// says: a single block of all_tiles_kernel
/* Right, and a single block moves one tile after the other. */
#include "common/check.h"
#include "right.h"

__global__ void all_tiles_kernel(const float *all_in, float *all_out, int count, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int tile_cols = ceil_div(cols, TILE), tiles = ceil_div(rows, TILE) * tile_cols, t = threadIdx.x;
    for (int b = 0; b < count * tiles; b++) {
        const float *in = all_in + (size_t)(b / tiles) * rows * cols;
        float *out = all_out + (size_t)(b / tiles) * rows * cols;
        int r0 = b % tiles / tile_cols * TILE, c0 = b % tiles % tile_cols * TILE;
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
        __syncthreads();
    }
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    all_tiles_kernel<<<1, dim3(TILE, ROWS), 0, stream>>>(in, out, count, rows, cols);
    CUDA_CHECK_LAUNCH();
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    right_transpose_in_place(x, n, stream);
}
