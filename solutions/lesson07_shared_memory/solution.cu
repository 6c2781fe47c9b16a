/* Exercise 07: a moving maximum. A level meter shows the loudest sample around a moment, and an image editor enlarges
 * bright areas (dilation). Both compute, for each element, the largest one nearby:
 *
 *     y[i] = the largest of x[i - radius] ... x[i + radius]
 *
 *     x           3    1   -2   -5    0        radius 1
 *     y           3    3    1    0    0        x[-1] and x[5] do not exist, so they do not count
 *
 * The grader (make exercise07) calls, from the host:
 *
 *     void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream);
 *
 *   - x and y are device arrays of n floats, 0 <= n <= 2^30, at any address aligned for float; they do not overlap;
 *   - 0 <= radius <= 4096, so the tile may be much longer than the block: its length is known only at the launch;
 *   - no x is NaN; infinities are values like any other;
 *   - the work is queued in `stream`, and the function returns without waiting for it; a failing launch is reported;
 *   - the kernels write y[0] ... y[n - 1], and nothing else;
 *   - a block reads each element that it needs once: the window of 2 * radius + 1 elements comes from shared memory. For
 *     w outputs, where w is the number of the block's threads that write (at least 32), it reads at most 1.3 times the
 *     sectors of w + 2 * radius elements, plus 4, from x and from anywhere else;
 *   - the work is parallel: from 65536 elements on, no block writes more than half, and at least 512 threads write;
 *   - memory that the function allocates is freed, or used again in its next call.
 *
 * When all checks pass, the counts show that a block reads each element from global memory once, however wide the
 * window is.
 * First step: TODO 4, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 }; // threads in a block

__global__ void moving_max_kernel(const float *x, float *y, int n, int radius) {
    extern __shared__ float tile[]; // the block's outputs and the halo on both sides: blockDim.x + 2 * radius elements

    //> TODO 1: load the tile. tile[t] is x[first + t]; what is `first`, the element where the window of the block's
    //> first output begins? All threads load, each one element after another, blockDim.x apart. Which value must the
    //> tile contain where x[first + t] does not exist, so that it is never the largest?
    //| (void)x;
    int first = blockIdx.x * blockDim.x - radius; // may be negative
    int length = blockDim.x + 2 * radius;
    for (int t = threadIdx.x; t < length; t += blockDim.x) {
        int j = first + t;
        tile[t] = 0 <= j && j < n ? x[j] : -INFINITY;
    }
    //<

    //> TODO 2: no thread may read the tile before all threads have filled it.
    __syncthreads();
    //<

    //> TODO 3: this thread's output is y[i]; which i is that, and does it exist? Find the largest of its window, in the
    //> tile: which elements of the tile are x[i - radius] and x[i + radius]?
    //| (void)y, (void)n, (void)radius, (void)tile;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float largest = -INFINITY;
        for (int k = 0; k <= 2 * radius; k++) {
            largest = fmaxf(largest, tile[threadIdx.x + k]);
        }
        y[i] = largest;
    }
    //<
}

void moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream) {
    //> TODO 4: launch moving_max_kernel in `stream`, a thread for each output, with a tile of the right number of bytes,
    //> and check the launch.
    //| (void)x, (void)y, (void)n, (void)radius, (void)stream;
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    size_t bytes = (BLOCK + 2 * radius) * sizeof(float);
    moving_max_kernel<<<blocks, BLOCK, bytes, stream>>>(x, y, n, radius);
    CUDA_CHECK_LAUNCH();
    //<
}
