// expect: none
/* A barrier of the whole grid between writing and reading. */
#include "agreement.h"

#include <cooperative_groups.h>

__global__ void kernel(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    cooperative_groups::this_grid().sync();
    y[i] = x[(i + BLOCK) % (2 * BLOCK)];
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    void *arguments[] = {&x, &y};
    CUDA(cudaLaunchCooperativeKernel((const void *)kernel, dim3(2), dim3(BLOCK), arguments, 0, nullptr));
    return finish();
}
