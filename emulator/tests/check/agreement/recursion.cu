// expect: none
/* A recursion that ends. */
#include "agreement.h"

__device__ __noinline__ int depth_of(const int *x, int n) {
    return n == 0 ? x[0] : depth_of(x, n - 1) + 1;
}
__global__ void kernel(int *x, int *y) {
    y[threadIdx.x] = depth_of(x + threadIdx.x, 5 + threadIdx.x % 4);
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(x, y);
    return finish();
}
