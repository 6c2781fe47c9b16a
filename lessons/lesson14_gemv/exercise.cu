/* Exercise 14: one layer of a network, y = gelu(W x + bias), with weights of one byte.
 *
 * A model of 70 GB in fp16 has 35 GB in int8, and generates a token in half the time. A byte holds a whole number q from -128 to 127.
 * Weights differ in size from place to place, so each GROUP of 64 neighbours in a row has its own scale:
 *
 *     W[r][c] = scales[r][c / 64] * q[r][c]
 *
 * The grader (make exercise14) calls, from the host:
 *
 *     void layer(const signed char *q, const float *scales, const float *x, const float *bias, float *y,
 *                int rows, int cols, cudaStream_t stream);
 *
 *   - y[r] = gelu(W[r][0] * x[0] + W[r][1] * x[1] + ... + bias[r]) for each of `rows` rows, where
 *     gelu(v) = v / 2 * (1 + erf(v / sqrt(2))), the one of exercise 03;
 *   - q is row-major, rows x cols; cols is a multiple of 4, so a char4, four weights, can be read at once: q is aligned
 *     to 4 bytes, x to 16 bytes. The other arrays are aligned to 4 bytes;
 *   - a row has ceil(cols / 64) scales. If cols is not a multiple of 64 the last group is shorter;
 *   - rows is 0 to 2^22, cols 0 to 2^16, and there are fewer than 2^31 weights; with no columns y = gelu(bias);
 *   - the arrays do not overlap, and nothing but y is written, each element by a kernel;
 *   - the work is queued in `stream`, and the function returns without waiting for it;
 *   - the weights are read along their rows, each once, and an x is read once for four rows, not for each row again: in
 *     all at most 11 sectors for 128 weights, four of which are the weights'; if rows is not a multiple of 16 or cols not a
 *     multiple of 128, twice as many, and as if a row had 128 columns more. This is checked from 16 rows on;
 *   - from 256 rows and 2^18 weights on no block reads more than half, and at least 512 threads read.
 * The file is compiled for compute capability 8.0.
 *
 * When all checks pass, the counts show that each weight is read once, and that several rows share what is read of x.
 * First step: TODO 7, about ten minutes: the check "layer reports a failed launch" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { WARP = 32, BLOCK = 128, WARPS = BLOCK / WARP };
enum { GROUP = 64 }; // weights that share a scale
enum { ROWS = 4 };   // that a warp has at the same time
#define ALL_LANES 0xffffffffu

static __host__ __device__ int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

static __device__ float gelu(float v) {
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

static __device__ float warp_sum(float value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    return value;
}

__global__ void layer_kernel(const signed char *q, const float *scales, const float *x, const float *bias, float *y,
                             int rows, int cols) {
    // TODO 1: this warp's first row (it has ROWS of them), and the lane. A warp without any row returns.
    int row = 0, lane = 0;

    int vectors = cols / 4, groups = ceil_div(cols, GROUP); // of a row: char4 in q, float4 in x; scales
    float sum[ROWS] = {};

    // TODO 2: which vectors of four columns are this lane's? The lanes of a warp take neighbouring ones.
    for (int i = vectors; i < vectors; i++) {
        // TODO 3: read the four x of vector i, here, once for all rows.
        float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            // TODO 4: if row + r exists, read its four weights (a char4), add up four products, multiply by the scale of the group
            // that contains these columns, and add that to sum[r].
            (void)q, (void)scales, (void)a, (void)row, (void)rows, (void)groups;
        }
    }

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        // TODO 5: add up what the 32 lanes have in sum[r]. All of them have to execute the shuffles, even when there is no such
        // row.
        float total = sum[r];
        (void)warp_sum;
        // TODO 6: one lane adds the bias, applies gelu, and writes y[row + r], if there is such a row.
        (void)total, (void)lane, (void)bias, (void)y, (void)gelu;
    }
}

void layer(const signed char *q, const float *scales, const float *x, const float *bias, float *y, int rows, int cols,
           cudaStream_t stream) {
    // TODO 7: launch layer_kernel in `stream`: enough blocks for all rows. Check the launch.
    (void)q, (void)scales, (void)x, (void)bias, (void)y, (void)rows, (void)cols, (void)stream, (void)ceil_div;
}
