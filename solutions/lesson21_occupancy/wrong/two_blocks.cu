// expect: access_limit
// says: 2 resident blocks, which are 16 warps
/* The bounds are as they were: two blocks are asked for, and ptxas uses the registers that they leave. */
#include "common/check.h"

#include "machine.h"
#include "counts.h"
#include "questions.h"

enum { BLOCK = 256 };
enum { SAMPLES = 64 };

/* The smaller one to the place of lower number; which pairs, does not depend on the numbers. */
static __device__ void sort_samples(float (&v)[SAMPLES]) {
#pragma unroll
    for (int size = 2; size <= SAMPLES; size *= 2) {
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
#pragma unroll
            for (int i = 0; i < SAMPLES; i++) {
                int other = step == size / 2 ? i ^ (size - 1) : i ^ step;
                if (other > i) {
                    float low = fminf(v[i], v[other]);
                    v[other] = fmaxf(v[i], v[other]);
                    v[i] = low;
                }
            }
        }
    }
}

__global__ void __launch_bounds__(BLOCK, 2) middle_mean_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float v[SAMPLES], sum = 0.0f;
    if (i >= n) {
        return;
    }
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        v[k] = x[(size_t)k * n + i];
    }
    sort_samples(v);
#pragma unroll
    for (int k = SAMPLES / 4; k < SAMPLES - SAMPLES / 4; k++) {
        sum += v[k];
    }
    y[i] = sum / (SAMPLES / 2);
}

void middle_mean(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    middle_mean_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
