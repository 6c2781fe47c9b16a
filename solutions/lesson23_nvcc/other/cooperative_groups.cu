// The library knows which GPU has the instruction: cooperative_groups::reduce.
// nvcc: -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "common/check.h"

__global__ void reduce_tiles(const int *x, int *sums, int n) {
    auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = cooperative_groups::reduce(warp, i < n ? x[i] : 0, cooperative_groups::plus<int>());
    if (i < n && warp.thread_rank() == 0) {
        sums[i / 32] = sum;
    }
}

cudaError_t warp_sums(const int *x, int *sums, int n, cudaStream_t stream) {
    int device, major, minor;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    float capability = major + 0.1f * minor;
    if (capability < 7.45f || capability > 9.05f) {
        fprintf(stderr, "this device has %d.%d; the program runs from 7.5 to 9.0\n", major, minor);
        return cudaErrorNoKernelImageForDevice;
    }
    if (n > 0) {
        reduce_tiles<<<(n + 127) / 128, 128, 0, stream>>>(x, sums, n);
    }
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "warp_sums: %s\n", cudaGetErrorString(error));
    }
    return error;
}

static int first_of(const int *images, int count, int low, int high, int sign) {
    for (int arch = high; arch >= low; arch--) {
        for (int i = 0; i < count; i++) {
            if (images[i] == sign * arch) {
                return i;
            }
        }
    }
    return -1;
}

int choose_image(const int *images, int count, int device) {
    int machine_code = first_of(images, count, device / 10 * 10, device, 1);
    return machine_code >= 0 ? machine_code : first_of(images, count, 1, device, -1);
}
