/* The blocks of a column form a chain: each merges its own part with what the block before has published, in double, and the last one has mean and
 * variance. Numbers come from a ticket, so a block waits only for blocks that have begun. Flags and tickets are where partial ends, and cleared there
 * first. y is computed by a fixed grid that strides over rows and columns. */
#include "common/check.h"

enum { ACROSS = 32, DOWN = 8, CHAIN = 6, BLOCKS_MAX = 64 };

struct sums {
    double n, mean, m2;
};

__device__ struct sums joined(struct sums a, struct sums b) {
    double n = a.n + b.n, d = b.mean - a.mean;
    return n > 0 ? sums{n, a.mean + d * (b.n / n), a.m2 + b.m2 + d * d * (a.n / n * b.n)} : a;
}

__device__ unsigned acquired(const unsigned *word) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

__device__ void release(unsigned *word, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

__global__ void chain_kernel(const float *x, struct sums *published, unsigned *words, float *mean, float *variance,
                             int rows, int cols) {
    __shared__ struct sums lines[DOWN][ACROSS];
    __shared__ unsigned ticket;
    int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * ACROSS + tx;
    unsigned *tickets = words + blockIdx.x, *done = words + gridDim.x + blockIdx.x;
    if (tx == 0 && ty == 0) {
        ticket = atomicAdd(tickets, 1u);
    }
    __syncthreads();
    struct sums s = {0, 0, 0};
    for (int row = ticket * DOWN + ty; c < cols && row < rows; row += gridDim.y * DOWN) {
        s = joined(s, {1, x[(size_t)row * cols + c], 0});
    }
    lines[ty][tx] = s;
    __syncthreads();
    if (ty == 0) {
        for (int line = 1; line < DOWN; line++) {
            s = joined(s, lines[line][tx]);
        }
        while (ticket > 0 && acquired(done) != ticket) {
        }
        __syncwarp();
        if (ticket > 0 && c < cols) {
            s = joined(published[c], s);
        }
        if (c < cols) {
            published[c] = s;
        }
        if (c < cols && ticket == gridDim.y - 1) {
            mean[c] = (float)s.mean;
            variance[c] = (float)(s.m2 / s.n);
        }
        __syncwarp();
        if (tx == 0) {
            release(done, ticket + 1);
        }
    }
}

__global__ void apply_kernel(const float *x, float *y, const float *gamma, const float *beta, const float *mean,
                             const float *variance, int rows, int cols, float epsilon) {
    for (int c = blockIdx.x * ACROSS + threadIdx.x; c < cols; c += gridDim.x * ACROSS) {
        float m = mean[c], scale = gamma[c] * rsqrtf(variance[c] + epsilon), shift = beta[c];
        for (int row = blockIdx.y * DOWN + threadIdx.y; row < rows; row += gridDim.y * DOWN) {
            y[(size_t)row * cols + c] = (x[(size_t)row * cols + c] - m) * scale + shift;
        }
    }
}

void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    if (cols == 0) {
        return;
    }
    int across = (cols + ACROSS - 1) / ACROSS, down = (rows + DOWN - 1) / DOWN;
    struct sums *published = (struct sums *)partial;
    unsigned *words = (unsigned *)(published + cols);
    CUDA_CHECK(cudaMemsetAsync(words, 0, 2 * across * sizeof *words, stream));
    chain_kernel<<<dim3(across, down < CHAIN ? down : CHAIN), dim3(ACROSS, DOWN), 0, stream>>>(
        x, published, words, mean, variance, rows, cols);
    CUDA_CHECK_LAUNCH();
    apply_kernel<<<dim3(8, 16), dim3(ACROSS, DOWN), 0, stream>>>(x, y, gamma, beta, mean, variance, rows, cols,
                                                                 epsilon);
    CUDA_CHECK_LAUNCH();
}
