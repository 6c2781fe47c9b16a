/* One cooperative launch. A thread keeps the numbers of its walk in registers while it waits for all blocks at the grid's barrier: as far as they
 * fit, x is read once. */
#include <cooperative_groups.h>

#include "common/check.h"

namespace cg = cooperative_groups;

enum { ACROSS = 32, DOWN = 8, KEPT = 16, BLOCKS_MAX = 16 };

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

struct arrays {
    const float *x, *gamma, *beta;
    float *y, *mean, *variance, *partial;
    int rows, cols;
};

__device__ void publish(const struct arrays &a, int c, struct part p) {
    p = of_block(p);
    if (threadIdx.y == 0 && c < a.cols) {
        float *mine = a.partial + (size_t)3 * blockIdx.y * a.cols + c;
        mine[0] = p.n, mine[a.cols] = p.mean, mine[2 * a.cols] = p.m2;
    }
}

__device__ void finish(const struct arrays &a, int c) {
    struct part p = {0, 0, 0};
    for (unsigned block = 0; block < gridDim.y; block++) {
        const float *other = a.partial + (size_t)3 * block * a.cols + c;
        p = joined(p, {other[0], other[a.cols], other[2 * a.cols]});
    }
    a.mean[c] = p.mean, a.variance[c] = p.m2 / p.n;
}

__global__ void columns_kernel(struct arrays a, float epsilon) {
    int step = gridDim.y * DOWN, top = blockIdx.y * DOWN + threadIdx.y, wide = gridDim.x * ACROSS;
    int mine = blockIdx.x * ACROSS + threadIdx.x, begin = wide < a.cols ? 0 : KEPT; // in one round numbers can be kept
    float kept[KEPT];
    for (int c = mine; c - (int)threadIdx.x < a.cols; c += wide) {
        struct part p = {0, 0, 0};
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            if (c < a.cols && top + k * step < a.rows && begin == KEPT) {
                kept[k] = a.x[(size_t)(top + k * step) * a.cols + c];
                p = joined(p, {1, kept[k], 0});
            }
        }
        for (int row = top + begin * step; c < a.cols && row < a.rows; row += step) {
            p = joined(p, {1, a.x[(size_t)row * a.cols + c], 0});
        }
        publish(a, c, p);
    }
    cg::this_grid().sync();
    for (int c = mine; blockIdx.y == 0 && threadIdx.y == 0 && c < a.cols; c += wide) {
        finish(a, c);
    }
    cg::this_grid().sync();
    for (int c = mine; c < a.cols; c += wide) {
        float m = a.mean[c], scale = a.gamma[c] * rsqrtf(a.variance[c] + epsilon), shift = a.beta[c];
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            if (top + k * step < a.rows && begin == KEPT) {
                a.y[(size_t)(top + k * step) * a.cols + c] = (kept[k] - m) * scale + shift;
            }
        }
        for (int row = top + begin * step; row < a.rows; row += step) {
            a.y[(size_t)row * a.cols + c] = (a.x[(size_t)row * a.cols + c] - m) * scale + shift;
        }
    }
}

/* No more blocks than run at the same time. */
void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    int device, all, resident;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, columns_kernel, ACROSS * DOWN, 0));
    if (cols == 0) {
        return;
    }
    all = resident > 0 ? all : 0; // one for each multiprocessor
    int across = (cols + ACROSS - 1) / ACROSS;
    int down = (rows + DOWN - 1) / DOWN, most = all / (across < all ? across : all);
    most = most < BLOCKS_MAX ? most : BLOCKS_MAX;
    down = down < most ? down : most;
    across = across * down > all ? all / down : across;
    struct arrays a = {x, gamma, beta, y, mean, variance, partial, rows, cols};
    void *arguments[] = {&a, &epsilon};
    CUDA_CHECK(cudaLaunchCooperativeKernel((const void *)columns_kernel, dim3(across, down), dim3(ACROSS, DOWN),
                                           arguments, 0, stream));
}
