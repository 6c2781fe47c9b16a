#include <cuda_runtime.h>

static __device__ int state = 100;
static __device__ int same_name[2] = {20, 21};
static __constant__ int factor = 5;

static __global__ void step(int *out) {
    out[threadIdx.x] = factor * atomicAdd(&state, 1);
}

template <typename T> static __global__ void fill(T *out, T value) {
    out[threadIdx.x] = value + same_name[1];
}

int other_step(int *out) {
    step<<<1, 1>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess ? out[0] : -1;
}

int other_fill(int *out) {
    fill<<<1, 32>>>(out, 100);
    return cudaDeviceSynchronize() == cudaSuccess ? out[31] : -1;
}

int other_variable() {
    int variable[2] = {0};
    cudaMemcpyFromSymbol(variable, same_name, sizeof variable);
    return variable[0];
}
