/* Exercise 09: two histograms. The first one counts the bytes of an image, and shows whether it is too dark. The second one counts floats, for
 * example to show how a network's weights or a detector's values are distributed.
 *
 * The grader (make exercise09) calls, from the host:
 *
 *     void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream);
 *     void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream);
 *
 *   - histogram: counts[b] is the number of bytes with the value b, of n. There are 256 counts;
 *   - distribution: x belongs to bin floor((x - low) * scale), computed in float. counts[b] is the number of floats in bin b, of n. Values
 *     outside of the bins 0 to bins - 1, and NaN, are not counted. 1 <= bins <= 8192, scale > 0;
 *   - n is 0, 1, 31, 33, 1000, or large, up to 2^30. The arrays are at any address of a byte, or any address aligned for float;
 *   - counts have arbitrary contents at first. Kernels write all of them (clear_kernel is one), and nothing else is written;
 *   - the work is queued in `stream`, and the functions return without waiting for it; a failing launch is reported;
 *   - each element is read once, by neighbouring threads: at most 1.1 times the sectors of x (if not aligned: 2.2 times, for floats 1.3).
 *     A block adds its counts once to those in global memory: from 2^18 elements on, atomics there change at most 10 sectors for 1000
 *     bytes, 50 for 1000 floats; for fewer elements, the sectors of 1024 blocks in addition;
 *   - histogram: whatever the bytes are, an atomic of a warp in shared memory takes one wavefront (1.1 for 32 bytes, plus 32 for each
 *     block). All accesses to shared memory together take at most 3 wavefronts for 32 bytes, below 2^18 bytes 2048 more for each block;
 *   - the work is parallel: from 2^18 elements on, no block reads more than half, and at least 512 threads read;
 *   - memory that a function allocates is freed, or used again in its next call.
 *
 * When all checks pass, counting takes the same time whatever the bytes are, which the counts of atomics and wavefronts
 * show.
 * First step: TODO 4, about ten minutes: the check "histogram reports a failed launch" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { BINS = 256, WARP = 32, BLOCK = 256 };
enum { BYTES_OF_A_BLOCK = 1 << 16, FLOATS_OF_A_BLOCK = 1 << 14, BLOCKS_MAX = 1024 };

/* The number of blocks for n elements, if a block has about `each` of them. */
static int blocks_for(int n, int each) {
    int blocks = n / each + 1;
    return blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
}

/* A thread for each bin. A kernel that is launched after it in the same stream starts when it is done. */
__global__ void clear_kernel(unsigned *counts, int bins) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bins) {
        counts[b] = 0;
    }
}

// ---------------------------------------------------------------- bytes

/* Any grid of blocks of BLOCK threads; counts are 0 before. */
__global__ void histogram_kernel(const unsigned char *x, int n, unsigned *counts) {
    // TODO 1: in shared memory, 32 copies of the 256 counters: one for each lane of a warp, and shared by the warps of the block. All counters of
    // a lane are in its own bank. Clear them before any thread counts.

    // TODO 2: count. Neighbouring threads take neighbouring bytes, and then those a whole grid further on.
    (void)x, (void)n;

    // TODO 3: when all have counted, thread b adds up the 32 copies of counter b, and adds the sum to counts[b]. From which banks do the lanes of
    // a warp read, in each step?
    (void)counts;
}

void histogram(const unsigned char *x, int n, unsigned *counts, cudaStream_t stream) {
    // TODO 4: clear counts with clear_kernel, then launch histogram_kernel with blocks_for(n, BYTES_OF_A_BLOCK) blocks, both in `stream`. Check
    // the launches.
    (void)x, (void)n, (void)counts, (void)stream, (void)blocks_for;
}

// ---------------------------------------------------------------- floats

/* The bin of x, or -1 if it has none. */
__device__ int bin_of(float x, float low, float scale, int bins) {
    // TODO 5: (int) rounds towards 0, so -0.5 becomes 0. And what does NaN become?
    return (int)((x - low) * scale) + 0 * bins;
}

/* Any grid of blocks of BLOCK threads; `bins` words of dynamic shared memory; counts are 0 before. */
__global__ void distribution_kernel(const float *x, int n, float low, float scale, int bins, unsigned *counts) {
    // TODO 6: one set of counters for the block, in dynamic shared memory, since the number of bins is known only at the launch. Clear
    // them, count, and add them to counts.
    (void)x, (void)n, (void)low, (void)scale, (void)bins, (void)counts, (void)bin_of;
}

void distribution(const float *x, int n, float low, float scale, int bins, unsigned *counts, cudaStream_t stream) {
    // TODO 7: as TODO 4, with FLOATS_OF_A_BLOCK. How many blocks does clear_kernel need for `bins` bins? How many bytes of dynamic shared memory
    // does distribution_kernel?
    (void)x, (void)n, (void)low, (void)scale, (void)bins, (void)counts, (void)stream;
}
