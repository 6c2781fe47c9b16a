#include <cuda_runtime.h>

__device__ int state = 1000;
__managed__ int both = 40;

static __global__ void step(int *out) {
    out[threadIdx.x] = state++;
    both++;
}

extern "C" int library_step(int *out) {
    step<<<1, 1>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess ? out[0] : -1;
}

extern "C" void *library_address() {
    void *address = NULL;
    cudaGetSymbolAddress(&address, state);
    return address;
}

extern "C" int library_managed(int *) {
    return both;
}
