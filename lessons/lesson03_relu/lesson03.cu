/* Lesson 03: ReLU, the first operator written as a library would ship it.
 *
 *     make lesson03 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson03 run V=4 SIZE=1000003    one version, one size
 *
 * You will learn what separates a kernel that works from an operator that others can call: a launcher that takes
 * pointers, n and a stream and never waits; any n, zero included; any address; NaN and -0.0 handled as stated.
 *
 *     relu_kernel1   one thread per element
 *     relu_kernel2   __restrict__: a promise to the compiler that x and y do not overlap
 *     relu_kernel3   grid-stride loop: the size of the grid no longer depends on n
 *     relu_kernel4   one thread per float4: four elements per load and store, and a remainder
 *     relu_kernel5   in place: y may be x, so the promise is withdrawn
 *
 * ReLU is max(x, 0), with two questions that the formula leaves open. Here NaN stays NaN, because an operator must
 * not hide that something went wrong before it; and -0.0 becomes +0.0, so the result is never negative.
 */
#include <math.h>
#include <stdint.h>

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/elementwise.h"
#include "../../common/lesson.h"

enum { BLOCK = 256 };       // threads in a block: a multiple of 32, small enough for every GPU
enum { BLOCKS_PER_SM = 8 }; // 8 x 256 threads are as many as one SM holds

// ---------------------------------------------------------------- the reference

/* Written in another way than the kernels: a mistake made once should not be made twice. */
static void relu_cpu(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 0 || isnan(x[i])) {
            y[i] = x[i];
        } else {
            y[i] = 0.0f;
        }
    }
}

// ---------------------------------------------------------------- the versions

/* x[n] -> y[n], float. Every version has these shapes.
 *
 * The condition is chosen with care. NaN <= 0 is false, so the result is NaN; -0.0 <= 0 is true, so the result is +0.0.
 * x > 0 ? x : 0 and fmaxf(x, 0) look the same and are not: both turn NaN into 0. */
static __device__ float relu(float x) {
    return x <= 0.0f ? 0.0f : x;
}

/* Version 1: one thread per element. The grid is rounded up to whole blocks, so the last block has threads that
 * have no element: the guard sends them home. */
static __global__ void relu_kernel1(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = relu(x[i]);
    }
}

/* Version 2: the same, with a promise that nothing written through y is read through x. The compiler may now load
 * early and through the read-only path (ld.global.nc). With one load and one store per thread, does that help? */
static __global__ void relu_kernel2(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = relu(x[i]);
    }
}

/* Version 3: the grid-stride loop. As many threads as the GPU can hold, each taking every stride-th element: any grid
 * handles any n. The compiler unrolls the loop, and thanks to version 2's promise it has four loads in flight. */
static __global__ void relu_kernel3(const float *__restrict__ x, float *__restrict__ y, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = relu(x[i]);
    }
}

/* Version 4: version 2 with one thread per float4, four elements in one load. A float4 must be aligned to 16
 * bytes. If n is not a multiple of 4, up to three elements remain, which the first threads take as well. */
static __global__ void relu_kernel4(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = ((const float4 *)x)[i];
        ((float4 *)y)[i] = make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
    }
    if (i < n % 4) {
        int last = n / 4 * 4 + i;
        y[last] = relu(x[last]);
    }
}

/* Version 5: x and y may be the same array. Each element is read before it is written, and by the same thread, so
 * nothing else has to change; but the promise of version 2 would now be false, and is removed. */
static __global__ void relu_kernel5(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = ((const float4 *)x)[i];
        ((float4 *)y)[i] = make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
    }
    if (i < n % 4) {
        int last = n / 4 * 4 + i;
        y[last] = relu(x[last]);
    }
}

// ---------------------------------------------------------------- the launchers

/* What every launcher promises: it queues the work in `stream` and returns at once, waiting for nothing. n may be 0.
 * The pointers are device memory; x and y may be equal only for relu5. */

static int aligned_for_float4(const void *p) {
    return (uintptr_t)p % sizeof(float4) == 0;
}

static void relu1(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return; // an empty grid is an error, an empty array is not
    }
    relu_kernel1<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void relu2(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    relu_kernel2<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void relu3(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = min(ceil_div(n, BLOCK), multiprocessors() * BLOCKS_PER_SM);
    relu_kernel3<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void relu4(const float *x, float *y, int n, cudaStream_t stream) {
    if (!aligned_for_float4(x) || !aligned_for_float4(y)) {
        relu3(x, y, n, stream); // x + 1 is a good pointer to floats, but not to float4
        return;
    }
    if (n == 0) {
        return;
    }
    relu_kernel4<<<ceil_div(n, 4 * BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void relu5(const float *x, float *y, int n, cudaStream_t stream) {
    if (!aligned_for_float4(x) || !aligned_for_float4(y)) {
        relu1(x, y, n, stream); // version 1 promises nothing about x and y either
        return;
    }
    if (n == 0) {
        return;
    }
    relu_kernel5<<<ceil_div(n, 4 * BLOCK), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static const struct elementwise_version versions[] = {
    {"relu_kernel1", relu1, relu_cpu}, {"relu_kernel2", relu2, relu_cpu},       {"relu_kernel3", relu3, relu_cpu},
    {"relu_kernel4", relu4, relu_cpu}, {"relu_kernel5", relu5, relu_cpu, true}, // in place
};

// ---------------------------------------------------------------- verify and measure

/* x[n] and y[n], `offset` floats into their allocations: with an offset of 1 they are not aligned for float4. Every 13th element
 * is one that ReLU has to treat with care. */
static struct elementwise problem_create(int n, int offset, uint64_t seed) {
    static const float special[] = {NAN, -0.0f, INFINITY, -INFINITY, 0.0f, 1e-45f, -1e-45f};
    struct elementwise p = elementwise_create(n, offset);
    verify_random(p.input, n, -1.0f, 1.0f, seed);
    for (int i = 0; i < n; i += 13) {
        p.input[i] = special[i / 13 % 7];
    }
    return p;
}

/* ReLU copies or clears bits, so there is no rounding: every bit must agree, the sign of zero included. */
int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 1 << 20}, tables[] = {device_is_emulator() ? 1 << 22 : 1 << 27};
    elementwise_lesson lesson = elementwise_with("relu", versions, problem_create);
    lesson.kinds = 2; // offsets 0 and 1
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
