// expect: uninitialized
// says: next: compare the lanes that the mask names
/* Threads without an element leave; the lane from which the others get the total may be one of them. */
#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 256 };         // threads in a block of count_kernel and compact_kernel: 8 warps
enum { BLOCKS_MAX = 1024 };   // blocks in their grid, at most; threads in the block of starts_kernel
#define ALL_LANES 0xffffffffu // the mask that names all 32 lanes

__device__ bool wanted(float v, float low, float high) {
    return low <= v && v < high;
}

__device__ int warp_scan(int value) {
    int lane = threadIdx.x % WARP;
    for (int step = 1; step < WARP; step *= 2) {
        int before = __shfl_up_sync(ALL_LANES, value, step);
        value += lane >= step ? before : 0;
    }
    return value;
}

__device__ int warps_before(int mine, int *total) {
    __shared__ int numbers[WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    if (lane == 0) {
        numbers[warp] = mine;
    }
    __syncthreads();
    int sum = warp_scan(lane < warps ? numbers[lane] : 0);
    int before = __shfl_sync(ALL_LANES, sum, warp > 0 ? warp - 1 : 0);
    before = warp > 0 ? before : 0;
    *total = __shfl_sync(ALL_LANES, sum, WARP - 1);
    __syncthreads();
    return before;
}

__global__ void count_kernel(const float *x, int n, float low, float high, int *starts, int each) {
    int first = blockIdx.x * each, end = min(first + each, n);
    int mine = 0, total; // of this warp; of the block
    for (int tile = first; tile < end; tile += BLOCK) {
        int i = tile + threadIdx.x;
        if (i >= end) {
            return;
        }
        bool keeps = wanted(x[i], low, high);
        mine += __popc(__ballot_sync(ALL_LANES, keeps));
    }
    warps_before(mine, &total);
    if (threadIdx.x == 0) {
        starts[blockIdx.x] = total;
    }
}

__global__ void starts_kernel(int *starts, int blocks, int *count) {
    int b = threadIdx.x;
    int number = b < blocks ? starts[b] : 0, total;
    int sum = warp_scan(number);
    int before = warps_before(__shfl_sync(ALL_LANES, sum, WARP - 1), &total) + sum - number;
    if (b < blocks) {
        starts[b] = before;
    }
    if (b == 0) {
        *count = total;
    }
}

__global__ void compact_kernel(const float *x, int n, float low, float high, float *y, const int *starts, int each) {
    int lane = threadIdx.x % WARP;
    int first = blockIdx.x * each, end = min(first + each, n);
    int start = starts[blockIdx.x]; // where the elements of the next tile begin
    for (int tile = first; tile < end; tile += BLOCK) {
        int i = tile + threadIdx.x, total;
        float v = i < end ? x[i] : 0.0f;
        bool keeps = i < end && wanted(v, low, high);
        unsigned word = __ballot_sync(ALL_LANES, keeps);
        int at = start + warps_before(__popc(word), &total) + __popc(word & ((1u << lane) - 1));
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
