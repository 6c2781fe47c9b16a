/* Exercise 13: batch normalization. LayerNorm looks along each row; BatchNorm looks down each column, over all rows: it computes mean and
 * variance of a column, subtracts the mean from every number, and divides by the deviation. So it is a column reduction, as for dgamma and
 * dbeta, and it reduces triples (count, mean, m2), as LayerNorm does.
 *
 * The grader (make exercise13) calls, from the host:
 *
 *     void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows, int cols,
 *                    float epsilon, float *partial, cudaStream_t stream);
 *
 *   - x and y have rows x cols floats, row by row; gamma, beta, mean and variance one float for each column. They are aligned to 4
 *     bytes and do not overlap;
 *   - mean[c] is the mean of column c, variance[c] the mean of the squared distances from it (divided by rows, not by rows - 1);
 *   - y = (x - mean) / sqrt(variance + epsilon) * gamma + beta;
 *   - rows is 1 to 2^20, cols 0 to 2^14, and rows * cols at most 2^30; for cols = 0 there is nothing to do;
 *   - the mean may be thousands of times as large as the distances from it, without loss of digits: a variance is right to a
 *     thousandth;
 *   - partial is device memory for 3 * BLOCKS_MAX * cols floats, at a multiple of 256 bytes, with any contents. Of the arguments only
 *     y, mean, variance and partial are written; the function frees the memory that it allocates;
 *   - kernels compute all of it: the host passes no statistics to them;
 *   - the same input gives the same bits each time;
 *   - all is queued in `stream`, and the function returns without waiting. A launch that fails is reported (CUDA_CHECK_LAUNCH);
 *   - on the emulator, in every call: x is read at most twice, once for the statistics and once for y, by neighbouring threads neighbouring
 *     columns (limit 2.1 times, and 512 rows more; rows that begin in the middle of a sector may cost two sectors more for each 32 columns).
 *     y is written once in the same way. All else that is read, gamma, beta, mean, variance, partial and memory that you allocate, is together no
 *     more than half of x and 4096 rows: what belongs to a column is read once for all rows of a thread. Polling a flag or a grid's
 *     barrier does not count. From 256 rows on, in the launches that read x or write y, at least 32 threads for each column do so (1024 are
 *     enough; checked where each has four numbers or more), and no block does more than half.
 * The file is compiled for compute capability 8.0.
 *
 * When all checks pass, a column reduction keeps its digits where the mean is 4096, and gives the same bits each time.
 * First step: TODO 7, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { COLUMNS = 32 };    // columns of a block: threadIdx.x
enum { LINES = 8 };       // rows that a block looks at, at once: threadIdx.y
enum { BLOCKS_MAX = 64 }; // blocks that share the rows of a column, at most

/* Describes some numbers: their count, their mean, and the sum of their squared distances from it. */
struct triple {
    float count, mean, m2;
};

/* One number more. */
__device__ struct triple with(struct triple t, float x) {
    // TODO 1: Welford's update. Which distances grow m2: those from the previous mean, from the new mean, or one of each?
    (void)x;
    return t;
}

/* Two sets of numbers become one. Either may be empty. */
__device__ struct triple merge(struct triple a, struct triple b) {
    // TODO 2: the larger set's mean counts more, and the distance between the two means adds to m2.
    (void)b;
    return a;
}

/* Blocks of COLUMNS x LINES threads; blockIdx.x selects the columns, and the gridDim.y blocks of a column share its rows. Block (bx, by) writes
 * its triples to partial: count, mean and m2 of column c in partial[(3 * by + 0, 1, 2) * cols + c]. */
__global__ void column_triples_kernel(const float *x, float *partial, int rows, int cols) {
    int c = blockIdx.x * COLUMNS + threadIdx.x;
    struct triple t = {0.0f, 0.0f, 0.0f};

    // TODO 3: walk down this thread's column. Which is its first row, and how far is it to the next one? Not every thread has a column.
    (void)x, (void)rows;

    // TODO 4: the LINES threads of a column store their triples in shared memory, and one of them merges them and writes partial. Where is
    // the barrier, and which threads must reach it?
    (void)c, (void)partial, (void)cols, (void)t;
}

/* A thread for a column: merges the triples of `blocks` blocks, in their order. */
__global__ void column_finish_kernel(const float *partial, int blocks, float *mean, float *variance, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) {
        return;
    }
    // TODO 5: merge, and write mean and variance.
    (void)partial, (void)blocks, (void)mean, (void)variance;
}

/* The same blocks and the same walk as column_triples_kernel. */
__global__ void column_apply_kernel(const float *x, float *y, const float *gamma, const float *beta, const float *mean,
                                    const float *variance, int rows, int cols, float epsilon) {
    int c = blockIdx.x * COLUMNS + threadIdx.x;
    if (c >= cols) {
        return;
    }
    // TODO 6: what belongs to the column is read once, before the loop.
    (void)x, (void)y, (void)gamma, (void)beta, (void)mean, (void)variance, (void)rows, (void)epsilon;
}

void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    // TODO 7: three launches. How many blocks does a row need, how many share a column's rows, and how many triples are there then?
    (void)x, (void)y, (void)gamma, (void)beta, (void)mean, (void)variance;
    (void)rows, (void)cols, (void)epsilon, (void)partial, (void)stream;
}
