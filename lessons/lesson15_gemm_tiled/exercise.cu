/* Exercise 15: a layer of a neural network, Y = X * W^T.
 *
 * A linear layer stores its weights with a row for each output, W[out][in], and gets a row for each example,
 * X[examples][in]. So the sum runs along the rows of both. BLAS calls this product "nt": A as it is, B transposed.
 *
 *     C = alpha * A * B^T + beta * C           C[i][j] = alpha * (sum over k of A[i][k] * B[j][k]) + beta * C[i][j]
 *
 * The grader (make exercise15) calls, from the host:
 *
 *     void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
 *                   cudaStream_t stream);
 *
 *   - A is M x K, B is N x K, C is M x N: device arrays of floats, row-major, aligned to 4 bytes; they do not overlap;
 *   - M, N and K may be any numbers from 0 to 2^15; with K = 0 all sums are 0, and C = beta * C still has to be computed;
 *   - with beta = 0, the result does not depend on what C holds before the call, which may be NaN;
 *   - the work is queued in `stream`, and the function returns without waiting for it; a failed launch is reported;
 *   - nothing but C[0] ... C[M * N - 1] is written;
 *   - the error of each result is at most (K + 8) * 2^-23 for numbers in -1 ... 1, as can be expected of a sum in float;
 *   - on the emulator, in every call: A and B are read in at most 1.2 times the sectors of 32 bytes that blocks of 16 x 16
 *     elements of C need, which read A ceil(N / 16) times and B ceil(M / 16) times (for M = N = K = 256: 0.6 bytes for each
 *     multiply-add; naive: 5 or more). Twice that if K is not a multiple of 64 or an address not one of 8 floats: then a
 *     piece of a row may begin inside a sector. Otherwise a warp loads whole sectors, one for 8 floats (1.03 on average).
 *     Memory that the function allocates counts as well, beyond twice the size of A, B and C;
 *   - shared memory takes at most 1.5 wavefronts for an access of a warp, or at most 1.5 for 32 multiply-adds;
 *   - for M and N up to 512 no block writes more than 128 x 128 elements of C, and a thread at most 256 on average.
 *
 * When all checks pass, your product works for every shape, and its counts show few bytes, whole sectors and no bank
 * conflicts.
 * First step: TODO 6, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { TILE = 16 }; // a block has TILE x TILE threads and computes a tile of C

__global__ void sgemm_nt_kernel(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                float *C) {
    // TODO 1: two tiles in shared memory, [TILE][TILE] to begin with; this thread's position x, y in its block; the row and
    // the column of the element of C that it computes; and a sum that is 0.

    for (int start = 0; start < K; start += TILE) {
        // TODO 2: load a tile of A: TILE rows of this block, k from `start` on. Neighbouring threads load neighbours.
        // Elements outside of the matrix are 0, and all threads of the block take part.

        // TODO 3: load a tile of B. The columns of C belong to rows of B: which ones does this block need, and which one
        // does this thread load, so that neighbours load neighbours again?

        // TODO 4: add TILE products to `sum`. What must all threads have finished before that, and
        // before the next tiles are loaded?
    }

    // TODO 5: write alpha * sum + beta * C. Which threads have an element of C? And what if beta is 0?
    (void)M, (void)N, (void)alpha, (void)A, (void)B, (void)beta, (void)C;
}

void sgemm_nt(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C,
              cudaStream_t stream) {
    // TODO 6: launch sgemm_nt_kernel in `stream`, a block for each tile of C, and check the launch.
    (void)M, (void)N, (void)K, (void)alpha, (void)A, (void)B, (void)beta, (void)C, (void)stream;
}
