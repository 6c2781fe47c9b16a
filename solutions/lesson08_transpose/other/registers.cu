/* No shared memory where the shape allows it: 4 x 4 elements are transposed in registers. */
#include <stdint.h>

#include "common/check.h"

enum { TILE = 32, ROWS = 8 };

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

/* Where everything is a multiple of 4: a thread transposes 4 x 4 elements in its registers, without shared memory. A warp reads 64 bytes of 8 rows,
 * and writes 128 bytes of 4 rows: whole sectors on both sides. The sizes are in quads. */
__global__ void quads_kernel(const float4 *in, float4 *out, int count, int rows, int cols) {
    int across = (cols + 3) / 4, down = (rows + 7) / 8;
    int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int matrix = warp / (across * down), row = warp / across % down * 8 + lane / 4, col = warp % across * 4 + lane % 4;
    if (matrix >= count || row >= rows || col >= cols) {
        return;
    }
    in += (size_t)matrix * rows * cols * 4 + (size_t)row * 4 * cols + col;
    out += (size_t)matrix * rows * cols * 4 + (size_t)col * 4 * rows + row;
    float4 a = in[0], b = in[cols], c = in[2 * (size_t)cols], d = in[3 * (size_t)cols];
    out[0] = make_float4(a.x, b.x, c.x, d.x);
    out[rows] = make_float4(a.y, b.y, c.y, d.y);
    out[2 * (size_t)rows] = make_float4(a.z, b.z, c.z, d.z);
    out[3 * (size_t)rows] = make_float4(a.w, b.w, c.w, d.w);
}

// ---------------------------------------------------------------- many matrices

__global__ void transpose_kernel(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];

    int tile_rows = (rows + TILE - 1) / TILE, tile_cols = (cols + TILE - 1) / TILE;
    int matrix = blockIdx.x / (tile_rows * tile_cols), mine = blockIdx.x % (tile_rows * tile_cols);
    int r0 = mine / tile_cols * TILE, c0 = mine % tile_cols * TILE;
    in += (size_t)matrix * rows * cols;
    out += (size_t)matrix * rows * cols;

    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int r = r0 + i, c = c0 + threadIdx.x;
        if (r < rows && c < cols) {
            tile[i][threadIdx.x] = in[(size_t)r * cols + c];
        }
    }

    __syncthreads();

    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int r = r0 + threadIdx.x, c = c0 + i;
        if (r < rows && c < cols) {
            out[(size_t)c * rows + r] = tile[threadIdx.x][i];
        }
    }
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    if (count == 0 || rows == 0 || cols == 0) {
        return;
    }
    if (rows % 4 == 0 && cols % 4 == 0 && (uintptr_t)in % 16 == 0 && (uintptr_t)out % 16 == 0) {
        int warps = count * ceil_div(rows / 4, 8) * ceil_div(cols / 4, 4);
        quads_kernel<<<ceil_div(warps, 8), 256, 0, stream>>>((const float4 *)in, (float4 *)out, count, rows / 4,
                                                             cols / 4);
        CUDA_CHECK_LAUNCH();
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
