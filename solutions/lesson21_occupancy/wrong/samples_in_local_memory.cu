// expect: access_limit
// says: of each thread's variables are in local memory
/* Few registers, because the samples are in none: their indices are not known to the compiler. */
#include "common/check.h"

#include "machine.h"
#include "counts.h"
#include "questions.h"

enum { BLOCK = 256 };
enum { SAMPLES = 64 };

__global__ void middle_mean_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float v[SAMPLES], sum = 0.0f;
    if (i >= n) {
        return;
    }
    for (int k = 0; k < SAMPLES; k++) {
        float sample = x[(size_t)k * n + i];
        int at = k;
        for (; at > 0 && v[at - 1] > sample; at--) {
            v[at] = v[at - 1];
        }
        v[at] = sample;
    }
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
