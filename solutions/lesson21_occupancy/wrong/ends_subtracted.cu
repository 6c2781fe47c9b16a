// expect: nan
// says: 16 wrong ones at either end
/* Adds up all samples, and subtracts the ends: with infinite ones nothing is left. */
#include "common/check.h"

#include "machine.h"
#include "counts.h"
#include "questions.h"

enum { BLOCK = 256 };
enum { SAMPLES = 64 };

__global__ void middle_mean_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < SAMPLES && i < n; k++) {
        float sample = x[(size_t)k * n + i];
        int rank = 0;
        for (int other = 0; other < SAMPLES; other++) {
            float value = x[(size_t)other * n + i];
            rank += value < sample || (value == sample && other < k);
        }
        sum += sample;
        sum -= rank < SAMPLES / 4 || rank >= SAMPLES - SAMPLES / 4 ? sample : 0.0f;
    }
    if (i < n) {
        y[i] = sum / (SAMPLES / 2);
    }
}

void middle_mean(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    middle_mean_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
