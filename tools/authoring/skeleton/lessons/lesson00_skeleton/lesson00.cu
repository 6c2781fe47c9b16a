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
#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"

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

/* The fewest blocks with n threads or more. */
static int blocks_for(int n) {
    return (n + BLOCK - 1) / BLOCK;
}

static void skeleton1(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    skeleton_kernel1<<<blocks_for(n), BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static void skeleton2(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = blocks_for(n) < 1056 ? blocks_for(n) : 1056; // 8 for each multiprocessor of an H200
    skeleton_kernel2<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

typedef void (*launcher)(const float *x, float *y, int n, cudaStream_t stream);

static const struct version {
    const char *name;
    launcher launch;
} versions[] = {
    {"skeleton_kernel1", skeleton1},
    {"skeleton_kernel2", skeleton2},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

// ---------------------------------------------------------------- the data

struct arrays {
    int n;
    float *x, *y, *expected; // on the host
    float *dev_x, *dev_y;    // on the device
};

static struct arrays arrays_create(int n, uint64_t seed) {
    size_t bytes = (size_t)n * sizeof(float);
    struct arrays a = {};
    a.n = n;
    a.x = (float *)verify_host_alloc(bytes);
    a.y = (float *)verify_host_alloc(bytes);
    a.expected = (float *)verify_host_alloc(bytes);
    verify_random(a.x, n, -1.0f, 1.0f, seed);
    skeleton_cpu(a.x, a.expected, n);
    a.dev_x = (float *)verify_alloc(bytes);
    a.dev_y = (float *)verify_alloc(bytes);
    CUDA_CHECK(cudaMemcpy(a.dev_x, a.x, bytes, cudaMemcpyHostToDevice));
    return a;
}

/* Copies the results back and compares them. */
static void arrays_verify(const struct arrays *a, const char *name) {
    size_t bytes = (size_t)a->n * sizeof(float);
    verify_poison_host(a->y, bytes);
    CUDA_CHECK(cudaMemcpy(a->y, a->dev_y, bytes, cudaMemcpyDeviceToHost));
    verify_floats_exact(name, a->y, a->expected, a->n);
}

static void arrays_free(struct arrays *a) {
    size_t bytes = (size_t)a->n * sizeof(float);
    verify_free("skeleton, x", a->dev_x, bytes);
    verify_free("skeleton, y", a->dev_y, bytes);
    free(a->x);
    free(a->y);
    free(a->expected);
}

// ---------------------------------------------------------------- what main does

static bool is_wanted(const struct options *options, int v) {
    return !options->version || options->version == v + 1;
}

static void verify_size(int n, const struct options *options) {
    struct arrays a = arrays_create(n, options->seed + n);
    for (int v = 0; v < VERSIONS; v++) {
        if (is_wanted(options, v)) {
            verify_poison_device(a.dev_y, n * sizeof(float));
            versions[v].launch(a.dev_x, a.dev_y, n, 0);
            CUDA_CHECK(cudaDeviceSynchronize()); // a copy of 0 bytes, as for n = 0, does not wait for the kernel
            arrays_verify(&a, versions[v].name);
        }
    }
    arrays_free(&a);
}

struct job {
    launcher launch;
    const struct arrays *arrays;
};

static void launch_job(void *data, cudaStream_t stream) {
    const struct job *job = (const struct job *)data;
    job->launch(job->arrays->dev_x, job->arrays->dev_y, job->arrays->n, stream);
}

static void print_table(int n, const struct options *options) {
    struct arrays a = arrays_create(n, options->seed);
    double bytes = 2.0 * n * sizeof(float); // one array read, one written
    struct bench bench = bench_start(bytes);
    for (int v = 0; v < VERSIONS; v++) {
        if (is_wanted(options, v)) {
            struct job job = {versions[v].launch, &a};
            verify_poison_device(a.dev_y, n * sizeof(float));
            bench_run(&bench, versions[v].name, launch_job, &job, n, bytes, n);
            arrays_verify(&a, versions[v].name);
        }
    }
    printf("n = %d\n", n);
    bench_finish(&bench);
    arrays_free(&a);
}

int main(int argc, char **argv) {
    static const int sizes[] = {0, 1, 31, 33, 1000, 1025, 100000};
    struct options options = options_read(argc, argv, VERSIONS);
    device_print_backend();
    if (options.size >= 0) {
        verify_size((int)options.size, &options);
    } else {
        for (int size : sizes) {
            verify_size(size, &options);
        }
    }
    int n = options.size >= 0 ? (int)options.size : device_is_emulator() ? 1 << 20 : 1 << 27;
    if (!verify_tally()->failures && n > 0) { // how fast a wrong kernel is does not matter
        print_table(n, &options);
    }
    return verify_finish("skeleton");
}
