/* A piece for each warp instead of for each block, and the warps of the last kernel in a block that scans twice. */
#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 128 };         // threads in a block of count_kernel and compact_kernel: 4 warps
enum { BLOCKS_MAX = 1024 };   // warps in their grid, at most; threads in the block of starts_kernel
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

/* A piece for each warp, `each` elements long, a multiple of 32: no shared memory and no barrier. */
__global__ void count_kernel(const float *x, int n, float low, float high, int *starts, int each, int pieces) {
    int lane = threadIdx.x % WARP, piece = (blockIdx.x * BLOCK + threadIdx.x) / WARP, mine = 0;
    if (piece >= pieces) {
        return; // the whole warp
    }
    for (int i = piece * each + lane; i - lane < min((piece + 1) * each, n); i += WARP) {
        mine += __popc(__ballot_sync(ALL_LANES, i < n && wanted(x[i], low, high)));
    }
    if (lane == 0) {
        starts[piece] = mine;
    }
}

/* One block: a scan of the warps' sums, by the first warp. */
__global__ void starts_kernel(int *starts, int pieces, int *count) {
    __shared__ int sums[WARP];
    int p = threadIdx.x, lane = p % WARP, warp = p / WARP;
    int number = p < pieces ? starts[p] : 0, sum = warp_scan(number);
    if (lane == WARP - 1) {
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sums[lane] = warp_scan(sums[lane]);
    }
    __syncthreads();
    if (p < pieces) {
        starts[p] = sum - number + (warp > 0 ? sums[warp - 1] : 0);
    }
    if (p == 0) {
        *count = sums[WARP - 1];
    }
}

__global__ void compact_kernel(const float *x, int n, float low, float high, float *y, const int *starts, int each,
                               int pieces) {
    int lane = threadIdx.x % WARP, piece = (blockIdx.x * BLOCK + threadIdx.x) / WARP;
    if (piece >= pieces) {
        return;
    }
    int start = starts[piece];
    for (int i = piece * each + lane; i - lane < min((piece + 1) * each, n); i += WARP) {
        float v = i < n ? x[i] : 0.0f;
        bool keeps = i < n && wanted(v, low, high);
        unsigned word = __ballot_sync(ALL_LANES, keeps);
        if (keeps) {
            y[start + __popc(word & ((1u << lane) - 1))] = v;
        }
        start += __popc(word);
    }
}

void compact(const float *x, int n, float low, float high, float *y, int *count, int *starts, cudaStream_t stream) {
    int rows = (n + WARP - 1) / WARP;
    int each = (rows + BLOCKS_MAX - 1) / BLOCKS_MAX * WARP;
    int pieces = n > 0 ? (n + each - 1) / each : 0, blocks = (pieces * WARP + BLOCK - 1) / BLOCK;
    if (blocks > 0) {
        count_kernel<<<blocks, BLOCK, 0, stream>>>(x, n, low, high, starts, each, pieces);
        CUDA_CHECK_LAUNCH();
    }
    starts_kernel<<<1, BLOCKS_MAX, 0, stream>>>(starts, pieces, count);
    CUDA_CHECK_LAUNCH();
    if (blocks > 0) {
        compact_kernel<<<blocks, BLOCK, 0, stream>>>(x, n, low, high, y, starts, each, pieces);
        CUDA_CHECK_LAUNCH();
    }
}
