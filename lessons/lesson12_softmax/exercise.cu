/* Exercise 12: the loss of a language model. For each position in a text the model computes a score for every word of its vocabulary. Softmax
 * turns a row of scores into probabilities, and the model is trained with the logarithm of the probability of the word that follows in the
 * text: the cross-entropy. One kernel computes softmax, logarithm and loss, and reads the scores once.
 *
 *     row of x         1.0   3.0   2.0           target 1
 *     softmax          0.09  0.67  0.24
 *     log_p           -2.41 -0.41 -1.41          loss   0.41
 *
 * The grader (make exercise12) calls, from the host:
 *
 *     void cross_entropy(const float *x, const int *target, float *log_p, float *loss, int rows, int cols, cudaStream_t stream);
 *
 *   - x and log_p have rows x cols floats, row-major, at any address aligned for float; 0 <= rows <= 2^20, 1 <= cols <= COLS_MAX,
 *     and fewer than 2^31 elements in total;
 *   - log_p[r][c] is the logarithm of the softmax of row r: x - largest - log(sum of all exp(x - largest));
 *   - loss[r] is -log_p[r][target[r]]. A negative target means padding: the loss is 0, and the row of log_p is as usual;
 *   - x may be a million, or minus a million; the error of log_p is at most 2e-5 plus a millionth of its size;
 *   - an x of -INFINITY (a masked word) has the logarithm -INFINITY. A row that contains nothing else becomes NaN, and so
 *     does a row with a NaN or with INFINITY; the loss of such a row is NaN, unless it is padding;
 *   - there is one launch, queued in `stream`, and the function returns without waiting;
 *   - each element of x is read once, by neighbouring threads (x[r][target[r]] may be read again), and each of log_p is written
 *     once. From 64 rows and 65536 elements on, no block does more than half of the work, and at least 512 threads take part.
 * The file is compiled for compute capability 8.0.
 *
 * When all checks pass, softmax, logarithm and loss take one launch that reads each score once, and scores of a million
 * do no harm.
 * First step: TODO 8, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include <math.h>

#include "common/check.h"

enum { WARP = 32 };
enum { BLOCK = 256 };             // threads in a block, which has a row
enum { EACH = 16 };               // elements that a thread keeps in registers
enum { COLS_MAX = BLOCK * EACH }; // so no row is longer
#define ALL_LANES 0xffffffffu

/* The pair of some elements: the largest one, and the sum of exp(x - largest). */
struct pair {
    float largest, sum;
};

__device__ struct pair pair_of_nothing() {
    // TODO 1: what are the largest element and the sum of no elements at all?
    struct pair nothing = {NAN, NAN};
    return nothing;
}

/* The factor by which the sum for `largest` is multiplied when a larger element arrives; `larger` may be the same. */
__device__ float scale(float largest, float larger) {
    // TODO 2: exp(largest - larger). But what is it if there was no element yet, or only -INFINITY?
    (void)largest, (void)larger;
    return NAN;
}

__device__ struct pair join(struct pair a, struct pair b) {
    float larger = fmaxf(a.largest, b.largest);
    struct pair both = {larger, a.sum * scale(a.largest, larger) + b.sum * scale(b.largest, larger)};
    return both;
}

/* The pairs of the 32 lanes of a warp, joined. All lanes get the result. */
__device__ struct pair warp_pair(struct pair mine) {
    // TODO 3: five steps; in each step join with another lane's pair. A shuffle moves one register.
    return mine;
}

/* The pairs of all threads of the block, joined. All threads get the result. */
__device__ struct pair block_pair(struct pair mine) {
    mine = warp_pair(mine);
    // TODO 4: one lane of each warp stores the warp's pair in shared memory. When may the others read it? Then each warp
    // joins all of them, so that every thread of the block has the result. There are fewer pairs than lanes.
    return mine;
}

__global__ void cross_entropy_kernel(const float *x, const int *target, float *log_p, float *loss, int cols) {
    float v[EACH];
    struct pair row = pair_of_nothing();
    x += (size_t)blockIdx.x * cols;
    log_p += (size_t)blockIdx.x * cols;

    // TODO 5: load this thread's elements of the row into v: columns threadIdx.x, threadIdx.x + BLOCK, ... Past the end of
    // the row, which value changes neither the largest nor the sum? Then let `row` be the pair of v. (v stays in registers
    // only if the compiler can unroll the loop: let i run from 0 to EACH, and check the column inside.)
    (void)x, (void)v;
    row = block_pair(row);

    // TODO 6: store the logarithms. x - largest - log(sum): in which order? A largest of a million is a float with a step
    // of 0.06, so nothing small should be added to it.
    (void)log_p;

    // TODO 7: one thread writes the loss. Which thread has the logarithm of the target in a register? And which one writes
    // the loss of a row that is padding?
    (void)target, (void)loss;
}

void cross_entropy(const float *x, const int *target, float *log_p, float *loss, int rows, int cols,
                   cudaStream_t stream) {
    // TODO 8: launch cross_entropy_kernel in `stream`, a block for each row, and check the launch. And if rows is 0?
    (void)x, (void)target, (void)log_p, (void)loss, (void)rows, (void)cols, (void)stream;
}
