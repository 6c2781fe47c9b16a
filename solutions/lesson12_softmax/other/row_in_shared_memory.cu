/* The row waits in dynamic shared memory, the pairs are made online, and the barrier that the pairs need comes before the row is read
 * by others: thread 0 takes the target's score from there. */
#include <math.h>

#include "common/check.h"

enum { WARPS = 8, BLOCK = 32 * WARPS };

static __device__ float2 add(float2 p, float x) { // x: largest, y: sum
    if (x > p.x) {
        return make_float2(x, p.y * __expf(p.x - x) + 1.0f); // p.x may be -INFINITY, x is not
    }
    return x == -INFINITY ? p : make_float2(p.x, p.y + __expf(x - p.x));
}

static __device__ float2 join(float2 a, float2 b) {
    float larger = fmaxf(a.x, b.x), base = larger == -INFINITY ? 0.0f : larger;
    return make_float2(larger, a.y * __expf(a.x - base) + b.y * __expf(b.x - base));
}

static __global__ void cross_entropy_kernel(const float *x, const int *target, float *log_p, float *loss, int cols) {
    extern __shared__ float row[];
    __shared__ float2 pairs[WARPS];
    float2 p = make_float2(-INFINITY, 0.0f);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        row[c] = __ldcs(&x[(size_t)blockIdx.x * cols + c]);
        p = add(p, row[c]);
    }
    for (int step = 16; step > 0; step /= 2) {
        p = join(p, make_float2(__shfl_xor_sync(~0u, p.x, step), __shfl_xor_sync(~0u, p.y, step)));
    }
    if (threadIdx.x % 32 == 0) {
        pairs[threadIdx.x / 32] = p;
    }
    __syncthreads();
    p = pairs[0];
    for (int w = 1; w < WARPS; w++) {
        p = join(p, pairs[w]);
    }
    float log_sum = logf(p.y);
    if (threadIdx.x == 0) {
        int wanted = target[blockIdx.x];
        loss[blockIdx.x] = wanted < 0 ? 0.0f : log_sum - (row[wanted] - p.x);
    }
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        log_p[(size_t)blockIdx.x * cols + c] = (row[c] - p.x) - log_sum;
    }
}

void cross_entropy(const float *x, const int *target, float *log_p, float *loss, int rows, int cols,
                   cudaStream_t stream) {
    if (rows == 0) {
        return;
    }
    cross_entropy_kernel<<<rows, BLOCK, cols * sizeof(float), stream>>>(x, target, log_p, loss, cols);
    CUDA_CHECK_LAUNCH();
}
