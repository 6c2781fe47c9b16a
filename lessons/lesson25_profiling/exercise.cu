/* Exercise 25: make it fast. This program is right, and slow for five reasons: memory that is not coalesced, bank
 * conflicts, a warp that diverges, too few bytes in flight, and a host that waits. Which function has which? Find out
 * before you change anything:
 *
 *     make exercise25 profile               the slow program, as it is in this file
 *     make exercise25 profile BASE=last     after a change: what is better and worse, line by line
 *
 * It is about prices: a table of `days` rows, each with the 32 prices of a day. The grader (make exercise25) calls,
 * from the host:
 *
 *     void center(const float *x, const float *mean, float *y, int days, cudaStream_t stream);
 *         y[d][h] = x[d][h] - mean[h]
 *     void running(const float *x, float *y, int days, cudaStream_t stream);
 *         y[d][h] = x[d][0] + ... + x[d][h]: the day's sum so far
 *     void bend(const float *x, float *y, int days, cudaStream_t stream);
 *         y[d][h] = ROUNDS times v = v / (1 + k v v), with k = K_EVEN in even hours h and k = K_ODD in odd ones
 *     void peaks(const float *x, float *peak, int days, cudaStream_t stream);
 *         peak[h] = the largest of x[0][h] .. x[days - 1][h]; -INFINITY if there are no days
 *     void process(const float *x, const float *mean, float *y, float *scratch, float *peak, int days, cudaStream_t
 *                  stream);
 *         y = bend(running(center(x))), peak = peaks(y); scratch: 2 * 32 * days floats, for any purpose
 *
 *   - x, mean, y, scratch and peak begin at multiples of 256 bytes, x is finite, and 0 <= days <= 2^20;
 *   - all work is queued in `stream`, each function returns without waiting, and a failed launch is reported;
 *   - on the emulator the grader counts, for each function and for tables from 257 days on: sectors, wavefronts,
 *     divergent branches, floating-point operations, and of peaks atomics and bytes in flight in the warps that read x.
 *     On a GPU it times each of them next to a copy of as many bytes.
 *
 * The results of each function must stay the same. How it computes them is up to you.
 *
 * When all checks pass, five functions that were right and slow are right and fast, and the counts confirm what slowed
 * each of them down.
 * First step: TODO 1, about ten minutes: the check "center: memory is coalesced" passes.
 */
// fails as given: access_limit
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

// TODO 1: center is right, and slow. What stands out? (make exercise25 profile KERNEL=center) Change one thing.
__global__ void center_kernel(const float *x, const float *mean, float *y, int days) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < days * HOURS) {
        int hour = i / days, day = i % days;
        y[day * HOURS + hour] = x[day * HOURS + hour] - mean[hour];
    }
}

void center(const float *x, const float *mean, float *y, int days, cudaStream_t stream) {
    if (days > 0) {
        center_kernel<<<blocks_for((long long)days * HOURS, BLOCK), BLOCK, 0, stream>>>(x, mean, y, days);
        CUDA_CHECK_LAUNCH();
    }
}

// ---------------------------------------------------------------- running

// TODO 2: running is right, and slow. A block is one warp: it loads 32 days into shared memory, each of its threads
// adds up one day, and then the warp stores them. What stands out?
__global__ void running_kernel(const float *x, float *y, int days) {
    __shared__ float tile[WARP][HOURS];
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

// TODO 3: bend is right, and slow. What stands out, and does what bend computes need it?
__global__ void bend_kernel(const float *x, float *y, int days) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < days * HOURS) {
        float v = x[i];
        if (i % 2 == 0) {
            for (int round = 0; round < ROUNDS; round++) {
                v = v / (1.0f + K_EVEN * v * v);
            }
        } else {
            for (int round = 0; round < ROUNDS; round++) {
                v = v / (1.0f + K_ODD * v * v);
            }
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

// TODO 4: peaks is right, and slow. What stands out?
// You may change kernel and launch; peak is set to -INFINITY before, and with atomic_larger, above, several blocks can update one peak.
__global__ void peaks_kernel(const float *x, float *peak, int days) {
    int hour = threadIdx.x % HOURS;
    float largest = -INFINITY;
    for (int day = threadIdx.x / HOURS; day < days; day += BLOCK / HOURS) {
        largest = fmaxf(largest, x[day * HOURS + hour]);
    }
    atomic_larger(&peak[hour], largest);
}

static void launch_peaks(const float *x, float *peak, int days, cudaStream_t stream) {
    peaks_kernel<<<1, BLOCK, 0, stream>>>(x, peak, days);
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
    // TODO 5: process is right, and slow. Is it a kernel's fault?
    center(x, mean, centered, days, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    running(centered, sums, days, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    bend(sums, y, days, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    peaks(y, peak, days, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
}
