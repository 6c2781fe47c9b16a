// One thread for each of 128 elements, and a block more than that when asked: `touches over` writes out of bounds.
#include <cstdio>
#include <cstring>

__global__ void touch(int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main(int argc, char **argv) {
    bool over = argc == 2 && strcmp(argv[1], "over") == 0;
    int blocks = over ? 5 : 4;
    int *out;
    cudaMalloc(&out, 128 * sizeof(int));
    touch<<<blocks, 32>>>(out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("touched: %s\n", cudaGetErrorName(error));
    return error != cudaSuccess ? 3 : 0;
}
