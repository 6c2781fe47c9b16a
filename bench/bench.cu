/* The emulator's own speed: eight kernels on the emulator, and the same loops in plain C on one core.
 *
 *     make bench
 *
 * Every rate printed here is a rate of this machine's CPU: it says how long an exercise will take without a GPU, and
 * nothing about how fast a GPU runs it. Plain C is the loop one would write first, compiled by the host compiler at -O3 for
 * any x86-64. Both sides are timed in the same run, the best of five, and their results are compared. The
 * emulator's time includes the launch and every check of memory that it makes for a student. Kernels
 * are compiled before they are timed, as those of long launches are by default; EMULATOR_TIER=0 make bench has them interpreted.
 */
#include <math.h>
#include <time.h>

#include "bench/kernels.cuh"
#include "common/check.h"
#include "common/device.h"

enum { RUNS = 5 };
static const double WARM_UP = 3; /* seconds */

/* --- the same in plain C --- */

static void vecadd_plain(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < n; i++) {
        c[i] = a[i] + b[i];
    }
}

static void matmul_plain(const float *a, const float *b, float *c, int n) {
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int k = 0; k < n; k++) {
                sum += a[row * n + k] * b[k * n + column];
            }
            c[row * n + column] = sum;
        }
    }
}

static void reduction_many_plain(const float *x, float *sums, int n) {
    int blocks = n / REDUCTION_BLOCK / REDUCTION_EACH;
    for (int block = 0; block < blocks; block++) {
        float sum = 0;
        for (int begin = block * REDUCTION_BLOCK; begin < n; begin += blocks * REDUCTION_BLOCK) {
            for (int i = begin; i < begin + REDUCTION_BLOCK; i++) {
                sum += x[i];
            }
        }
        sums[block] = sum;
    }
}

static void reduction_plain(const float *x, float *sums, int n) {
    for (int block = 0; block * REDUCTION_BLOCK < n; block++) {
        float sum = 0;
        for (int i = block * REDUCTION_BLOCK; i < n && i < (block + 1) * REDUCTION_BLOCK; i++) {
            sum += x[i];
        }
        sums[block] = sum;
    }
}

static void mandelbrot_plain(int *counts, int width, int height) {
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
            counts[row * width + column] =
                mandelbrot_iterations(-2.0f + 3.0f * column / width, -1.0f + 2.0f * row / height);
        }
    }
}

static void bodies_plain(const float4 *bodies, float4 *accelerations, int n) {
    for (int i = 0; i < n; i++) {
        float x = 0, y = 0, z = 0;
        for (int k = 0; k < n; k++) {
            attract(bodies[i], bodies[k], &x, &y, &z);
        }
        accelerations[i] = make_float4(x, y, z, 0);
    }
}

/* --- timing --- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* The buffers and sizes of a job, for both sides. */
struct job {
    int n, width, height;
    float *a, *b, *c;                      /* host */
    float *device_a, *device_b, *device_c; /* device */
    half *half_a, *half_b;                 /* device: a and b, rounded */
};

typedef void (*job_function)(const struct job *job);

/* Seconds of the best of some runs, after others that warm up for at least that many seconds. */
static double best_of(int runs, double warm_up, job_function run, const struct job *job) {
    double best = INFINITY;
    for (double begin = now(); now() - begin < warm_up;) {
        run(job);
    }
    for (int i = 0; i < runs; i++) {
        double start = now();
        run(job);
        best = fmin(best, now() - start);
    }
    return best;
}

static void wait_for_kernel(void) {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void vecadd_emulated(const struct job *j) {
    vecadd_kernel<<<(j->n + 255) / 256, 256>>>(j->device_a, j->device_b, j->device_c, j->n);
    wait_for_kernel();
}
static void vecadd_host(const struct job *j) {
    vecadd_plain(j->a, j->b, j->c, j->n);
}

static void matmul_naive_emulated(const struct job *j) {
    matmul_naive_kernel<<<dim3(j->n / TILE, j->n / TILE), dim3(TILE, TILE)>>>(j->device_a, j->device_b, j->device_c,
                                                                              j->n);
    wait_for_kernel();
}
static void matmul_tiled_emulated(const struct job *j) {
    matmul_tiled_kernel<<<dim3(j->n / TILE, j->n / TILE), dim3(TILE, TILE)>>>(j->device_a, j->device_b, j->device_c,
                                                                              j->n);
    wait_for_kernel();
}
static void matmul_host(const struct job *j) {
    matmul_plain(j->a, j->b, j->c, j->n);
}

static void reduction_emulated(const struct job *j) {
    reduction_kernel<<<(j->n + REDUCTION_BLOCK - 1) / REDUCTION_BLOCK, REDUCTION_BLOCK>>>(j->device_a, j->device_c,
                                                                                          j->n);
    wait_for_kernel();
}
static void reduction_host(const struct job *j) {
    reduction_plain(j->a, j->c, j->n);
}

static void reduction_many_emulated(const struct job *j) {
    reduction_many_kernel<<<j->n / REDUCTION_BLOCK / REDUCTION_EACH, REDUCTION_BLOCK>>>(j->device_a, j->device_c, j->n);
    wait_for_kernel();
}
static void reduction_many_host(const struct job *j) {
    reduction_many_plain(j->a, j->c, j->n);
}

static void bodies_emulated(const struct job *j) {
    bodies_kernel<<<j->n / BODIES_BLOCK, BODIES_BLOCK>>>((const float4 *)j->device_a, (float4 *)j->device_c, j->n);
    wait_for_kernel();
}
static void bodies_host(const struct job *j) {
    bodies_plain((const float4 *)j->a, (float4 *)j->c, j->n);
}

static void wmma_emulated(const struct job *j) {
    wmma_kernel<<<dim3(j->n / 64, j->n / 16), 128>>>(j->half_a, j->half_b, j->device_c, j->n);
    wait_for_kernel();
}

static void mandelbrot_emulated(const struct job *j) {
    mandelbrot_kernel<<<dim3((j->width + 31) / 32, (j->height + 7) / 8), dim3(32, 8)>>>((int *)j->device_c, j->width,
                                                                                        j->height);
    wait_for_kernel();
}
static void mandelbrot_host(const struct job *j) {
    mandelbrot_plain((int *)j->c, j->width, j->height);
}

static void empty_emulated(const struct job *) {
    empty_kernel<<<1, 32>>>();
    wait_for_kernel();
}

/* --- comparing and printing --- */

/* Largest difference relative to the size of the values. */
static double difference(const float *expected, const float *found, size_t count) {
    double worst = 0, scale = 0;
    for (size_t i = 0; i < count; i++) {
        double d = fabs((double)expected[i] - found[i]);
        worst = d > worst || d != d ? d : worst;
        scale = fmax(scale, fabs((double)expected[i]));
    }
    return worst / scale;
}

struct benchmark {
    const char *name, *unit; /* of the rate, e.g. "M elements/s" */
    double work;             /* in units of the rate, per run; 0: counted from the result (mandelbrot) */
    job_function emulated, plain;
    size_t results; /* values of c to compare */
    double tolerance;
    int plain_runs;
    struct job job;
};

static double count_iterations(const struct job *j) {
    double sum = 0;
    for (int i = 0; i < j->width * j->height; i++) {
        sum += ((const int *)j->c)[i];
    }
    return sum * 1e-9;
}

/* Points at which the counts differ: a fused multiply-add moves a few on the boundary. */
static double differing_counts(const int *expected, const int *found, size_t count) {
    double differing = 0;
    for (size_t i = 0; i < count; i++) {
        differing += expected[i] != found[i];
    }
    return differing / count;
}

static int run_benchmark(const struct benchmark *b, float *copy) {
    const struct job *j = &b->job;
    double plain = best_of(b->plain_runs, 0, b->plain, j);
    CUDA_CHECK(cudaMemset(j->device_c, 0xff, b->results * sizeof(float)));
    double emulated = best_of(RUNS, WARM_UP, b->emulated, j);
    CUDA_CHECK(cudaMemcpy(copy, j->device_c, b->results * sizeof(float), cudaMemcpyDeviceToHost));
    double error = b->work ? difference(j->c, copy, b->results)
                           : differing_counts((const int *)j->c, (const int *)copy, b->results);
    double work = b->work ? b->work : count_iterations(j);
    int right = error <= b->tolerance;
    printf("%-22s %9.2f %9.2f  %-16s %8.2f  %s\n", b->name, work / plain, work / emulated, b->unit, plain / emulated,
           right ? "agree" : "DIFFER");
    return right;
}

static float *host_buffer(size_t count, unsigned seed) {
    float *x = (float *)malloc(count * sizeof(float));
    if (!x) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (seed >> 8) * (1.0f / (1 << 24));
    }
    return x;
}

static void device_buffer(float **device, const float *host, size_t count) {
    CUDA_CHECK(cudaMalloc(device, count * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(*device, host, count * sizeof(float), cudaMemcpyHostToDevice));
}

int main(void) {
    enum { ELEMENTS = 1 << 24, MATRIX = 512, HALF_MATRIX = 1024, BODIES = 8192, WIDTH = 1024, HEIGHT = 768 };
    if (!device_is_emulator()) {
        fprintf(stderr, "bench: this times the emulator, and a GPU runs it now; the lessons time a GPU\n");
        return 1;
    }
    const char *(*name)(void) = (const char *(*)(void))device_emulator_function("emulatorName");
    struct job job = {};
    job.a = host_buffer(ELEMENTS, 1), job.b = host_buffer(ELEMENTS, 2), job.c = host_buffer(ELEMENTS, 3);
    float *copy = host_buffer(ELEMENTS, 4);
    device_buffer(&job.device_a, job.a, ELEMENTS);
    device_buffer(&job.device_b, job.b, ELEMENTS);
    device_buffer(&job.device_c, job.c, ELEMENTS);
    int halves = HALF_MATRIX * HALF_MATRIX;
    CUDA_CHECK(cudaMalloc(&job.half_a, halves * sizeof(half)));
    CUDA_CHECK(cudaMalloc(&job.half_b, halves * sizeof(half)));
    to_half_kernel<<<(halves + 255) / 256, 256>>>(job.device_a, job.half_a, halves);
    to_half_kernel<<<(halves + 255) / 256, 256>>>(job.device_b, job.half_b, halves);
    wait_for_kernel();

    struct job vector = job, matrix = job, half_matrix = job, bodies = job, image = job;
    vector.n = ELEMENTS, matrix.n = MATRIX, half_matrix.n = HALF_MATRIX, bodies.n = BODIES;
    image.width = WIDTH, image.height = HEIGHT;
    double flops = 2e-9 * MATRIX * MATRIX * MATRIX;
    double half_flops = 2e-9 * HALF_MATRIX * HALF_MATRIX * HALF_MATRIX;
    const struct benchmark benchmarks[] = {
        {"vecadd", "M elements/s", ELEMENTS * 1e-6, vecadd_emulated, vecadd_host, ELEMENTS, 0, RUNS, vector},
        {"matmul naive", "GFLOP/s", flops, matmul_naive_emulated, matmul_host, MATRIX * MATRIX, 1e-5, RUNS, matrix},
        {"matmul tiled 16x16", "GFLOP/s", flops, matmul_tiled_emulated, matmul_host, MATRIX * MATRIX, 1e-5, RUNS,
         matrix},
        {"reduction, 1 a thread", "G elements/s", ELEMENTS * 1e-9, reduction_emulated, reduction_host,
         ELEMENTS / REDUCTION_BLOCK, 1e-5, RUNS, vector},
        {"reduction, 16 a thread", "G elements/s", ELEMENTS * 1e-9, reduction_many_emulated, reduction_many_host,
         ELEMENTS / REDUCTION_BLOCK / REDUCTION_EACH, 1e-4, RUNS, vector},
        {"mandelbrot", "G iterations/s", 0, mandelbrot_emulated, mandelbrot_host, (size_t)WIDTH * HEIGHT, 0.01, RUNS,
         image},
        {"n-body", "G interactions/s", 1e-9 * BODIES * BODIES, bodies_emulated, bodies_host, 4 * BODIES, 1e-3, RUNS,
         bodies},
        {"wmma half 1024^3", "GFLOP/s", half_flops, wmma_emulated, matmul_host, HALF_MATRIX * HALF_MATRIX, 1e-3, 1,
         half_matrix},
    };

    printf("%s\n", name());
    printf(
        "Rates of this machine's CPU, never of a GPU. Ratio: how many times as fast as plain C the emulator is.\n\n");
    printf("%-22s %9s %9s  %-16s %8s  %s\n", "kernel", "plain C", "emulated", "rate on the CPU", "ratio", "results");
    printf("%-22s %9s %9s\n", "", "1 core", "all cores");
    int right = 1;
    for (const struct benchmark &b : benchmarks) {
        right &= run_benchmark(&b, copy);
    }
    printf("%-22s %9s %9.1f  us, launch and wait\n", "empty kernel", "",
           best_of(RUNS, 0.01, empty_emulated, &job) * 1e6);
    return right ? 0 : 1;
}
