/* Exercise 00: FILL IN what it computes. The skeleton's is y = 3 * x.
 *
 * The grader (make exercise00) calls, from the host:
 *
 *     void skeleton(const float *x, float *y, int n, cudaStream_t stream);
 *
 *   - x and y are device arrays of n floats that do not overlap;
 *   - n is 0, 1, 31, 32, 33, 1000, 1025, 100003 and others;
 *   - every element of y is written, within 1e-6 + 1e-6 * |y|, and nothing else;
 *   - all work is done in `stream`, and the function returns without waiting for it;
 *   - a launch that fails is not passed over in silence: CUDA_CHECK_LAUNCH() tells of it, and ends the program.
 *
 * When all checks pass, FILL IN what the student has shown.
 * First step: TODO 1, about ten minutes: the check "skeleton, one block: n = 1, 255, 256" passes.
 */
// fails as given: stale_output
#include "common/check.h"

enum { BLOCK = 256 }; // threads in a block

/* x, y: n floats. Grid: n threads or more. */
__global__ void skeleton_kernel(const float *x, float *y, int n) {
    //> TODO 1: FILL IN what is to be done, as a reader of the page understands it.
    //| (void)x, (void)y, (void)n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 3.0f * x[i];
    }
    //<
}

void skeleton(const float *x, float *y, int n, cudaStream_t stream) {
    //> TODO 2: launch enough blocks for n threads. As it stands one block is launched, whatever n is.
    //| int blocks = 1;
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    //<
    skeleton_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
