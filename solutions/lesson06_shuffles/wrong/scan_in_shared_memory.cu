// expect: access_limit
/* Right, but the scan is one of all 256 threads in shared memory: eight steps with a barrier each, and twice the instructions. */
#include "common/check.h"

enum { BLOCK = 256 };       // threads in a block of count_kernel and compact_kernel: 8 warps
enum { BLOCKS_MAX = 1024 }; // blocks in their grid, at most; threads in the block of starts_kernel

__device__ bool wanted(float v, float low, float high) {
    return low <= v && v < high;
}

/* The sum of the values of all threads before this one, and in *total that of all. In shared memory: after the step of 1 a word is the
 * sum of two, after 2 of four, and so on. */
__device__ int threads_before(int value, int *total) {
    __shared__ int sums[2][BLOCKS_MAX];
    int t = threadIdx.x, from = 0;
    sums[0][t] = value;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        sums[1 - from][t] = sums[from][t] + (t >= step ? sums[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    int before = sums[from][t] - value;
    *total = sums[from][blockDim.x - 1];
    __syncthreads();
    return before;
}

__global__ void count_kernel(const float *x, int n, float low, float high, int *starts, int each) {
    int first = blockIdx.x * each, end = min(first + each, n);
    int mine = 0, total; // of this thread; of the block
    for (int tile = first; tile < end; tile += BLOCK) {
        int i = tile + threadIdx.x;
        bool keeps = i < end && wanted(x[i], low, high);
        mine += keeps;
    }
    threads_before(mine, &total);
    if (threadIdx.x == 0) {
        starts[blockIdx.x] = total;
    }
}

__global__ void starts_kernel(int *starts, int blocks, int *count) {
    int b = threadIdx.x;
    int number = b < blocks ? starts[b] : 0, total;
    int before = threads_before(number, &total);
    if (b < blocks) {
        starts[b] = before;
    }
    if (b == 0) {
        *count = total;
    }
}

__global__ void compact_kernel(const float *x, int n, float low, float high, float *y, const int *starts, int each) {
    int first = blockIdx.x * each, end = min(first + each, n);
    int start = starts[blockIdx.x]; // where the elements of the next tile begin
    for (int tile = first; tile < end; tile += BLOCK) {
        int i = tile + threadIdx.x, total;
        float v = i < end ? x[i] : 0.0f;
        bool keeps = i < end && wanted(v, low, high);
        int at = start + threads_before(keeps, &total);
        if (keeps) {
            y[at] = v;
        }
        start += total;
    }
}

void compact(const float *x, int n, float low, float high, float *y, int *count, int *starts, cudaStream_t stream) {
    int tiles = (n + BLOCK - 1) / BLOCK;
    int each = (tiles + BLOCKS_MAX - 1) / BLOCKS_MAX * BLOCK; // elements of a block: whole tiles
    int blocks = n > 0 ? (n + each - 1) / each : 0;
    if (blocks > 0) {
        count_kernel<<<blocks, BLOCK, 0, stream>>>(x, n, low, high, starts, each);
        CUDA_CHECK_LAUNCH();
    }
    starts_kernel<<<1, BLOCKS_MAX, 0, stream>>>(starts, blocks, count);
    CUDA_CHECK_LAUNCH();
    if (blocks > 0) {
        compact_kernel<<<blocks, BLOCK, 0, stream>>>(x, n, low, high, y, starts, each);
        CUDA_CHECK_LAUNCH();
    }
}
