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
 *     relu_kernel4   one thread per float4: four elements per load and store, and a tail
 *     relu_kernel5   in place: y may be x, so the promise is taken back
 *
 * ReLU is max(x, 0), with two questions that the formula leaves open. Here NaN stays NaN, because an operator must
 * not hide that something went wrong before it; and -0.0 becomes +0.0, so no negative number ever comes out.
 */
#include <math.h>
#include <stdint.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"

enum { BLOCK = 256 };       // threads in a block: a multiple of 32, small enough for every GPU
enum { BLOCKS_PER_SM = 8 }; // 8 x 256 threads are as many as one multiprocessor holds

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
 * The condition is chosen with care. NaN <= 0 is false, so NaN comes out; -0.0 <= 0 is true, so +0.0 comes out.
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
 * handles any n. The compiler unrolls the loop, and thanks to version 2's promise it has four loads under way at once. */
static __global__ void relu_kernel3(const float *__restrict__ x, float *__restrict__ y, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = relu(x[i]);
    }
}

/* Version 4: version 2 with one thread per float4, four elements in one load. A float4 must lie on a multiple of 16
 * bytes. If n is not a multiple of 4, up to three elements are left: the tail, which the first threads take as well. */
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
 * nothing else has to change; but the promise of version 2 would now be a lie, and it is gone. */
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

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

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
    int device = 0, multiprocessors = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    int wanted = ceil_div(n, BLOCK), fit = multiprocessors * BLOCKS_PER_SM;
    int blocks = wanted < fit ? wanted : fit;
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

static const struct version {
    const char *name;
    void (*launch)(const float *x, float *y, int n, cudaStream_t stream);
    bool in_place;
} versions[] = {
    {"relu_kernel1", relu1, false}, {"relu_kernel2", relu2, false}, {"relu_kernel3", relu3, false},
    {"relu_kernel4", relu4, false}, {"relu_kernel5", relu5, true},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---------------------------------------------------------------- verify and measure

/* One input with its expected output, on the host and on the device. The device arrays start `offset` floats into
 * their allocation: with an offset of 1 they are not aligned for float4. */
struct problem {
    int n, offset;
    float *input, *expected, *found; // host
    float *x, *y;                    // device
    const struct version *version;
};

static struct problem problem_create(int n, int offset, uint64_t seed) {
    static const float special[] = {NAN, -0.0f, INFINITY, -INFINITY, 0.0f, 1e-45f, -1e-45f};
    size_t bytes = (size_t)n * sizeof(float);
    struct problem p = {};
    p.n = n;
    p.offset = offset;
    p.input = (float *)verify_host_alloc(bytes);
    p.expected = (float *)verify_host_alloc(bytes);
    p.found = (float *)verify_host_alloc(bytes);
    verify_random(p.input, n, -1.0f, 1.0f, seed);
    for (int i = 0; i < n; i += 13) {
        p.input[i] = special[i / 13 % 7];
    }
    relu_cpu(p.input, p.expected, n);
    CUDA_CHECK(cudaMalloc((void **)&p.x, bytes + offset * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&p.y, bytes + offset * sizeof(float)));
    p.x += offset;
    p.y += offset;
    CUDA_CHECK(cudaMemcpy(p.x, p.input, bytes, cudaMemcpyHostToDevice));
    return p;
}

static void problem_free(struct problem *p) {
    CUDA_CHECK(cudaFree(p->x - p->offset));
    CUDA_CHECK(cudaFree(p->y - p->offset));
    free(p->input);
    free(p->expected);
    free(p->found);
}

/* Puts into y what the version must find there: its input, or poison that it has to overwrite. */
static void problem_reset(struct problem *p, const struct version *version) {
    size_t bytes = (size_t)p->n * sizeof(float);
    p->version = version;
    verify_poison_device(p->y, bytes);
    if (version->in_place) {
        CUDA_CHECK(cudaMemcpy(p->y, p->input, bytes, cudaMemcpyHostToDevice));
    }
}

static void problem_launch(void *job, cudaStream_t stream) {
    struct problem *p = (struct problem *)job;
    p->version->launch(p->version->in_place ? p->y : p->x, p->y, p->n, stream);
}

/* ReLU copies or clears bits, so there is no rounding: every bit must agree, the sign of zero included. */
static void problem_verify(struct problem *p) {
    size_t bytes = (size_t)p->n * sizeof(float);
    verify_poison_host(p->found, bytes);
    CUDA_CHECK(cudaMemcpy(p->found, p->y, bytes, cudaMemcpyDeviceToHost));
    verify_floats_exact(p->version->name, p->found, p->expected, p->n);
}

/* Versions first .. last on one size, at an aligned address and at one that is not. */
static void verify_versions(int first, int last, int n, uint64_t seed) {
    for (int offset = 0; offset < 2; offset++) {
        struct problem p = problem_create(n, offset, seed);
        for (int v = first; v <= last; v++) {
            problem_reset(&p, &versions[v]);
            problem_launch(&p, 0);
            CUDA_CHECK(cudaDeviceSynchronize());
            problem_verify(&p);
        }
        problem_free(&p);
    }
}

/* The table. ReLU needs to read n floats and to write n floats. */
static void measure_versions(int first, int last, int n, uint64_t seed) {
    double bytes = 2.0 * n * sizeof(float);
    struct problem p = problem_create(n, 0, seed);
    struct bench bench = bench_start(bytes);
    for (int v = first; v <= last; v++) {
        problem_reset(&p, &versions[v]);
        bench_run(&bench, versions[v].name, problem_launch, &p, n, bytes, 0);
        problem_verify(&p); // once more: what was timed must be right as well
    }
    printf("n = %d\n", n);
    bench_finish(&bench);
    problem_free(&p);
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    int first = options.version ? options.version - 1 : 0;
    int last = options.version ? options.version - 1 : VERSIONS - 1;
    int table_size = device_is_emulator() ? 1 << 22 : 1 << 27;
    device_print_backend();

    if (options.size >= 0) {
        table_size = (int)options.size;
        verify_versions(first, last, table_size, options.seed);
    } else {
        const int sizes[] = {0, 1, 31, 33, 1000, 1025, 1 << 20};
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            verify_versions(first, last, sizes[s], options.seed);
        }
    }
    if (table_size > 0 && verify_tally()->failures == 0) { // how fast a wrong kernel is does not matter
        measure_versions(first, last, table_size, options.seed);
    }
    return verify_finish("relu");
}
