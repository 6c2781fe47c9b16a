// What `make doctor` launches: 1000 threads each write a number that depends on their place, the host checks them all.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2654435761u * (unsigned)i ^ blockIdx.x;
    }
}

static int failed(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        printf("%s: %s (%s)\n", call, cudaGetErrorName(error), cudaGetErrorString(error));
    }
    return error != cudaSuccess;
}

int main() {
    const int n = 1000, block = 128;
    static unsigned found[n];
    unsigned *device = nullptr;
    cudaDeviceProp properties;
    if (failed(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties") ||
        failed(cudaMalloc(&device, sizeof found), "cudaMalloc")) {
        return 1;
    }
    fill<<<(n + block - 1) / block, block>>>(device, n);
    if (failed(cudaGetLastError(), "the launch") ||
        failed(cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost), "cudaMemcpy") ||
        failed(cudaFree(device), "cudaFree")) {
        return 1;
    }
    for (int i = 0; i < n; i++) {
        unsigned expected = 2654435761u * (unsigned)i ^ (unsigned)(i / block);
        if (found[i] != expected) {
            printf("thread %d wrote %u, expected %u\n", i, found[i], expected);
            return 1;
        }
    }
    printf("%s\n", properties.name);
    return 0;
}
