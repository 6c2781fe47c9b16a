// expect: none
/* The default stream waits for others, and they for it. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    int *x = device<int>(BLOCK), *y = device<int>(BLOCK), *z = device<int>(BLOCK);
    kernel<<<1, BLOCK, 0, s>>>(x, y, BLOCK);
    kernel<<<1, BLOCK>>>(y, z, BLOCK);
    kernel<<<1, BLOCK, 0, s>>>(z, x, BLOCK);
    return finish();
}
