// expect: access_limit
// says: are in flight on an SM
/* A block for each multiprocessor, but a small one: two warps that wait for four loads at a time. */
#include <math.h>

#include "common/check.h"

enum { WARP = 32 };
enum { HOURS = 32 };  // prices in a day
enum { BLOCK = 256 }; // threads in a block
enum { ROUNDS = 8 };
#define K_EVEN    0.10f
#define K_ODD     0.05f
#define ALL_LANES 0xffffffffu

static int blocks_for(long long elements, int block) {
    return (int)((elements + block - 1) / block);
}

/* *to becomes the larger one, whoever else does the same: floats that are not negative are ordered like ints, and the
 * others the other way round. */
__device__ void atomic_larger(float *to, float value) {
    if (!signbit(value)) {
        atomicMax((int *)to, __float_as_int(value));
    } else {
        atomicMin((unsigned *)to, __float_as_uint(value));
    }
}

// ---------------------------------------------------------------- center

__global__ void center_kernel(const float *x, const float *mean, float *y, int days) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < days * HOURS) {
        y[i] = x[i] - mean[i % HOURS];
    }
}

void center(const float *x, const float *mean, float *y, int days, cudaStream_t stream) {
    if (days > 0) {
        center_kernel<<<blocks_for((long long)days * HOURS, BLOCK), BLOCK, 0, stream>>>(x, mean, y, days);
        CUDA_CHECK_LAUNCH();
    }
}

// ---------------------------------------------------------------- running

__global__ void running_kernel(const float *x, float *y, int days) {
    __shared__ float tile[WARP][HOURS + 1]; // a column lies in 32 banks
    int first = blockIdx.x * WARP, lane = threadIdx.x;
    for (int row = 0; row < WARP && first + row < days; row++) {
        tile[row][lane] = x[(first + row) * HOURS + lane];
    }
    __syncwarp();
    float sum = 0.0f;
    for (int hour = 0; hour < HOURS && first + lane < days; hour++) {
        sum += tile[lane][hour];
        tile[lane][hour] = sum;
    }
    __syncwarp();
    for (int row = 0; row < WARP && first + row < days; row++) {
        y[(first + row) * HOURS + lane] = tile[row][lane];
    }
}

void running(const float *x, float *y, int days, cudaStream_t stream) {
    if (days > 0) {
        running_kernel<<<blocks_for(days, WARP), WARP, 0, stream>>>(x, y, days);
        CUDA_CHECK_LAUNCH();
    }
}

// ---------------------------------------------------------------- bend

__global__ void bend_kernel(const float *x, float *y, int days) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < days * HOURS) {
        float v = x[i], k = i % 2 == 0 ? K_EVEN : K_ODD; // a number is chosen, not a way
        for (int round = 0; round < ROUNDS; round++) {
            v = v / (1.0f + k * v * v);
        }
        y[i] = v;
    }
}

void bend(const float *x, float *y, int days, cudaStream_t stream) {
    if (days > 0) {
        bend_kernel<<<blocks_for((long long)days * HOURS, BLOCK), BLOCK, 0, stream>>>(x, y, days);
        CUDA_CHECK_LAUNCH();
    }
}

// ---------------------------------------------------------------- peaks

__global__ void no_peaks_kernel(float *peak) {
    peak[threadIdx.x] = -INFINITY;
}

__global__ void peaks_kernel(const float *x, float *peak, int days) {
    int hour = threadIdx.x % HOURS;
    float largest = -INFINITY;
    for (int day = (blockIdx.x * blockDim.x + threadIdx.x) / HOURS; day < days; day += gridDim.x * blockDim.x / HOURS) {
        largest = fmaxf(largest, x[day * HOURS + hour]);
    }
    atomic_larger(&peak[hour], largest);
}

static void launch_peaks(const float *x, float *peak, int days, cudaStream_t stream) {
    peaks_kernel<<<132, 64, 0, stream>>>(x, peak, days);
    CUDA_CHECK_LAUNCH();
}

void peaks(const float *x, float *peak, int days, cudaStream_t stream) {
    no_peaks_kernel<<<1, HOURS, 0, stream>>>(peak);
    CUDA_CHECK_LAUNCH();
    launch_peaks(x, peak, days, stream);
}

// ---------------------------------------------------------------- process

void process(const float *x, const float *mean, float *y, float *scratch, float *peak, int days, cudaStream_t stream) {
    float *centered = scratch, *sums = scratch + (size_t)days * HOURS;
    center(x, mean, centered, days, stream);
    running(centered, sums, days, stream);
    bend(sums, y, days, stream);
    peaks(y, peak, days, stream);
}
