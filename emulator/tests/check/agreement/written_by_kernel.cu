// expect: none
/* One kernel fills what the next reads. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

__global__ void fill(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

int main() {
    int *x = device_raw<int>(BLOCK), *y = device_raw<int>(BLOCK), host[BLOCK];
    fill<<<1, BLOCK>>>(x, BLOCK);
    kernel<<<1, BLOCK>>>(x, y, BLOCK);
    CUDA(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
    return finish();
}
