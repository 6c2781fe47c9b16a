// expect: wrong_result
// says: what does the distance of two means add
/* The squared distances of both sets, each from its own mean: that the means lie apart is forgotten. */
#include "common/check.h"

enum { COLUMNS = 32 };    // columns of a block: threadIdx.x
enum { LINES = 8 };       // rows that a block looks at, at once: threadIdx.y
enum { BLOCKS_MAX = 64 }; // blocks that share the rows of a column, at most

/* What is known of some numbers: how many, their mean, and the sum of their squared distances from it. */
struct triple {
    float count, mean, m2;
};

/* One number more. */
__device__ struct triple with(struct triple t, float x) {
    t.count += 1.0f;
    float before = x - t.mean;
    t.mean += before / t.count;
    t.m2 += before * (x - t.mean);
    return t;
}

/* Two sets of numbers become one. Either may be empty. */
__device__ struct triple merge(struct triple a, struct triple b) {
    float count = a.count + b.count, apart = b.mean - a.mean;
    if (count > 0.0f) {
        a.mean += apart * (b.count / count);
        a.m2 += b.m2;
        a.count = count;
    }
    return a;
}

/* Blocks of COLUMNS x LINES threads; blockIdx.x says which columns, and the gridDim.y blocks of a column share its rows. Block (bx, by) leaves
 * its triples in partial: count, mean and m2 of column c in partial[(3 * by + 0, 1, 2) * cols + c]. */
__global__ void column_triples_kernel(const float *x, float *partial, int rows, int cols) {
    int c = blockIdx.x * COLUMNS + threadIdx.x;
    struct triple t = {0.0f, 0.0f, 0.0f};

    if (c < cols) {
        for (int row = blockIdx.y * LINES + threadIdx.y; row < rows; row += gridDim.y * LINES) {
            t = with(t, x[(size_t)row * cols + c]);
        }
    }

    __shared__ struct triple lines[LINES][COLUMNS];
    lines[threadIdx.y][threadIdx.x] = t;
    __syncthreads();
    if (threadIdx.y == 0 && c < cols) {
        for (int line = 1; line < LINES; line++) {
            t = merge(t, lines[line][threadIdx.x]);
        }
        float *mine = partial + (size_t)3 * blockIdx.y * cols + c;
        mine[0] = t.count;
        mine[cols] = t.mean;
        mine[2 * cols] = t.m2;
    }
}

/* A thread for a column: merges the triples of `blocks` blocks, in their order. */
__global__ void column_finish_kernel(const float *partial, int blocks, float *mean, float *variance, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) {
        return;
    }
    struct triple t = {0.0f, 0.0f, 0.0f};
    for (int block = 0; block < blocks; block++) {
        const float *mine = partial + (size_t)3 * block * cols + c;
        struct triple other = {mine[0], mine[cols], mine[2 * cols]};
        t = merge(t, other);
    }
    mean[c] = t.mean;
    variance[c] = t.m2 / t.count;
}

/* The same blocks and the same walk as column_triples_kernel. */
__global__ void column_apply_kernel(const float *x, float *y, const float *gamma, const float *beta, const float *mean,
                                    const float *variance, int rows, int cols, float epsilon) {
    int c = blockIdx.x * COLUMNS + threadIdx.x;
    if (c >= cols) {
        return;
    }
    float m = mean[c], scale = gamma[c] * rsqrtf(variance[c] + epsilon), shift = beta[c];
    for (int row = blockIdx.y * LINES + threadIdx.y; row < rows; row += gridDim.y * LINES) {
        size_t i = (size_t)row * cols + c;
        y[i] = (x[i] - m) * scale + shift;
    }
}

void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    if (cols == 0) {
        return;
    }
    int across = (cols + COLUMNS - 1) / COLUMNS, down = (rows + LINES - 1) / LINES;
    dim3 block(COLUMNS, LINES), grid(across, down < BLOCKS_MAX ? down : BLOCKS_MAX);
    column_triples_kernel<<<grid, block, 0, stream>>>(x, partial, rows, cols);
    CUDA_CHECK_LAUNCH();
    column_finish_kernel<<<(cols + 255) / 256, 256, 0, stream>>>(partial, grid.y, mean, variance, cols);
    CUDA_CHECK_LAUNCH();
    column_apply_kernel<<<grid, block, 0, stream>>>(x, y, gamma, beta, mean, variance, rows, cols, epsilon);
    CUDA_CHECK_LAUNCH();
}
