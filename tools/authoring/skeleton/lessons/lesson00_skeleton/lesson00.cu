/* Lesson 00: skeleton. FILL IN what it is about, in one line.
 *
 *     make lesson00 run                  all versions on several sizes, verified, then measured (or counted)
 *     make lesson00 run V=2 SIZE=1000    one version, one size
 *
 * FILL IN: you will learn ... The job of the skeleton is y = 2 * x.
 *
 *     skeleton_kernel1    one thread for each element
 *     skeleton_kernel2    a grid-stride loop
 */
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/elementwise.h"
#include "../../common/lesson.h"

enum { BLOCK = 256 }; // threads in a block

// ---------------------------------------------------------------- the reference

/* What every version must compute. */
static void skeleton_cpu(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = 2.0f * x[i];
    }
}

// ---------------------------------------------------------------- the versions: one idea each

/* x, y: n floats. Grid: n threads or more. */
static __global__ void skeleton_kernel1(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
}

/* x, y: n floats. Any grid. */
static __global__ void skeleton_kernel2(const float *x, float *y, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = 2.0f * x[i];
    }
}

// ---------------------------------------------------------------- the launchers

static void skeleton1(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    skeleton_kernel1<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void skeleton2(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = min(ceil_div(n, BLOCK), 8 * multiprocessors()); // as many as are there at once
    skeleton_kernel2<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static const struct elementwise_version versions[] = {
    {"skeleton_kernel1", skeleton1, skeleton_cpu},
    {"skeleton_kernel2", skeleton2, skeleton_cpu},
};

// ---------------------------------------------------------------- verify and measure

static struct elementwise problem_create(int n, int offset, uint64_t seed) {
    struct elementwise p = elementwise_create(n, offset);
    verify_random(p.input, n, -1.0f, 1.0f, seed);
    return p;
}

int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 100000}, tables[] = {device_is_emulator() ? 1 << 20 : 1 << 27};
    elementwise_lesson lesson = elementwise_with("skeleton", versions, problem_create);
    lesson.flops = 1; // for each element
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
