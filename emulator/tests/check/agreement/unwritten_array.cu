// expect: uninitialized
/* A texture of an array of which only the first row was filled. */
#include "agreement.h"

__global__ void kernel(cudaTextureObject_t texture, float *y) {
    int i = threadIdx.x;
    y[i] = tex2D<float>(texture, i % 8, i / 8);
}

int main() {
    float row[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *y = device<float>(BLOCK);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    CUDA(cudaMallocArray(&array, &format, 8, 8));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, row, sizeof row, sizeof row, 1, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    kernel<<<1, BLOCK>>>(texture, y);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaFreeArray(array));
    return finish();
}
