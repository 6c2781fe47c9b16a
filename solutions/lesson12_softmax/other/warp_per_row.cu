/* A warp for each row, of up to 128 elements in each lane, in one of three kernels; a grid that stays, and no barrier at all. */
#include <math.h>

#include "common/check.h"

enum { BLOCK = 128, ROWS_AT_ONCE = 4 };

template <int EACH>
static __global__ void cross_entropy_kernel(const float *x, const int *target, float *log_p, float *loss, int rows,
                                            int cols) {
    int lane = threadIdx.x % 32;
    for (int r = blockIdx.x * ROWS_AT_ONCE + threadIdx.x / 32; r < rows; r += gridDim.x * ROWS_AT_ONCE) {
        const float *from = x + (size_t)r * cols;
        float v[EACH], largest = -INFINITY, sum = 0.0f;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            v[i] = i * 32 + lane < cols ? from[i * 32 + lane] : -INFINITY;
            largest = fmaxf(largest, v[i]);
        }
        for (int step = 16; step > 0; step /= 2) {
            largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            sum += expf(v[i] - largest);
        }
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        }
        float log_sum = logf(sum);
        int wanted = target[r];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (i * 32 + lane < cols) {
                float value = (v[i] - largest) - log_sum;
                log_p[(size_t)r * cols + i * 32 + lane] = value;
                if (i * 32 + lane == wanted) {
                    loss[r] = -value;
                }
            }
        }
        if (wanted < 0 && lane == 0) {
            loss[r] = 0.0f;
        }
    }
}

void cross_entropy(const float *x, const int *target, float *log_p, float *loss, int rows, int cols,
                   cudaStream_t stream) {
    if (rows == 0) {
        return;
    }
    int blocks = min((rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, 1000);
    if (cols <= 128) {
        cross_entropy_kernel<4><<<blocks, BLOCK, 0, stream>>>(x, target, log_p, loss, rows, cols);
    } else if (cols <= 1024) {
        cross_entropy_kernel<32><<<blocks, BLOCK, 0, stream>>>(x, target, log_p, loss, rows, cols);
    } else {
        cross_entropy_kernel<128><<<blocks, BLOCK, 0, stream>>>(x, target, log_p, loss, rows, cols);
    }
    CUDA_CHECK_LAUNCH();
}
