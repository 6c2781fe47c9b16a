// expect: launch_error
// says: at most 2147483647 x 65535 x 65535
/* The grid has a dimension for the matrices, and one for rows of tiles: each ends at 65535. */
#include "common/check.h"

enum { TILE = 32, ROWS = 8 }; // a block of 32 x 8 threads moves a tile of 32 x 32

static __host__ __device__ int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// ---------------------------------------------------------------- many matrices

__global__ void transpose_kernel(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];

    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
    in += (size_t)blockIdx.z * rows * cols;
    out += (size_t)blockIdx.z * rows * cols;

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
    dim3 grid(ceil_div(cols, TILE), ceil_div(rows, TILE), count);
    transpose_kernel<<<grid, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
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
