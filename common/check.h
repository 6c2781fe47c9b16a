/* check.h - no CUDA call goes unchecked.
 *
 *     CUDA_CHECK(cudaMalloc(&x, bytes));             around every call of the CUDA runtime
 *     kernel<<<grid, block, 0, stream>>>(x, n);
 *     CUDA_CHECK_LAUNCH();                           after every launch
 *
 * When a call fails, the program says where, what was called, the error's name and meaning and what to try,
 * prints a last line that starts with FAIL, and ends with exit status 1.
 *
 * A launch returns nothing, so CUDA_CHECK_LAUNCH asks for the error that it left behind: a bad configuration is
 * reported there. It does not wait for the kernel: a launcher that waits would take the overlap away from its caller. What goes
 * wrong inside the kernel is therefore reported later, by the next call that waits for it. To stop at the guilty
 * launch instead, run with CUDA_LAUNCH_BLOCKING=1, a variable that CUDA itself knows.
 *
 * Exit statuses of every lesson: 0 PASS, 1 FAIL (a wrong result or a failed CUDA call), 2 a wrong command line.
 */
#ifndef COMMON_CHECK_H
#define COMMON_CHECK_H

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_CHECK(call)    check_result((call), #call, __FILE__, __LINE__)
#define CUDA_CHECK_LAUNCH() check_launch(__FILE__, __LINE__)

enum check_exit { CHECK_EXIT_PASS = 0, CHECK_EXIT_FAIL = 1, CHECK_EXIT_USAGE = 2 };

/* Only the emulator's runtime library has this function; device.h has more of it. */
static inline int check_on_emulator(void) {
    return dlsym(RTLD_DEFAULT, "emulatorName") != NULL;
}

/* What to try, one plain sentence for each error that a learner is likely to meet. */
static inline const char *check_advice(cudaError_t error) {
    switch (error) {
    case cudaErrorInvalidValue:
        return "compare each argument with the manual: a null pointer, a size that is too large, or, at a launch, an "
               "empty grid or more than 1024 threads in a block.";
    case cudaErrorMemoryAllocation:
        return "ask for less memory (SIZE=...), and check that the size is in bytes and did not overflow an int.";
    case cudaErrorInvalidConfiguration:
        return "print the grid and the block: every dimension must be at least 1, a block at most 1024 threads.";
    case cudaErrorInvalidPitchValue:
        return "a pitch is in bytes and at least as wide as a row: pass the one that cudaMallocPitch returned.";
    case cudaErrorInvalidSymbol:
        return "pass the __device__ or __constant__ variable itself, not its name in quotes and not its address.";
    case cudaErrorInvalidMemcpyDirection:
        return "the last argument must be one of the cudaMemcpyKind values; cudaMemcpyDefault lets CUDA find out.";
    case cudaErrorInvalidDevicePointer:
        return "this pointer was not returned by cudaMalloc, or has been freed already.";
    case cudaErrorInsufficientDriver:
        return "there is no GPU driver, or it is older than this CUDA toolkit; start the program through make, which "
               "finds the emulator, and see make doctor.";
    case cudaErrorNoDevice:
        return "there is no GPU that CUDA can use here; start the program through make, which finds the emulator.";
    case cudaErrorInvalidDevice:
        return "devices are numbered from 0: compare with cudaGetDeviceCount.";
    case cudaErrorDevicesUnavailable:
        return "another program holds the GPU: look with nvidia-smi.";
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorNoKernelImageForDevice:
        return "the program has no code for this device: build it again, with ARCH set to this GPU's architecture.";
    case cudaErrorUnsupportedPtxVersion:
        return "the toolkit is newer than the driver: build for this GPU's own architecture, or update the driver.";
    case cudaErrorInvalidResourceHandle:
        return "a stream or event was never created, is already destroyed, or belongs to another device.";
    case cudaErrorIllegalAddress:
        return "a kernel made an illegal access: check its index and its guard (if (i < n)), and that "
               "every pointer came from cudaMalloc; the emulator (BACKEND=cpu) names the line.";
    case cudaErrorMisalignedAddress:
        return "a float4 must be aligned to 16 bytes: x + 1 is not.";
    case cudaErrorInvalidAddressSpace:
        return "a pointer to shared or local memory was used as a pointer to global memory, or vice versa.";
    case cudaErrorLaunchOutOfResources:
        return "the block needs more registers or shared memory than an SM has: use fewer threads per block.";
    case cudaErrorLaunchTimeout:
        return "the kernel ran too long: look for an endless loop.";
    case cudaErrorAssert:
        return "an assert in a kernel failed: its text is printed above.";
    case cudaErrorIllegalInstruction:
    case cudaErrorLaunchFailure:
        return check_on_emulator()
                   ? "the kernel stopped: a trap, a bad pointer, a stack that was too small."
                   : "the kernel stopped: a trap, a bad pointer, a stack that was too small; BACKEND=cpu reports more.";
    case cudaErrorCooperativeLaunchTooLarge:
        return "a cooperative grid must fit on the device at once: launch fewer blocks.";
    case cudaErrorNotReady:
        return "not an error: the work is still running; wait with cudaStreamSynchronize.";
    case cudaErrorNotSupported:
        return "this device does not support the call (if the emulator does not, a message above reports it).";
    default:
        return "look up the error in the CUDA runtime manual, chapter Data types, cudaError.";
    }
}

/* Errors that happen inside a kernel are reported by a later call, and stay until the process ends. */
static inline int check_happened_in_a_kernel(cudaError_t error) {
    return error == cudaErrorIllegalAddress || error == cudaErrorMisalignedAddress ||
           error == cudaErrorInvalidAddressSpace || error == cudaErrorInvalidPc ||
           error == cudaErrorHardwareStackError || error == cudaErrorIllegalInstruction || error == cudaErrorAssert ||
           error == cudaErrorLaunchFailure || error == cudaErrorLaunchTimeout;
}

/* Called before the program ends because of an error; a grader puts its own function here. */
static inline void (**check_hook(void))(cudaError_t) {
    static void (*hook)(cudaError_t) = NULL;
    return &hook;
}

/* A header's name without the folder that includes it: common/bench.h, not lessons/lesson03_relu/../../common/bench.h. */
static inline const char *check_file(const char *file) {
    const char *up = NULL;
    while ((up = strstr(file, "/../")) != NULL) {
        file = up + strlen("/../");
    }
    return file;
}

static inline void check_fail(cudaError_t error, const char *call, const char *file, int line) {
    file = check_file(file);
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s failed\n", file, line, call);
    fprintf(stderr, "    error:   %s (%d)\n", cudaGetErrorName(error), (int)error);
    fprintf(stderr, "    meaning: %s\n", cudaGetErrorString(error));
    fprintf(stderr, "    try:     %s\n", check_advice(error));
    if (check_happened_in_a_kernel(error)) {
        fprintf(stderr, "    note:    this happened in a kernel launched earlier, this call only reports it;\n"
                        "             CUDA_LAUNCH_BLOCKING=1 stops at the launch itself.\n");
    }
    fflush(stderr);
    if (*check_hook()) {
        (*check_hook())(error);
    }
    printf("FAIL: %s:%d: %s\n", file, line, cudaGetErrorName(error));
    exit(CHECK_EXIT_FAIL);
}

static inline void check_result(cudaError_t error, const char *call, const char *file, int line) {
    if (error != cudaSuccess) {
        check_fail(error, call, file, line);
    }
}

static inline void check_launch(const char *file, int line) {
    check_result(cudaGetLastError(), "the kernel launch above this line", file, line);
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    if (blocking && atoi(blocking) != 0) {
        check_result(cudaDeviceSynchronize(), "the kernel launched above this line", file, line);
    }
}

#endif
