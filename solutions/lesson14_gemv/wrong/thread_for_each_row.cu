// expect: access_limit
// says: neighbouring lanes read neighbours of a row
/* Right, but neighbouring lanes have neighbouring rows: each reads from another sector. */
#include "common/check.h"

enum { BLOCK = 128, GROUP = 64 };

static __device__ float gelu(float v) {
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

__global__ void layer_kernel(const signed char *q, const float *scales, const float *x, const float *bias, float *y,
                             int rows, int cols) {
    int row = blockIdx.x * BLOCK + threadIdx.x, groups = (cols + GROUP - 1) / GROUP;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int c = 0; c < cols; c += 4) {
        char4 w = *(const char4 *)&q[(size_t)row * cols + c];
        float4 a = *(const float4 *)&x[c];
        sum += scales[(size_t)row * groups + c / GROUP] * (w.x * a.x + w.y * a.y + w.z * a.z + w.w * a.w);
    }
    y[row] = gelu(sum + bias[row]);
}

void layer(const signed char *q, const float *scales, const float *x, const float *bias, float *y, int rows, int cols,
           cudaStream_t stream) {
    if (rows == 0) {
        return;
    }
    layer_kernel<<<(rows + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(q, scales, x, bias, y, rows, cols);
    CUDA_CHECK_LAUNCH();
}
