// expect: access_limit
// says: in place means without a second matrix
/* A second matrix that is there from the beginning, accessed by atomics. */
#include "common/check.h"
#include "right.h"

__device__ float second[1100 * 1100];

__global__ void put_aside(const float *x, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n * n) {
        atomicExch(&second[i % n * n + i / n], x[i]);
    }
}

__global__ void bring_back(float *x, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n * n) {
        x[i] = __uint_as_float(atomicOr((unsigned *)&second[i], 0u));
    }
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    right_transpose(in, out, count, rows, cols, stream);
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    if (n > 0) {
        put_aside<<<ceil_div(n * n, 256), 256, 0, stream>>>(x, n);
        CUDA_CHECK_LAUNCH();
        bring_back<<<ceil_div(n * n, 256), 256, 0, stream>>>(x, n);
        CUDA_CHECK_LAUNCH();
    }
}
