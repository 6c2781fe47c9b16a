// expect: none
/* An array is filled by a copy and by surface writes, then read through a texture with a border, filtered, and copied back. */
#include "agreement.h"

__global__ void fill(cudaSurfaceObject_t surface) {
    int i = threadIdx.x;
    surf2Dwrite((float)i, surface, i % 8 * sizeof(float), 4 + i / 8);
}
__global__ void kernel(cudaTextureObject_t texture, float *y) {
    int i = threadIdx.x;
    y[i] = tex2D<float>(texture, i % 8 + 0.8f, i / 8 - 0.3f) + tex2D<float>(texture, 100, -100);
}

int main() {
    float rows[32] = {1, 2, 3}, *y = device<float>(BLOCK), back[BLOCK];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    CUDA(cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, rows, 32, 32, 4, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    CUDA(cudaCreateSurfaceObject(&surface, &resource));
    fill<<<1, 32>>>(surface);
    kernel<<<1, BLOCK>>>(texture, y);
    CUDA(cudaMemcpy2DFromArray(back, 32, array, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(array));
    return finish();
}
