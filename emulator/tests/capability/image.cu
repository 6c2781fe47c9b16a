// Says what the device claims to be, which image of the kernel was chosen, and what that was compiled for; or the error's name. With
// -DTWO_FILES also of the kernel in other_file.cu.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void compiled_for(int *arch) {
#ifdef __CUDA_ARCH__
    *arch = __CUDA_ARCH__;
#endif
}

#ifdef TWO_FILES
__global__ void of_other_file(int *arch);

static void show_other_file(int *arch) {
    of_other_file<<<1, 1>>>(arch);
    cudaError_t error = cudaGetLastError();
    cudaFuncAttributes attributes = {};
    cudaFuncGetAttributes(&attributes, of_other_file);
    printf("other file: %s, PTX of %d\n", cudaGetErrorName(error), attributes.ptxVersion);
}
#else
static void show_other_file(int *) {}
#endif

int main() {
    int major = 0, minor = 0, arch = 0, *device_arch = nullptr;
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    cudaGetDeviceProperties(&properties, 0);
    printf("%d.%d and %d.%d: ", major, minor, properties.major, properties.minor);
    cudaMalloc(&device_arch, sizeof arch);
    compiled_for<<<1, 1>>>(device_arch);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorName(error));
        return 1;
    }
    cudaMemcpy(&arch, device_arch, sizeof arch, cudaMemcpyDeviceToHost);
    cudaFuncGetAttributes(&attributes, compiled_for);
    printf("PTX of %d for binary %d, compiled for %d\n", attributes.ptxVersion, attributes.binaryVersion, arch);
    show_other_file(device_arch);
    return 0;
}
