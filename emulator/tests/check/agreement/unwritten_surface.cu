// expect: uninitialized
/* A surface is read at which nobody has written. */
#include "agreement.h"

__global__ void kernel(cudaSurfaceObject_t surface, float *y) {
    int i = threadIdx.x;
    y[i] = surf2Dread<float>(surface, i % 8 * sizeof(float), i / 8);
}

int main() {
    float *y = device<float>(BLOCK);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface = 0;
    CUDA(cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CUDA(cudaCreateSurfaceObject(&surface, &resource));
    kernel<<<1, BLOCK>>>(surface, y);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(array));
    return finish();
}
