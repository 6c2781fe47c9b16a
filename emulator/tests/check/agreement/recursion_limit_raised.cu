// expect: none
/* The same recursion, after the program has asked for enough. */
#include "agreement.h"

__device__ __noinline__ int depth_of(const int *x, int n) {
    int own[32];
    for (int i = 0; i < 32; i++)
        own[i] = n + i;
    return n == x[0] ? own[x[1] & 31] : depth_of(x, n - 1) + own[(n + x[1]) & 31];
}
__global__ void kernel(int *x, int *y) {
    y[threadIdx.x] = depth_of(x + threadIdx.x, 200);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 65536));
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
