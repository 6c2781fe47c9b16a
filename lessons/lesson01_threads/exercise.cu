/* Exercise 01: two jobs, one thread per element.
 *
 *     saxpy      out[i] = a * x[i] + y[i]              "single precision a times x plus y"
 *     reverse    out[n - 1 - i] = in[i]                the first becomes the last
 *
 * The grader (make exercise01) calls, from the host:
 *
 *     void saxpy(float a, const float *x, const float *y, float *out, int n);
 *     void reverse(const float *in, float *out, int n);
 *
 *   - x, y, in and out are device arrays of n floats, allocated by cudaMalloc, and do not overlap;
 *   - n is 0, 1, 31, 32, 33, 127, 128, 129, 1000, 1025, 262147 and others;
 *   - kernels write every element of out, and nothing else: x, y and in stay as they are;
 *   - the work is spread over many threads: of 65536 elements and more, no block writes more than half, and at least 512 threads write;
 *   - saxpy may round once or twice (within 1e-6 + 1e-6 * |out|); reverse copies every bit, also of -0.0 and NaN;
 *   - the functions return without waiting for the kernel: the grader waits for it;
 *   - a failed launch is reported: CUDA_CHECK_LAUNCH() prints the error and ends the program;
 *   - neither function needs to allocate memory. One that does frees it, or reuses it in its next call.
 *
 * When all checks pass, two jobs run on a thread for each element, for every n, and no launch error goes unnoticed.
 * First step: TODO 1 and 2, about ten minutes: the check "saxpy, whole blocks: n = 128, 256 and 1280" passes.
 */
// fails as given: stale_output
#include "common/check.h"

enum { BLOCK = 128 }; // threads in a block

/* The fewest blocks of BLOCK threads that hold n threads. */
static int blocks_for(int n) {
    // TODO 1: divide n by BLOCK and round up: 1 block for 128 elements, 2 for 129.
    return 1;
}

/* x, y, out: n floats. Grid: n threads or more. Thread i writes out[i]. */
__global__ void saxpy_kernel(float a, const float *x, const float *y, float *out, int n) {
    // TODO 2: compute this thread's global index. (-1 is nobody's element: as it stands, no thread writes.)
    int i = -1;
    // TODO 3: the guard: let only those threads go on that have an element.
    if (i >= 0) {
        out[i] = a * x[i] + y[i];
    }
}

/* in, out: n floats. Grid: n threads or more. Thread i reads in[i] and writes it to its mirrored place. */
__global__ void reverse_kernel(const float *in, float *out, int n) {
    // TODO 4: index, guard and assignment. All of it is yours this time.
    (void)in, (void)out, (void)n;
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    // TODO 5: n may be 0, and a grid of 0 blocks is a launch error. What should happen then?
    saxpy_kernel<<<blocks_for(n), BLOCK>>>(a, x, y, out, n);
    CUDA_CHECK_LAUNCH();
}

void reverse(const float *in, float *out, int n) {
    // TODO 6: choose the grid, launch reverse_kernel and check the launch. Mind n = 0 here, too.
    (void)in, (void)out, (void)n;
}
