// An executable without PTX: the first launch says so, and how to compile.
// flags: -gencode arch=compute_90,code=sm_90
// message: machine code (sm_90) but no PTX
// message: -arch=sm_90
#include "api_test.h"

__global__ void nothing() {}
__device__ int variable;

int main() {
    int x = 0;
    EXPECT(cudaSuccess, cudaGetLastError());
    EXPECT_LAUNCH(cudaErrorNoKernelImageForDevice, (nothing<<<1, 1>>>()));
    EXPECT_LAUNCH(cudaErrorNoKernelImageForDevice, (nothing<<<1, 1>>>()));
    EXPECT(cudaErrorNoKernelImageForDevice, cudaMemcpyToSymbol(variable, &x, 4));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
