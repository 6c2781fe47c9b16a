/* What it costs to watch kernels: `make bench` runs this program plain, with counters, with profiles and with checks, and puts the
 * times side by side (tools/actions/watching.sh). Times are of this machine's CPU: seconds that all of its cores have worked, so that other
 * programs matter little; the second best of several runs.
 *
 * With COUNTERS=1 in the environment, emulator.h's counters are on: the sums that a lesson's table shows.
 */
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "bench/kernels.cuh"
#include "common/check.h"
#include "common/device.h"

enum { RUNS = 5, ELEMENTS = 1 << 24, SIDE = 512, IMAGE = 2048, BODIES = 8192 };

static float *a, *b, *c;

static void run_vecadd(void) {
    vecadd_kernel<<<ELEMENTS / 256, 256>>>(a, b, c, ELEMENTS);
}
static void run_naive(void) {
    matmul_naive_kernel<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(a, b, c, SIDE);
}
static void run_tiled(void) {
    matmul_tiled_kernel<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(a, b, c, SIDE);
}
static void run_reduction(void) {
    reduction_kernel<<<ELEMENTS / REDUCTION_BLOCK, REDUCTION_BLOCK>>>(a, c, ELEMENTS);
}
static void run_reduction_many(void) {
    reduction_many_kernel<<<ELEMENTS / REDUCTION_BLOCK / REDUCTION_EACH, REDUCTION_BLOCK>>>(a, c, ELEMENTS);
}
static void run_mandelbrot(void) {
    mandelbrot_kernel<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>((int *)c, SIDE, SIDE);
}
static void run_bodies(void) {
    bodies_kernel<<<BODIES / BODIES_BLOCK, BODIES_BLOCK>>>((const float4 *)a, (float4 *)c, BODIES);
}
static void run_wmma(void) {
    wmma_kernel<<<dim3(SIDE / 64, SIDE / 16), 128>>>((const half *)a, (const half *)b, c, SIDE);
}

static void run_to_columns(void) {
    transpose_to_columns_kernel<<<dim3(IMAGE / 32, IMAGE / 8), dim3(32, 8)>>>(a, c, IMAGE);
}
static void run_from_columns(void) {
    transpose_from_columns_kernel<<<dim3(IMAGE / 32, IMAGE / 8), dim3(32, 8)>>>(a, c, IMAGE);
}
static void run_5_points(void) {
    stencil_5_points_kernel<<<dim3(IMAGE / 32, IMAGE / 8), dim3(32, 8)>>>(a, c, IMAGE, IMAGE);
}
static void run_line(void) {
    stencil_line_kernel<<<IMAGE * IMAGE / 256, 256>>>(a + RADIUS, c, IMAGE * IMAGE);
}
static void run_threshold(void) {
    threshold_kernel<<<ELEMENTS / 256, 256>>>((const unsigned char *)a, (unsigned char *)c, ELEMENTS);
}
static void run_histogram(void) {
    histogram_kernel<<<ELEMENTS / 16384, 256>>>((const unsigned char *)a, (unsigned *)c, ELEMENTS);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *only; /* kernels with this in their names are timed */

static void time_kernel(const char *name, void (*run)(void)) {
    double seconds[RUNS];
    if (!strstr(name, only)) {
        return;
    }
    for (int i = 0; i < RUNS; i++) {
        double begin = cpu_seconds();
        run();
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
        seconds[i] = cpu_seconds() - begin;
    }
    std::sort(seconds, seconds + RUNS);
    printf("%s\t%.6f\n", name, seconds[1]); /* the clock of a virtual machine's CPU has been seen to miss a run */
}

int main(int count_of_arguments, char **arguments) {
    only = count_of_arguments > 1 ? arguments[1] : "";
    void (*count)(void) = (void (*)(void))device_emulator_function("emulatorCountersStart");
    float **buffers[] = {&a, &b, &c};
    for (float **buffer : buffers) {
        CUDA_CHECK(cudaMalloc(buffer, ELEMENTS * sizeof **buffer));
        CUDA_CHECK(cudaMemset(*buffer, 0, ELEMENTS * sizeof **buffer));
    }
    if (getenv("COUNTERS") && count) {
        count();
    }
    time_kernel("vecadd", run_vecadd);
    time_kernel("matmul naive", run_naive);
    time_kernel("matmul tiled 16x16", run_tiled);
    time_kernel("reduction, 1 a thread", run_reduction);
    time_kernel("reduction, 16 a thread", run_reduction_many);
    time_kernel("mandelbrot", run_mandelbrot);
    time_kernel("n-body", run_bodies);
    time_kernel("wmma half", run_wmma);
    time_kernel("transpose to columns", run_to_columns);
    time_kernel("transpose fr. columns", run_from_columns);
    time_kernel("stencil, 5 points", run_5_points);
    time_kernel("stencil, 9 on a line", run_line);
    time_kernel("bytes, threshold", run_threshold);
    time_kernel("bytes, histogram", run_histogram);
    for (float **buffer : buffers) {
        CUDA_CHECK(cudaFree(*buffer));
    }
    return 0;
}
