// expect: api_error
// says: The message has to contain three numbers
// nvcc: -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80
#include "common/check.h"

#define ALL_LANES 0xffffffffu
enum { WARP = 32, BLOCK = 256 };
enum { LOWEST = 75, HIGHEST = 90 }; // 10 * major + minor

// ---------------------------------------------------------------- the kernel

/* Called by all lanes of a warp; each gets the sum. */
__device__ int warp_sum(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    return value;
#endif
}

/* Grid: n threads or more. */
__global__ void sums_kernel(const int *x, int *sums, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int sum = warp_sum(i < n ? x[i] : 0); // who has no element brings 0, and comes all the same
    if (i < n && i % WARP == 0) {
        sums[i / WARP] = sum;
    }
}

// ---------------------------------------------------------------- the host

/* 86 for compute capability 8.6. */
int capability_of_device() {
    int device = 0, major = 0, minor = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    return 10 * major + minor;
}

cudaError_t warp_sums(const int *x, int *sums, int n, cudaStream_t stream) {
    int capability = capability_of_device();
    if (capability < LOWEST || capability > HIGHEST) {
        fprintf(stderr, "compute capability %d.%d is not supported\n", capability / 10, capability % 10);
        return cudaErrorNoKernelImageForDevice;
    }
    if (n > 0) {
        sums_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, sums, n);
        CUDA_CHECK_LAUNCH();
    }
    return cudaSuccess;
}

// ---------------------------------------------------------------- what the driver does

int choose_image(const int *images, int count, int device) {
    int code = -1, ptx = -1;
    for (int i = 0; i < count; i++) {
        bool code_fits = images[i] > 0 && images[i] / 10 == device / 10 && images[i] <= device;
        bool ptx_fits = images[i] < 0 && -images[i] <= device;
        if (code_fits && (code < 0 || images[i] > images[code])) {
            code = i;
        }
        if (ptx_fits && (ptx < 0 || images[i] < images[ptx])) {
            ptx = i;
        }
    }
    return code >= 0 ? code : ptx;
}
