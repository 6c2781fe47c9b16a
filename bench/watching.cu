/* What it costs to watch kernels: `make bench` runs this program plain, with counters, and with checks, and puts the times side by
 * side. Times are of this machine's CPU: seconds that all of its cores have worked, so that other programs do not matter; the best
 * of several runs. EMULATOR_TIER=0 everywhere: what is watched is interpreted, and so is what it is compared with.
 *
 * With COUNTERS=1 in the environment, emulator.h's counters are on: the sums that a lesson's table shows.
 */
#include <cstdlib>
#include <ctime>

#include "common/check.h"
#include "common/device.h"

enum { RUNS = 7, TILE = 16, BLOCK = 256, LIMIT = 256 };

__global__ void vecadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

__global__ void matmul_naive(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

__global__ void matmul_tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < n; start += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void reduction(const float *x, float *sums, int n) {
    __shared__ float partial[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = partial[0];
    }
}

__global__ void mandelbrot(float *counts, int width) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.0f + 3.0f * column / width, cy = -1.0f + 2.0f * row / width, x = 0, y = 0;
    int count = 0;
    while (count < LIMIT && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        count++;
    }
    counts[row * width + column] = count;
}

enum { ELEMENTS = 1 << 20, SIDE = 256, MANDELBROT_SIDE = 256 };
static float *a, *b, *c;

static void run_vecadd(void) {
    vecadd<<<ELEMENTS / BLOCK, BLOCK>>>(a, b, c, ELEMENTS);
}
static void run_naive(void) {
    matmul_naive<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(a, b, c, SIDE);
}
static void run_tiled(void) {
    matmul_tiled<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(a, b, c, SIDE);
}
static void run_reduction(void) {
    reduction<<<ELEMENTS / BLOCK, BLOCK>>>(a, c, ELEMENTS);
}
static void run_mandelbrot(void) {
    mandelbrot<<<dim3(MANDELBROT_SIDE / TILE, MANDELBROT_SIDE / TILE), dim3(TILE, TILE)>>>(c, MANDELBROT_SIDE);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_kernel(const char *name, void (*run)(void)) {
    double best = 1e30;
    for (int i = 0; i < RUNS; i++) {
        double begin = cpu_seconds();
        run();
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
        double seconds = cpu_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    printf("%s %.6f\n", name, best);
}

int main() {
    void (*count)(void) = (void (*)(void))device_emulator_function("emulatorCountersStart");
    CUDA_CHECK(cudaMalloc(&a, ELEMENTS * sizeof *a));
    CUDA_CHECK(cudaMalloc(&b, ELEMENTS * sizeof *b));
    CUDA_CHECK(cudaMalloc(&c, ELEMENTS * sizeof *c));
    CUDA_CHECK(cudaMemset(a, 0, ELEMENTS * sizeof *a));
    CUDA_CHECK(cudaMemset(b, 0, ELEMENTS * sizeof *b));
    if (getenv("COUNTERS") && count) {
        count();
    }
    time_kernel("vecadd", run_vecadd);
    time_kernel("matmul_naive", run_naive);
    time_kernel("matmul_tiled", run_tiled);
    time_kernel("reduction", run_reduction);
    time_kernel("mandelbrot", run_mandelbrot);
    return 0;
}
