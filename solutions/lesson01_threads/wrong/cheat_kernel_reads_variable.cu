// expect: not_by_kernel
// says: a kernel may only have copied it
/* The host computes, its result is copied to a variable of the device, and a kernel reads it there. */
#include "common/check.h"
#include "host_works.h"

__device__ float variable[MOST];

__global__ void carry_variable(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = variable[i];
    }
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    if (n > 0) {
        const struct work *w = queue_the_host(a, x, y, n);
        CUDA_CHECK(cudaMemcpyToSymbolAsync(variable, w->result, n * sizeof(float), 0, cudaMemcpyHostToDevice, 0));
        carry_variable<<<(n + 255) / 256, 256>>>(out, n);
        CUDA_CHECK_LAUNCH();
    }
}
