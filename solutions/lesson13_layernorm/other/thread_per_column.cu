/* No shared memory: a thread has a column and a piece of consecutive rows to itself. A second kernel pools the pieces in pairs, in partial
 * itself. */
#include "common/check.h"

enum { BLOCK = 128, PIECES = 64 };

struct moments {
    float n, mean, m2;
};

__device__ struct moments pooled(struct moments a, struct moments b) {
    if (a.n == 0.0f) {
        return b;
    }
    if (b.n == 0.0f) {
        return a;
    }
    float n = a.n + b.n, d = a.mean - b.mean;
    return {n, (a.n * a.mean + b.n * b.mean) / n, a.m2 + b.m2 + d * d * a.n * b.n / n};
}

__global__ void piece_kernel(const float *x, struct moments *partial, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x, pieces = gridDim.y;
    int first = (int)((long long)rows * blockIdx.y / pieces), end = (int)((long long)rows * (blockIdx.y + 1) / pieces);
    if (c >= cols) {
        return;
    }
    struct moments m = {0.0f, 0.0f, 0.0f};
    for (int row = first; row < end; row++) {
        float v = x[(size_t)row * cols + c], d = v - m.mean;
        m.n++;
        m.mean += d * (1.0f / m.n);
        m.m2 += d * d * ((m.n - 1.0f) / m.n);
    }
    partial[(size_t)blockIdx.y * cols + c] = m;
}

/* In pairs: 0 and 32, 1 and 33, ..., then 0 and 16, ...: always the same pairs. */
__global__ void pool_kernel(struct moments *partial, int pieces, float *mean, float *variance, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= cols) {
        return;
    }
    for (int half = PIECES / 2; half > 0; half /= 2) {
        for (int p = 0; p < half && p + half < pieces; p++) {
            partial[(size_t)p * cols + c] =
                pooled(partial[(size_t)p * cols + c], partial[(size_t)(p + half) * cols + c]);
        }
    }
    mean[c] = partial[c].mean;
    variance[c] = partial[c].m2 / partial[c].n;
}

__global__ void normalize_kernel(const float *x, float *y, const float *gamma, const float *beta, const float *mean,
                                 const float *variance, int rows, int cols, float epsilon) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c < cols) {
        float a = gamma[c] / sqrtf(variance[c] + epsilon), m = mean[c], b = beta[c];
        for (int row = blockIdx.y; row < rows; row += gridDim.y) {
            y[(size_t)row * cols + c] = a * (x[(size_t)row * cols + c] - m) + b;
        }
    }
}

void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    struct moments *moments = (struct moments *)partial;
    int pieces = rows < PIECES ? rows : PIECES;
    if (cols < 1) {
        return;
    }
    dim3 grid((cols - 1) / BLOCK + 1, pieces);
    piece_kernel<<<grid, BLOCK, 0, stream>>>(x, moments, rows, cols);
    CUDA_CHECK_LAUNCH();
    pool_kernel<<<grid.x, BLOCK, 0, stream>>>(moments, pieces, mean, variance, cols);
    CUDA_CHECK_LAUNCH();
    normalize_kernel<<<grid, BLOCK, 0, stream>>>(x, y, gamma, beta, mean, variance, rows, cols, epsilon);
    CUDA_CHECK_LAUNCH();
}
