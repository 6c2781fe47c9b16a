/* Exercise 05: two tasks for warps.
 *
 * The first: missing samples. A sensor or a sound card loses samples now and then, and writes NaN in their place. Fill each gap with the last
 * sample before it, as data frames do (forward fill), and record which samples were there, one bit each, 32 in a word (a validity bitmap). Both
 * within groups of 32 samples, so that one warp has all it needs:
 *
 *     x       3   NaN  NaN   5    2   NaN ...        group g is x[32 * g] ... x[32 * g + 31]
 *     y       3    3    3    5    2    2  ...        0 where the group has no sample yet
 *     valid   1    0    0    1    1    0  ...        bit k of valid[g] is 1 if x[32 * g + k] was there
 *
 * The second: two channels. The samples are stereo, x[0] left, x[1] right, and so on. y[i] is soften(x[i]) in the left channel and
 * widen(x[i]) in the right one. Both functions are given. Your task is that no warp has to execute both.
 *
 * The grader (make exercise05) calls, from the host:
 *
 *     void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream);
 *     void two_channels(const float *x, float *y, int n, cudaStream_t stream);
 *
 *   - x and y are device arrays of n floats, valid has a word for each group, the last one perhaps not full: (n + 31) / 32;
 *     0 <= n <= 2^30, x and y at any address of a float, and no two of the arrays overlap;
 *   - bits of samples that do not exist, from n on, are 0;
 *   - the work is queued in `stream`, and the functions return without waiting for it; a failed launch is reported;
 *   - every value that is not NaN is kept as it is, also infinities and -0.0;
 *   - kernels write y[0] ... y[n-1] and the words of valid, and nothing else; each sample is read once, by neighbouring threads;
 *   - fill_forward: a warp needs at most 120 instructions for a group (the solution about a third of them), and one of its lanes
 *     writes the word of valid;
 *   - two_channels: x has no NaN; results within 1e-5; a warp needs at most 250 instructions for 32 samples (the solution about 200);
 *   - warps without a sample may take 2000 instructions in addition. The work is spread over many threads: of 65536 samples and more, no block
 *     writes more than half, and at least 512 threads write;
 *   - a function frees the memory that it allocates, or reuses it in its next call.
 *
 * When all checks pass, one ballot and one shuffle fill the gaps of 32 samples, and a different mapping of threads to
 * samples removes the divergence of the second task.
 * First step: TODO 7, about ten minutes: the check "two_channels, n = 0, 1, around 32, 64 and 256, 1000, 1025, 262147, any address, in a
 * stream" passes.
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

    // TODO 1: which lanes have a sample? __ballot_sync(mask, condition) tells all lanes; isnan(v) is true for NaN.
    unsigned here = 0;

    // TODO 2: from which lane does this lane get its value? Of the lanes in `here`, keep those up to this one (itself
    // too), and of those take the last. __clz(word) counts the 0 bits before the highest 1. -1: there is no such lane.
    int source = -1;

    // TODO 3: get the value: __shfl_sync(mask, v, lane to read from). All lanes must take part, so no `if` around it.
    float value = v;

    // TODO 4: write. Which threads have an element of y, and which one of the warp writes the word of valid?
    (void)y, (void)valid, (void)value, (void)here, (void)source, (void)lane;
}

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    // TODO 5: launch fill_forward_kernel in `stream`, a thread for each sample, and check the launch.
    (void)x, (void)y, (void)valid, (void)n, (void)stream;
}

// ---------------------------------------------------------------- two channels

/* The left channel: large values become smaller. */
__device__ float soften(float v) {
    for (int round = 0; round < 48; round++) {
        v = v - 0.03125f * v * v * v;
    }
    return v;
}

/* The right channel: values move away from 0, towards 1 or -1. */
__device__ float widen(float v) {
    for (int round = 0; round < 48; round++) {
        v = v + 0.0625f * (copysignf(1.0f, v) - v);
    }
    return v;
}

/* Grid: n threads or more, in blocks of BLOCK threads. A block has the samples blockIdx.x * BLOCK ... + BLOCK - 1. */
__global__ void two_channels_kernel(const float *x, float *y, int n) {
    // TODO 6: as it stands, the even lanes of each warp are left and the odd ones right. Deal the samples of the block out in another
    // way: one half of its threads takes the left ones, the other half the right ones.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i % 2 == 0) {
            y[i] = soften(x[i]);
        } else {
            y[i] = widen(x[i]);
        }
    }
}

void two_channels(const float *x, float *y, int n, cudaStream_t stream) {
    // TODO 7: launch two_channels_kernel, as in TODO 5.
    (void)x, (void)y, (void)n, (void)stream;
}
