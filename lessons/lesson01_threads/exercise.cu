/* Exercise 01: two jobs, one thread per element
 * fails as given: stale_output
 *
 *     saxpy      out[i] = a * x[i] + y[i]
 *     reverse    out[n - 1 - i] = in[i]
 *
 * Fill in the six TODOs, then type: make exercise01
 * Stuck? make exercise01 hint
 *
 * How the grader calls this file: it includes it and calls
 *
 *     saxpy(a, x, y, out, n);
 *     reverse(in, out, n);
 *
 * with n = 0, 1, 31, 32, 33, 255, 256, 257, 1000, 1025 and 100003. x, y, in and out are device pointers to exactly
 * n floats each and do not overlap; inputs must stay as they are; out is poisoned, so an element that nobody writes
 * is noticed. The grader waits for the kernel itself. It checks every result, every memory access and every launch.
 */
#include <cuda_runtime.h>

enum { BLOCK = 128 };

/* The fewest blocks of BLOCK threads that hold n threads. */
static int blocks_for(int n) {
    // TODO 1: divide n by BLOCK and round up: 1 block for 128 elements, 2 for 129.
    return 1;
}

/* Grid: n threads or more. Thread i writes out[i]. */
__global__ void saxpy_kernel(float a, const float *x, const float *y, float *out, int n) {
    // TODO 2: compute this thread's global index. (-1 is nobody's element: as it stands, no thread writes.)
    int i = -1;
    // TODO 3: the guard: let only those threads go on that have an element.
    if (i >= 0) {
        out[i] = a * x[i] + y[i];
    }
}

/* Grid: n threads or more. Thread i reads in[i] and writes it to its mirrored place: the first becomes the last. */
__global__ void reverse_kernel(const float *in, float *out, int n) {
    // TODO 4: index, guard, and one assignment. All of it is yours this time.
    (void)in, (void)out, (void)n;
}

/* x, y, out: n floats each, on the device. */
void saxpy(float a, const float *x, const float *y, float *out, int n) {
    // TODO 5: n may be 0, and a grid of 0 blocks is a launch error. Return early then.
    saxpy_kernel<<<blocks_for(n), BLOCK>>>(a, x, y, out, n);
}

/* in, out: n floats each, on the device. */
void reverse(const float *in, float *out, int n) {
    // TODO 6: the same here.
    reverse_kernel<<<blocks_for(n), BLOCK>>>(in, out, n);
}
