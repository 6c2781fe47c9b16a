/* Exercise 06: stable compaction. Copy the wanted elements of a long array to the front of another one, in their order, and count them.
 * (The queues of the lesson are filled in the order of the atomics; this one is not.)
 *
 *     x       3    9    1    4    7    2    5         wanted: low <= x[i] < high, here 3 <= x[i] < 8
 *     y       3    4    7    5                        count: 4
 *
 * The place of an element depends on all elements before it. So it takes three launches. Each block has a part of x; all parts have the
 * same length, except the last ones:
 *
 *     count_kernel      each block counts the wanted elements of its part  starts   2   2   0   5   1
 *     starts_kernel     one block: the exclusive scan of these counts      starts   0   2   4   4   9     count 10
 *     compact_kernel    each block writes its elements from there on
 *
 * The grader (make exercise06) calls, from the host:
 *
 *     void compact(const float *x, int n, float low, float high, float *y, int *count, int *starts, cudaStream_t stream);
 *
 *   - x is a device array of n floats, 0 <= n <= 2^30, at any address aligned for float; NaN is never wanted;
 *   - y has room for n floats; only the first *count of them are written, and x is not written;
 *   - *count is also in device memory, and is written for n = 0 as well;
 *   - starts is device memory for BLOCKS_MAX ints with arbitrary contents;
 *   - the work is queued in `stream`, and the function returns without waiting for it; a failing launch is reported;
 *   - low and high are any numbers, infinite ones included; if low is not less than high, no element is wanted;
 *   - each element is read at most twice, and neighbouring threads read neighbouring elements. (A kernel that reads each element only once,
 *     as CUB does, may give each thread several neighbours.) What waiting blocks poll is not counted;
 *   - there is at most one atomic for 256 elements, plus 2048 for barriers of the grid (the solution has none); a warp executes at most 250
 *     instructions for 32 elements (the solution about 150), plus 40000; from 262144 elements on, at least 4096 threads read x, and at
 *     least 4096 write y.
 *
 * When all checks pass, 600000 elements are filtered in parallel and in order, without a single atomic.
 * First step: TODO 6, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 256 };         // threads in a block of count_kernel and compact_kernel: 8 warps
enum { BLOCKS_MAX = 1024 };   // blocks in their grid, at most; threads in the block of starts_kernel
#define ALL_LANES 0xffffffffu // the mask that names all 32 lanes

__device__ bool wanted(float v, float low, float high) {
    return low <= v && v < high;
}

/* The sum of the values of all lanes up to this one, itself included. All 32 lanes call it together. */
__device__ int warp_scan(int value) {
    // TODO 1: five steps. In each step all lanes read the sum of the lane `step` before (__shfl_up_sync), and those for which that lane
    // exists add it.
    return value;
}

/* Each warp of the block passes a number, `mine`, the same in all its lanes. Returns the sum of the numbers of the warps before this
 * one, and puts the sum of all into *total. All threads of the block call it together; there are at most 32 warps.
 * This function is complete, since its two tools are explained in lesson 07: `numbers` is memory that all threads of the block share, and
 * __syncthreads() is a barrier, which no thread of the block passes before all have reached it. block_start in lesson06.cu does the same. */
__device__ int warps_before(int mine, int *total) {
    __shared__ int numbers[WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    if (lane == 0) {
        numbers[warp] = mine;
    }
    __syncthreads(); // all numbers are there
    int sum = warp_scan(lane < warps ? numbers[lane] : 0);
    int before = __shfl_sync(ALL_LANES, sum, warp > 0 ? warp - 1 : 0);
    before = warp > 0 ? before : 0;
    *total = __shfl_sync(ALL_LANES, sum, WARP - 1);
    __syncthreads(); // all have read them
    return before;
}

/* `each` elements to a block, a multiple of BLOCK: block b has x[b * each] ... x[b * each + each - 1], as far as they exist. */
__global__ void count_kernel(const float *x, int n, float low, float high, int *starts, int each) {
    int first = blockIdx.x * each, end = min(first + each, n);
    int mine = 0, total; // of this warp; of the block
    for (int tile = first; tile < end; tile += BLOCK) {
        int i = tile + threadIdx.x;
        bool keeps = i < end && wanted(x[i], low, high);
        // TODO 2: how many lanes of the warp keep their element? Add that to `mine`, in all lanes.
        (void)keeps;
    }
    warps_before(mine, &total);
    if (threadIdx.x == 0) {
        starts[blockIdx.x] = total;
    }
}

/* One block of BLOCKS_MAX threads: starts[b] becomes the sum of all before it, *count the sum of all. */
__global__ void starts_kernel(int *starts, int blocks, int *count) {
    int b = threadIdx.x;
    int number = b < blocks ? starts[b] : 0, total;
    // TODO 3: add up the numbers before this thread's: those of the warps before, and those of the lanes before. warp_scan includes the
    // lane's own number. The sum of a warp is in its last lane.
    int before = number;
    total = number;
    if (b < blocks) {
        starts[b] = before;
    }
    if (b == 0) {
        *count = total;
    }
}

/* The parts are those of count_kernel. */
__global__ void compact_kernel(const float *x, int n, float low, float high, float *y, const int *starts, int each) {
    int lane = threadIdx.x % WARP;
    int first = blockIdx.x * each, end = min(first + each, n);
    int start = starts[blockIdx.x]; // where the elements of the next tile begin
    for (int tile = first; tile < end; tile += BLOCK) {
        int i = tile + threadIdx.x, total;
        float v = i < end ? x[i] : 0.0f;
        bool keeps = i < end && wanted(v, low, high);
        // TODO 4: where does this lane's element go? After those of the tiles before (start), of the warps before, and of the lanes before
        // that keep theirs.
        int at = start + lane;
        total = 0;
        // TODO 5: which lanes write? And where do the elements of the next tile begin?
        (void)y, (void)v, (void)at, (void)keeps, (void)total;
    }
}

void compact(const float *x, int n, float low, float high, float *y, int *count, int *starts, cudaStream_t stream) {
    int tiles = (n + BLOCK - 1) / BLOCK;
    int each = (tiles + BLOCKS_MAX - 1) / BLOCKS_MAX * BLOCK; // elements of a block: whole tiles
    int blocks = n > 0 ? (n + each - 1) / each : 0;
    // TODO 6: the three launches, in `stream`, each of them checked. A grid of 0 blocks is an error, but count must be written.
    (void)x, (void)low, (void)high, (void)y, (void)count, (void)starts, (void)stream, (void)blocks;
}
