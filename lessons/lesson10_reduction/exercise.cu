/* Exercise 10: two answers in one pass. What is the sum of a long array, and what is its largest element? A kernel
 * for each would read the array twice, and reading is all that it takes time for. So find both at once, with one
 * launch.
 *
 * The grader (make exercise10) calls, from the host:
 *
 *     void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream);
 *
 *   - result[0] is x[0] + x[1] + ... + x[n-1], result[1] is the largest: a kernel writes both, and else only partial and done;
 *   - a sum of floats may be rounded n / 1024 + 2000 times, each time by 2^-24 of the sum of all sizes |x[i]|;
 *   - of no elements (n = 0) the sum is 0 and the largest is -INFINITY; 0 <= n <= 2^30, x at any address of a float;
 *   - if there is a NaN among the elements, both results are NaN;
 *   - partial is device memory for 2 * BLOCKS_MAX floats, and anything may be in it;
 *   - *done is 0 when you are called. It has to be 0 again when your kernel ends: the next call may have another n;
 *   - one launch does it, of at most BLOCKS_MAX blocks, queued in `stream` with no copy and no fill beside it, and the function
 *     returns without waiting; a failed launch is reported;
 *   - each element is read once, neighbouring threads read neighbours (1.1 times the sectors that hold x, 1.3 times where it is not
 *     aligned), and there is at most one atomic per block;
 *   - many threads do it: of 65536 elements and more, no block reads more than half, and at least 512 threads read;
 *   - memory that the function allocates it frees, or uses again in its next call;
 *   - the same input gives the same bits each time: so the blocks' sums are added in a fixed order.
 *
 * When all checks pass, one launch that reads the array once gives the sum and the largest element, with the same bits
 * each time.
 * First step: TODO 7, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include <math.h>

#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 256 };         // threads in a block: 8 warps
enum { BLOCKS_MAX = 1024 };   // blocks in a grid, at most
#define ALL_LANES 0xffffffffu // the mask that names all 32 lanes

struct both {
    float sum, largest;
};

/* NaN is larger than everything: (NaN > b) is false, and so is (a > NaN). */
__device__ float larger(float a, float b) {
    return a > b || isnan(a) ? a : b;
}

__device__ struct both join(struct both a, struct both b) {
    struct both joined = {a.sum + b.sum, larger(a.largest, b.largest)};
    return joined;
}

// TODO 1: what are the sum and the largest of no elements at all? Joined with any other pair, they must not change it.
__device__ struct both both_of_nothing() {
    struct both nothing = {NAN, NAN};
    return nothing;
}

/* The pairs of the 32 lanes of a warp, joined. All lanes get the result. */
__device__ struct both warp_both(struct both mine) {
    // TODO 2: five steps. In each one get the other lane's sum and its largest (__shfl_xor_sync, twice), and join.
    return mine;
}

/* The pairs of all threads of the block, joined, in the threads of the first warp. Between two calls there is a
 * barrier. */
__device__ struct both block_both(struct both mine) {
    mine = warp_both(mine);
    // TODO 3: one lane of each warp leaves the warp's pair in shared memory (an array of BLOCK / WARP pairs). Then
    // the first warp joins them; lanes that have none take both_of_nothing. When may it read what the others have
    // written?
    return mine;
}

__global__ void summarize_kernel(const float *x, float *result, int n, float *partial, unsigned *done) {
    __shared__ bool last;
    struct both mine = both_of_nothing();

    // TODO 4: let this thread join its elements: threadIdx.x, ..., and then on in steps of the whole grid, up to n.
    (void)x, (void)n;
    mine = block_both(mine);

    // TODO 5: thread 0 leaves the block's pair in partial[2 * blockIdx.x] and the element behind it, and then draws
    // a number: atomicInc(done, gridDim.x - 1) says how many blocks came before, and goes back to 0 after the last
    // one. What has to stand between the two? And all threads of the block must learn whether it is the last.
    last = true, (void)partial, (void)done;
    if (!last) {
        return;
    }
    __threadfence(); // what I read from here on is not older than the number that thread 0 has drawn

    // TODO 6: the last block joins the pairs of all blocks (how many are there, and how many threads has it got?), and
    // one of its threads writes the result.
    (void)result;
}

void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream) {
    // TODO 7: launch summarize_kernel in `stream`: a thread for each element, but at most BLOCKS_MAX blocks; and for
    // n = 0?
    (void)x, (void)result, (void)n, (void)partial, (void)done, (void)stream;
}
