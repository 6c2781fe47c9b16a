/* Exercise 23: a program for GPUs of compute capability 7.5 to 9.0 that uses the features of each, and reports clearly where it does not run.
 *
 * The line below that begins with `// nvcc:` is copied into the compiler's command line, in place of the workbook's own flags. On the
 * emulator the grader runs the program on devices of several compute capabilities; there only PTX counts. It calls, from the host:
 *
 *     cudaError_t warp_sums(const int *x, int *sums, int n, cudaStream_t stream);
 *     int choose_image(const int *images, int count, int device);
 *
 *   - warp_sums: sums[w] is the sum of x[32 w] to x[32 w + 31], as far as these exist. n is 0, 1, 31, 33, 1000, or larger, and there is a
 *     sum for each 32 elements begun. Nothing else is written. The work is queued in `stream`; the function does not wait, and returns
 *     cudaSuccess;
 *   - from compute capability 8.0 on a warp adds up with one instruction, __reduce_add_sync, and no shuffle. A GPU of 7.5 has no such
 *     instruction: there five shuffles do it. All in all a warp executes at most 40 instructions of PTX for a sum, and 64 on 7.5, beside 16
 *     for each warp that is launched;
 *   - on a device below 7.5 or above 9.0, where the program was never tested, it launches nothing. It prints one line on stderr, and nothing
 *     on stdout, that names the device's compute capability and both limits, such as "compute capability 10.0: this program is for 7.5 to
 *     9.0", and returns cudaErrorNoKernelImageForDevice. It does not end the program: the caller may have another device;
 *   - the device is the caller's current one, which need not be device 0. A launch that fails is reported;
 *   - choose_image: the driver's choice from a fat binary, as a function of the host. An image is a number: 80 is machine code for sm_80,
 *     -80 is PTX of compute_80. `device` is 86 for compute capability 8.6. It returns the index of the image that the driver takes, or -1
 *     if none can run. Machine code runs on its own major version, from its own minor version on; PTX on its own compute capability and all
 *     later ones. Of two images of one kind that fit, the higher one is taken; and machine code before any PTX. No image occurs twice.
 *
 * When all checks pass, one file runs on six compute capabilities, adds up a warp by one instruction where there is
 * one, and refuses all other devices in words.
 * First step: TODO 5, about ten minutes: the check "choose_image: 15 sets of images on 10 devices" passes.
 */
// fails as given: not_implemented
// TODO 1: this makes one image, and devices below 9.0 have none. Which two do you need, so that all devices from 7.5 on have one, and those from
// 8.0 on one that contains __reduce_add_sync? Write -gencode arch=compute_A,code=compute_A twice.
// nvcc: -gencode arch=compute_90,code=compute_90
#include "common/check.h"

#define ALL_LANES 0xffffffffu
enum { WARP = 32, BLOCK = 256 };
enum { LOWEST = 75, HIGHEST = 90 }; // 10 * major + minor

// ---------------------------------------------------------------- the kernel

/* Called by all lanes of a warp; each gets the sum. */
__device__ int warp_sum(int value) {
    // TODO 2: one source, several images: where __CUDA_ARCH__ is 800 or more, use __reduce_add_sync(ALL_LANES, value), which exists there only;
    // elsewhere use __shfl_xor_sync five times.
    return value;
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
    // TODO 3: the current device (cudaGetDevice) and its cudaDevAttrComputeCapabilityMajor and ...Minor.
    return LOWEST;
}

cudaError_t warp_sums(const int *x, int *sums, int n, cudaStream_t stream) {
    // TODO 4: refuse devices outside of LOWEST to HIGHEST, in words and with the error; then launch, unless n is 0.
    (void)x, (void)sums, (void)n, (void)stream, (void)capability_of_device, (void)sums_kernel;
    return cudaSuccess;
}

// ---------------------------------------------------------------- what the driver does

int choose_image(const int *images, int count, int device) {
    // TODO 5: two candidates, the best machine code and the best PTX. Which of the two is returned, if both are there?
    (void)images, (void)count, (void)device;
    return -1;
}
