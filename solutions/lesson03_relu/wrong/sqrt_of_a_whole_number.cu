// expect: compile_error
// says: In a kernel, use the functions for floats, sqrtf(2.0f)
/* sqrt of an int is a function of the host alone; the compiler advises an experimental flag. */
#include <math.h>

#include "common/check.h"

__global__ void gelu_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] / 2 * (1 + erff(x[i] / sqrt(2)));
    }
}

void gelu_erf(const float *x, float *y, int n, cudaStream_t stream) {
    gelu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

void gelu_tanh(const float *x, float *y, int n, cudaStream_t stream) {
    gelu_erf(x, y, n, stream);
}
