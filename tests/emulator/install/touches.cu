// One thread for each of N elements, and a block more than needed when asked: `touches over` writes out of bounds.
#include <cstdio>
#include <cstring>

__global__ void touch(int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main(int argc, char **argv) {
    int *out;
    cudaMalloc(&out, 4 * 32 * sizeof(int));
    touch < < <argc> 1 && strcmp(argv[1], "over") == 0 ? 5 : 4, 32 >>> (out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("touched: %s\n", cudaGetErrorName(error));
    return error != cudaSuccess ? 3 : 0;
}
