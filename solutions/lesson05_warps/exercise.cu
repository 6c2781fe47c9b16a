/* Exercise 05: missing samples. A sensor or a sound card loses samples now and then, and writes NaN in their place.
 *
 * Fill each gap with the last sample before it, as data frames do (forward fill), and note which samples were there,
 * one bit each, 32 in a word (a validity bitmap). Both within groups of 32 samples, so that a warp can do it alone:
 *
 *     x       3   NaN  NaN   5    2   NaN ...        group g is x[32 * g] ... x[32 * g + 31]
 *     y       3    3    3    5    2    2  ...        0 where the group has no sample yet
 *     valid   1    0    0    1    1    0  ...        bit k of valid[g] is 1 if x[32 * g + k] was there
 *
 * The grader (make exercise05) calls, from the host:
 *
 *     void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream);
 *
 *   - x and y are device arrays of n floats, valid has a word for each group that has begun: (n + 31) / 32;
 *     0 <= n <= 2^30, x and y at any address of a float, and no two of the arrays overlap;
 *   - bits of samples that do not exist, from n on, are 0;
 *   - the work is queued in `stream`, and the function returns without waiting for it;
 *   - every value that is not NaN is kept as it is, infinities and -0.0 too;
 *   - nothing but y[0] ... y[n-1] and the words of valid is written; each sample is read once;
 *   - a warp needs at most 120 instructions for a group. The solution needs about a third of them.
 */
// fails as given: not_implemented
#include <math.h>

#include "common/check.h"

enum { BLOCK = 256 };         // threads in a block: 8 warps
#define ALL_LANES 0xffffffffu // the mask that names all 32 lanes

__global__ void fill_forward_kernel(const float *x, float *y, unsigned *valid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float v = i < n ? x[i] : NAN; // a sample that does not exist is as good as missing, and its lane stays with us

    //> TODO 1: which lanes have a sample? __ballot_sync(mask, condition) tells all lanes; isnan(v) is true for NaN.
    //| unsigned here = 0;
    unsigned here = __ballot_sync(ALL_LANES, !isnan(v));
    //<

    //> TODO 2: from which lane does this lane get its value? Of the lanes in `here`, keep those up to this one (itself
    //> too), and of those take the last. __clz(word) counts the 0 bits before the highest 1. -1: there is no such lane.
    //| int source = -1;
    unsigned up_to_me = here & ALL_LANES >> (31 - lane);
    int source = 31 - __clz(up_to_me);
    //<

    //> TODO 3: get the value: __shfl_sync(mask, v, lane to read from). All lanes must take part, so no `if` around it.
    //| float value = v;
    float value = __shfl_sync(ALL_LANES, v, source);
    value = source < 0 ? 0.0f : value;
    //<

    //> TODO 4: write. Which threads have an element of y, and which one of the warp writes the word of valid?
    //| (void)y, (void)valid, (void)value, (void)here, (void)source, (void)lane;
    if (i < n) {
        y[i] = value;
        if (lane == 0) {
            valid[i / 32] = here;
        }
    }
    //<
}

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    //> TODO 5: launch fill_forward_kernel in `stream`, a thread for each sample, and check the launch.
    //| (void)x, (void)y, (void)valid, (void)n, (void)stream;
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    fill_forward_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, valid, n);
    CUDA_CHECK_LAUNCH();
    //<
}
