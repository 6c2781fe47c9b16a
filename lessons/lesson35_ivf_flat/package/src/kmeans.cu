/* kmeans.cu - training: which centroid is nearest, and where the centroids go. */
#include "kernels.h"
#include "select.cuh"

enum { BLOCK = 256 };
enum {
    SIDE = 64,
    STEP = 16,
    EACH = 4
}; // a block compares SIDE vectors with SIDE centroids, STEP numbers at a time; a thread EACH x EACH

static unsigned blocks_for(size_t n, int block) {
    return (unsigned)((n + block - 1) / block);
}

__global__ void finite_kernel(const float *x, size_t n, float largest, int *flag) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (__any_sync(ALL_LANES, i < n && !(fabsf(x[i]) <= largest)) && threadIdx.x % WARP == 0) {
        atomicExch(flag, 1);
    }
}

__global__ void gather_kernel(const float *x, int d, const int *rows, int n, float *to) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < (size_t)n * d) {
        to[at] = x[(size_t)rows[at / d] * d + at % d];
    }
}

/* A warp for each centroid. */
__global__ void norm_kernel(const float *centroids, int nlist, int padded, float *norms) {
    int c = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (c >= nlist) {
        return;
    }
    float sum = 0.0f;
    for (int j = lane; j < padded; j += WARP) {
        float v = centroids[(size_t)c * padded + j];
        sum = fmaf(v, v, sum);
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, step);
    }
    if (lane == 0) {
        norms[c] = sum;
    }
}

struct tiles {
    float x[STEP][SIDE + 1], c[STEP][SIDE + 1];
};

/* SIDE rows from `first`, numbers from + 0 to from + STEP - 1 of each; what is outside counts as 0. */
__device__ void load_tile(float (&tile)[STEP][SIDE + 1], const float *rows, int first, int count, int from, int d,
                          int stride) {
    for (int t = threadIdx.x; t < SIDE * STEP; t += BLOCK) {
        int row = t / STEP, j = t % STEP;
        bool inside = first + row < count && from + j < d;
        tile[j][row] = inside ? rows[(size_t)(first + row) * stride + from + j] : 0.0f;
    }
}

/* The products of SIDE vectors and SIDE centroids: lesson 16. Thread (tx, ty) has vectors ty + 16 a and centroids tx + 16 b. */
__device__ void multiply(struct tiles &tiles, const float *x, int n, int d, int first_x, const float *centroids,
                         int nlist, int padded, int first_c, float (&product)[EACH][EACH]) {
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (int from = 0; from < d; from += STEP) {
        load_tile(tiles.x, x, first_x, n, from, d, d);
        load_tile(tiles.c, centroids, first_c, nlist, from, d, padded);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < STEP; j++) {
            float left[EACH], right[EACH];
#pragma unroll
            for (int a = 0; a < EACH; a++) {
                left[a] = tiles.x[j][ty + 16 * a];
                right[a] = tiles.c[j][tx + 16 * a];
            }
#pragma unroll
            for (int a = 0; a < EACH; a++) {
#pragma unroll
                for (int b = 0; b < EACH; b++) {
                    product[a][b] = fmaf(left[a], right[b], product[a][b]);
                }
            }
        }
        __syncthreads();
    }
}

/* A block for SIDE vectors. ||x||^2 is the same for all centroids: what is compared is ||c||^2 - 2 x.c. No product is ever in memory. */
__global__ void assign_kernel(const float *x, int n, int d, const float *centroids, const float *norms, int nlist,
                              int padded, int *lists) {
    __shared__ struct tiles tiles;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, first_x = blockIdx.x * SIDE;
    float least[EACH];
    int nearest[EACH] = {0, 0, 0, 0};
    for (int a = 0; a < EACH; a++) {
        least[a] = INFINITY;
    }
    for (int first_c = 0; first_c < nlist; first_c += SIDE) {
        float product[EACH][EACH] = {};
        multiply(tiles, x, n, d, first_x, centroids, nlist, padded, first_c, product);
#pragma unroll
        for (int b = 0; b < EACH; b++) {
            int c = first_c + tx + 16 * b;
#pragma unroll
            for (int a = 0; a < EACH; a++) {
                float value = c < nlist ? norms[c] - 2.0f * product[a][b] : INFINITY;
                if (value < least[a]) { // of equal values the first stays: a thread visits its centroids in order
                    least[a] = value;
                    nearest[a] = c;
                }
            }
        }
    }
#pragma unroll
    for (int a = 0; a < EACH; a++) {
        for (int step = 8; step > 0; step /= 2) { // among the 16 threads that have this vector
            float value = __shfl_xor_sync(ALL_LANES, least[a], step);
            int c = __shfl_xor_sync(ALL_LANES, nearest[a], step);
            if (value < least[a] || (value == least[a] && c < nearest[a])) {
                least[a] = value;
                nearest[a] = c;
            }
        }
        int i = first_x + ty + 16 * a;
        if (tx == 0 && i < n) {
            lists[i] = nearest[a];
        }
    }
}

/* A block for each centroid, a thread for each number of it. Each sum has one order, so it is the same each time. */
__global__ void update_kernel(const float *x, int d, const int *order, const int *starts, const int *lengths,
                              float *centroids, int padded) {
    int c = blockIdx.x, length = lengths[c];
    for (int j = threadIdx.x; length > 0 && j < d; j += blockDim.x) {
        float sum = 0.0f;
        for (int m = 0; m < length; m++) {
            sum += x[(size_t)order[starts[c] + m] * d + j];
        }
        centroids[(size_t)c * padded + j] = sum / length;
    }
}

cudaError_t find_unfit(const float *x, size_t n, float largest, int *flag) {
    cudaMemsetAsync(flag, 0, sizeof *flag);
    if (n > 0) {
        finite_kernel<<<blocks_for(n, BLOCK), BLOCK>>>(x, n, largest, flag);
    }
    return cudaGetLastError();
}

cudaError_t gather_rows(const float *x, int d, const int *rows, int n, float *to) {
    if (n > 0) {
        gather_kernel<<<blocks_for((size_t)n * d, BLOCK), BLOCK>>>(x, d, rows, n, to);
    }
    return cudaGetLastError();
}

cudaError_t norms_of(const float *centroids, int nlist, int padded, float *norms) {
    norm_kernel<<<blocks_for(nlist, BLOCK / WARP), BLOCK>>>(centroids, nlist, padded, norms);
    return cudaGetLastError();
}

cudaError_t assign(const float *x, int n, int d, const float *centroids, const float *norms, int nlist, int padded,
                   int *lists) {
    if (n > 0) {
        assign_kernel<<<blocks_for(n, SIDE), BLOCK>>>(x, n, d, centroids, norms, nlist, padded, lists);
    }
    return cudaGetLastError();
}

cudaError_t update(const float *x, int d, const int *order, const int *starts, const int *lengths, float *centroids,
                   int nlist, int padded) {
    update_kernel<<<nlist, d <= 64 ? 64 : 128>>>(x, d, order, starts, lengths, centroids, padded);
    return cudaGetLastError();
}
