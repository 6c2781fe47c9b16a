// expect: uninitialized
/* Not every element of the result has a thread; all are copied to the host. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    static int host[2 * BLOCK];
    int *x = device<int>(2 * BLOCK), *y = device_raw<int>(2 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y, 2 * BLOCK);
    CUDA(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
    return finish();
}
