// NV_IF_TARGET of libcu++ in place of the preprocessor, the properties of the device, a grid-stride loop over warps, and one pass over the images.
// nvcc: -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80
#include <nv/target>

#include "common/check.h"

__device__ int add_up(int value) {
    NV_IF_TARGET(NV_PROVIDES_SM_80, (value = __reduce_add_sync(0xffffffffu, value);),
                 (for (int step = 1; step < 32; step *= 2) { value += __shfl_xor_sync(0xffffffffu, value, step); }))
    return value;
}

__global__ void sums_of_warps(const int *x, int *sums, int n) {
    int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; w < (n + 31) / 32; w += warps) {
        int i = 32 * w + lane, sum = add_up(i < n ? x[i] : 0);
        if (lane == 0) {
            sums[w] = sum;
        }
    }
}

cudaError_t warp_sums(const int *x, int *sums, int n, cudaStream_t stream) {
    int device;
    cudaDeviceProp p;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&p, device));
    bool good = (p.major == 7 && p.minor >= 5) || p.major == 8 || (p.major == 9 && p.minor == 0);
    if (!good) {
        fprintf(stderr, "%s has compute capability %d.%d, and 7.5 to 9.0 are supported\n", p.name, p.major, p.minor);
        return cudaErrorNoKernelImageForDevice;
    }
    if (n) {
        int blocks = (n + 511) / 512 < 1000 ? (n + 511) / 512 : 1000;
        sums_of_warps<<<blocks, 512, 0, stream>>>(x, sums, n);
        CUDA_CHECK_LAUNCH();
    }
    return cudaSuccess;
}

int choose_image(const int *images, int count, int device) {
    int best = -1, most = 0;
    for (int i = 0; i < count; i++) {
        int arch = images[i] < 0 ? -images[i] : images[i];
        bool fits = arch <= device && (images[i] < 0 || arch / 10 == device / 10);
        int worth = images[i] > 0 ? 1000 + arch : arch;
        if (fits && worth > most) {
            best = i;
            most = worth;
        }
    }
    return best;
}
