/* Correct, and by way of memory of its own: saxpy multiplies into a workspace that it keeps and makes larger when it must, and reverse
 * has one from the stream's pool in each call. */
#include "common/check.h"

enum { BLOCK = 192 };

__global__ void multiply(float a, const float *x, float *product, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        product[i] = a * x[i];
    }
}

__global__ void add(const float *product, const float *y, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = product[i] + y[i];
    }
}

__global__ void turn(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[n - 1 - i];
    }
}

static int blocks_for(int n) {
    return (n + BLOCK - 1) / BLOCK;
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    static float *workspace;
    static int room;
    if (n == 0) {
        return;
    }
    if (n > room) {
        CUDA_CHECK(cudaFreeAsync(workspace, 0));
        CUDA_CHECK(cudaMallocAsync((void **)&workspace, n * sizeof(float), 0));
        room = n;
    }
    multiply<<<blocks_for(n), BLOCK>>>(a, x, workspace, n);
    CUDA_CHECK_LAUNCH();
    add<<<blocks_for(n), BLOCK>>>(workspace, y, out, n);
    CUDA_CHECK_LAUNCH();
}

void reverse(const float *in, float *out, int n) {
    float *copy;
    if (n == 0) {
        return;
    }
    CUDA_CHECK(cudaMallocAsync((void **)&copy, n * sizeof(float), 0));
    CUDA_CHECK(cudaMemcpyAsync(copy, in, n * sizeof(float), cudaMemcpyDeviceToDevice, 0));
    turn<<<blocks_for(n), BLOCK>>>(copy, out, n);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaFreeAsync(copy, 0));
}
