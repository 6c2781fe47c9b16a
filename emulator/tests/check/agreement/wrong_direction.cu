// expect: none
/* A copy to the host that names the other direction: the call fails, and the program looks at what it returns. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    int *x = device<int>(BLOCK), *y = device<int>(BLOCK), host[BLOCK];
    kernel<<<1, BLOCK>>>(x, y, BLOCK);
    cudaError_t error = cudaMemcpy(host, y, sizeof host, cudaMemcpyHostToDevice);
    printf("%s\n", cudaGetErrorName(error));
    cudaGetLastError();
    return finish();
}
