// expect: uninitialized
/* What was never written is copied, and the copy is read. */
#include "agreement.h"

__global__ void kernel(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + 1;
}

int main() {
    int *x = device_raw<int>(BLOCK), *z = device_raw<int>(BLOCK), *y = device<int>(BLOCK);
    CUDA(cudaMemcpy(z, x, BLOCK * sizeof(int), cudaMemcpyDeviceToDevice));
    kernel<<<1, BLOCK>>>(z, y, BLOCK);
    return finish();
}
