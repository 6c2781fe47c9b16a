/* A scan in five steps of shuffles over (value, found) pairs, in blocks of 96 threads, without the lanes past n. */
#include <math.h>

#include "common/check.h"

#define ALL_LANES 0xffffffffu

/* Some lane of the warp has an element, or the warp has left before. */
__global__ void fill_forward_kernel(const float *x, float *y, unsigned *valid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x & 31, members = __ballot_sync(ALL_LANES, i < n);
    if (i >= n) {
        return;
    }
    float value = x[i];
    bool found = value == value;
    unsigned word = __ballot_sync(members, found);
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        float other = __shfl_up_sync(members, value, distance);
        bool other_found = __shfl_up_sync(members, found, distance);
        if (!found && lane >= distance && other_found) {
            value = other;
            found = true;
        }
    }
    y[i] = found ? value : 0.0f;
    if (lane == 0) {
        valid[i >> 5] = word;
    }
}

void fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int threads = 96;
    int blocks = (n + threads - 1) / threads;
    fill_forward_kernel<<<blocks, threads, 0, stream>>>(x, y, valid, n);
    CUDA_CHECK_LAUNCH();
}

#include "../wrong/two_channels.h"
