// expect: uninitialized
/* A texture of linear memory that was never filled. */
#include "agreement.h"

__global__ void kernel(cudaTextureObject_t texture, int *y) {
    int i = threadIdx.x;
    y[i] = tex1Dfetch<int>(texture, i);
}

int main() {
    int *x = device_raw<int>(BLOCK), *y = device<int>(BLOCK);
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = x;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = BLOCK * sizeof(int);
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    kernel<<<1, BLOCK>>>(texture, y);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaDestroyTextureObject(texture));
    return finish();
}
