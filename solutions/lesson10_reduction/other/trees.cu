/* Trees in shared memory instead of shuffles, the largest first and then the sum, a counter that the last block sets back
 * itself, and sums in double on the way. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 128 };
enum { BLOCKS_MAX = 1024 };

__device__ void reduce(double sum, float largest, double *sums, float *largests) {
    int t = threadIdx.x;
    sums[t] = sum;
    largests[t] = largest;
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        __syncthreads();
        if (t < step) {
            float other = largests[t + step];
            sums[t] += sums[t + step];
            if (isnan(other) || other > largests[t]) {
                largests[t] = other;
            }
        }
    }
    __syncthreads();
}

__global__ void summarize_kernel(const float *x, float *result, int n, float *partial, unsigned *done) {
    __shared__ double sums[BLOCK];
    __shared__ float largests[BLOCK];
    __shared__ unsigned number;
    double sum = 0.0;
    float largest = -INFINITY;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        float v = x[i];
        sum += v;
        largest = isnan(v) || v > largest ? v : largest;
    }
    reduce(sum, largest, sums, largests);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = (float)sums[0];
        partial[BLOCKS_MAX + blockIdx.x] = largests[0];
        __threadfence();
        number = atomicAdd(done, 1);
        __threadfence();
    }
    __syncthreads();
    if (number != gridDim.x - 1) {
        return;
    }
    sum = 0.0;
    largest = -INFINITY;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += BLOCK) {
        float v = ((volatile float *)partial)[BLOCKS_MAX + b];
        sum += ((volatile float *)partial)[b];
        largest = isnan(v) || v > largest ? v : largest;
    }
    reduce(sum, largest, sums, largests);
    if (threadIdx.x == 0) {
        result[0] = (float)sums[0];
        result[1] = isnan(sums[0]) ? NAN : largests[0];
        *done = 0;
    }
}

void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    blocks = blocks == 0 ? 1 : min(blocks, (int)BLOCKS_MAX);
    summarize_kernel<<<blocks, BLOCK, 0, stream>>>(x, result, n, partial, done);
    CUDA_CHECK_LAUNCH();
}
