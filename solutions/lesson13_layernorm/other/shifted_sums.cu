/* No triples: each column's numbers less the column's first one are small, so their sum and sum of squares lose no digits. 64 columns in a
 * block, a tree in shared memory, and the blocks of y are others. */
#include "common/check.h"

enum { COLUMNS = 64, LINES = 4, BLOCKS_MAX = 64 };

/* Sum and sum of squares of x[row][c] - x[0][c]: partial[0] and partial[1], each [gridDim.y][cols]. */
__global__ void shifted_sums_kernel(const float *x, float *partial, int rows, int cols) {
    __shared__ float sums[2][LINES][COLUMNS];
    int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * COLUMNS + tx;
    float sum = 0.0f, squares = 0.0f, first = c < cols ? x[c] : 0.0f;
    for (int row = blockIdx.y * LINES + ty; row < rows && c < cols; row += gridDim.y * LINES) {
        float apart = x[(size_t)row * cols + c] - first;
        sum += apart;
        squares += apart * apart;
    }
    sums[0][ty][tx] = sum;
    sums[1][ty][tx] = squares;
    for (int step = LINES / 2; step > 0; step /= 2) {
        __syncthreads();
        if (ty < step) {
            sums[0][ty][tx] += sums[0][ty + step][tx];
            sums[1][ty][tx] += sums[1][ty + step][tx];
        }
    }
    if (ty == 0 && c < cols) {
        partial[(size_t)blockIdx.y * cols + c] = sums[0][0][tx];
        partial[(size_t)(gridDim.y + blockIdx.y) * cols + c] = sums[1][0][tx];
    }
}

/* A block for a column, a warp in it. */
__global__ void shifted_finish_kernel(const float *x, const float *partial, int blocks, float *mean, float *variance,
                                      int rows, int cols) {
    int c = blockIdx.x;
    float sum = 0.0f, squares = 0.0f;
    for (int block = threadIdx.x; block < blocks; block += warpSize) {
        sum += partial[(size_t)block * cols + c];
        squares += partial[(size_t)(blocks + block) * cols + c];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
        squares += __shfl_down_sync(0xffffffffu, squares, step);
    }
    if (threadIdx.x == 0) {
        float apart = sum / rows;
        mean[c] = x[c] + apart;
        variance[c] = fmaxf(squares / rows - apart * apart, 0.0f);
    }
}

__global__ void shifted_apply_kernel(const float *x, float *y, const float *gamma, const float *beta, const float *mean,
                                     const float *variance, int rows, int cols, float epsilon) {
    int c = blockIdx.x * COLUMNS + threadIdx.x;
    if (c < cols) {
        float m = mean[c], deviation = sqrtf(variance[c] + epsilon), g = gamma[c], b = beta[c];
        for (int row = blockIdx.y; row < rows; row += gridDim.y) {
            y[(size_t)row * cols + c] = (x[(size_t)row * cols + c] - m) / deviation * g + b;
        }
    }
}

void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    int across = (cols + COLUMNS - 1) / COLUMNS;
    int blocks = rows < BLOCKS_MAX * LINES ? (rows + LINES - 1) / LINES : BLOCKS_MAX;
    if (across == 0) {
        return;
    }
    shifted_sums_kernel<<<dim3(across, blocks), dim3(COLUMNS, LINES), 0, stream>>>(x, partial, rows, cols);
    CUDA_CHECK_LAUNCH();
    shifted_finish_kernel<<<cols, 32, 0, stream>>>(x, partial, blocks, mean, variance, rows, cols);
    CUDA_CHECK_LAUNCH();
    shifted_apply_kernel<<<dim3(across, rows < 256 ? rows : 256), COLUMNS, 0, stream>>>(x, y, gamma, beta, mean,
                                                                                        variance, rows, cols, epsilon);
    CUDA_CHECK_LAUNCH();
}
