/* One cooperative launch. A thread keeps the numbers of its walk in registers while it waits for all blocks at the grid's barrier: as far as they
 * fit, x is read once. */
#include <cooperative_groups.h>

#include "common/check.h"

namespace cg = cooperative_groups;

enum { ACROSS = 32, DOWN = 8, KEPT = 16, BLOCKS_MAX = 64 };

struct part {
    float n, mean, m2;
};

__device__ struct part joined(struct part a, struct part b) {
    float n = a.n + b.n, d = b.mean - a.mean;
    return n > 0 ? part{n, a.mean + d * (b.n / n), a.m2 + b.m2 + d * d * (a.n / n * b.n)} : a;
}

/* The parts of all threads of a column in this block, in line 0. */
__device__ struct part of_block(struct part p) {
    __shared__ struct part lines[DOWN][ACROSS];
    __syncthreads();
    lines[threadIdx.y][threadIdx.x] = p;
    __syncthreads();
    for (int line = 1; line < DOWN && threadIdx.y == 0; line++) {
        p = joined(p, lines[line][threadIdx.x]);
    }
    return p;
}

__global__ void columns_kernel(const float *x, float *y, const float *gamma, const float *beta, float *mean,
                               float *variance, int rows, int cols, float epsilon, float *partial) {
    int step = gridDim.y * DOWN;
    for (int first = 0; first < cols;
         first += gridDim.x * ACROSS) { // as many rounds in all blocks, since all meet at the barriers
        int c = first + blockIdx.x * ACROSS + threadIdx.x;
        struct part p = {0, 0, 0};
        float kept[KEPT];
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            int row = blockIdx.y * DOWN + threadIdx.y + k * step;
            if (c < cols && row < rows) {
                kept[k] = x[(size_t)row * cols + c];
                p = joined(p, {1, kept[k], 0});
            }
        }
        for (int row = blockIdx.y * DOWN + threadIdx.y + KEPT * step; c < cols && row < rows; row += step) {
            p = joined(p, {1, x[(size_t)row * cols + c], 0});
        }
        p = of_block(p);
        if (threadIdx.y == 0 && c < cols) {
            float *mine = partial + ((size_t)3 * blockIdx.y) * cols + c;
            mine[0] = p.n, mine[cols] = p.mean, mine[2 * (size_t)cols] = p.m2;
        }
        cg::this_grid().sync();
        if (blockIdx.y == 0 && threadIdx.y == 0 && c < cols) {
            p = {0, 0, 0};
            for (unsigned block = 0; block < gridDim.y; block++) {
                const float *other = partial + (size_t)3 * block * cols + c;
                p = joined(p, {other[0], other[cols], other[2 * (size_t)cols]});
            }
            mean[c] = p.mean, variance[c] = p.m2 / p.n;
        }
        cg::this_grid().sync();
        if (c >= cols) {
            continue;
        }
        float m = mean[c], scale = gamma[c] * rsqrtf(variance[c] + epsilon), shift = beta[c];
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            int row = blockIdx.y * DOWN + threadIdx.y + k * step;
            if (row < rows) {
                y[(size_t)row * cols + c] = (kept[k] - m) * scale + shift;
            }
        }
        for (int row = blockIdx.y * DOWN + threadIdx.y + KEPT * step; row < rows; row += step) {
            y[(size_t)row * cols + c] = (x[(size_t)row * cols + c] - m) * scale + shift;
        }
    }
}

/* No more blocks than run at the same time. */
void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    int device, processors, resident;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, columns_kernel, ACROSS * DOWN, 0));
    if (cols == 0) {
        return;
    }
    int all = processors * (resident < 2 ? resident : 2), across = (cols + ACROSS - 1) / ACROSS;
    int down = (rows + DOWN - 1) / DOWN, most = all / (across < all ? across : all);
    most = most < BLOCKS_MAX ? most : BLOCKS_MAX;
    down = down < most ? down : most;
    across = across * down > all ? all / down : across;
    void *arguments[] = {&x, &y, &gamma, &beta, &mean, &variance, &rows, &cols, &epsilon, &partial};
    CUDA_CHECK(cudaLaunchCooperativeKernel((const void *)columns_kernel, dim3(across, down), dim3(ACROSS, DOWN),
                                           arguments, 0, stream));
}
