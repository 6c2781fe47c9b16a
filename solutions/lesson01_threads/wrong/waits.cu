// expect: api_error
/* The launcher waits for the kernel, which is up to its caller. */
#include "common/check.h"

enum { BLOCK = 128 }; // threads in a block

/* The fewest blocks of BLOCK threads that hold n threads. */
static int blocks_for(int n) {
    return (n + BLOCK - 1) / BLOCK;
}

/* x, y, out: n floats. Grid: n threads or more. Thread i writes out[i]. */
__global__ void saxpy_kernel(float a, const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = a * x[i] + y[i];
    }
}

/* in, out: n floats. Grid: n threads or more. Thread i reads in[i] and writes it to its mirrored place. */
__global__ void reverse_kernel(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[n - 1 - i] = in[i];
    }
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n == 0) {
        return;
    }
    saxpy_kernel<<<blocks_for(n), BLOCK>>>(a, x, y, out, n);
    CUDA_CHECK_LAUNCH();
}

void reverse(const float *in, float *out, int n) {
    if (n == 0) {
        return;
    }
    reverse_kernel<<<blocks_for(n), BLOCK>>>(in, out, n);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaDeviceSynchronize());
}
