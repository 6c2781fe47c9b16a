/* A lambda that is written in host code and called in a kernel: --extended-lambda. */
#include <cstdio>
#include <cuda_runtime.h>

template <class Function> __global__ void apply_kernel(float *x, int n, Function f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = f(x[i]);
    }
}

int main() {
    const int n = 100;
    float factor = 3, *x = nullptr;
    if (cudaMallocManaged(&x, n * sizeof(float)) != cudaSuccess) {
        printf("FAIL: no managed memory\n");
        return 1;
    }
    for (int i = 0; i < n; i++) {
        x[i] = i;
    }
    apply_kernel<<<1, 128>>>(
        x, n, [=] __device__(float value) { return factor * value; }); // [=]: a copy travels with the launch
    cudaError_t error = cudaDeviceSynchronize();
    bool good = error == cudaSuccess && x[99] == 297;
    printf("%s: x[99] = %g (%s)\n", good ? "PASS" : "FAIL", x[99], cudaGetErrorName(error));
    return good ? 0 : 1;
}
