/* Names and meanings of the driver's errors; beginning and ending a call. */
#include "driver/driver.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "driver/context.h"

#define X(code)                                                                                                        \
    { code, #code }
static const struct error_name {
    int code;
    const char *name;
} names[] = {
    X(CUDA_SUCCESS),
    X(CUDA_ERROR_INVALID_VALUE),
    X(CUDA_ERROR_OUT_OF_MEMORY),
    X(CUDA_ERROR_NOT_INITIALIZED),
    X(CUDA_ERROR_DEINITIALIZED),
    X(CUDA_ERROR_PROFILER_DISABLED),
    X(CUDA_ERROR_PROFILER_NOT_INITIALIZED),
    X(CUDA_ERROR_PROFILER_ALREADY_STARTED),
    X(CUDA_ERROR_PROFILER_ALREADY_STOPPED),
    X(CUDA_ERROR_STUB_LIBRARY),
    X(CUDA_ERROR_DEVICE_UNAVAILABLE),
    X(CUDA_ERROR_NO_DEVICE),
    X(CUDA_ERROR_INVALID_DEVICE),
    X(CUDA_ERROR_DEVICE_NOT_LICENSED),
    X(CUDA_ERROR_INVALID_IMAGE),
    X(CUDA_ERROR_INVALID_CONTEXT),
    X(CUDA_ERROR_CONTEXT_ALREADY_CURRENT),
    X(CUDA_ERROR_MAP_FAILED),
    X(CUDA_ERROR_UNMAP_FAILED),
    X(CUDA_ERROR_ARRAY_IS_MAPPED),
    X(CUDA_ERROR_ALREADY_MAPPED),
    X(CUDA_ERROR_NO_BINARY_FOR_GPU),
    X(CUDA_ERROR_ALREADY_ACQUIRED),
    X(CUDA_ERROR_NOT_MAPPED),
    X(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
    X(CUDA_ERROR_NOT_MAPPED_AS_POINTER),
    X(CUDA_ERROR_ECC_UNCORRECTABLE),
    X(CUDA_ERROR_UNSUPPORTED_LIMIT),
    X(CUDA_ERROR_CONTEXT_ALREADY_IN_USE),
    X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
    X(CUDA_ERROR_INVALID_PTX),
    X(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE),
    X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
    X(CUDA_ERROR_JIT_COMPILATION_DISABLED),
    X(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY),
    X(CUDA_ERROR_INVALID_SOURCE),
    X(CUDA_ERROR_FILE_NOT_FOUND),
    X(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND),
    X(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED),
    X(CUDA_ERROR_OPERATING_SYSTEM),
    X(CUDA_ERROR_INVALID_HANDLE),
    X(CUDA_ERROR_ILLEGAL_STATE),
    X(CUDA_ERROR_NOT_FOUND),
    X(CUDA_ERROR_NOT_READY),
    X(CUDA_ERROR_ILLEGAL_ADDRESS),
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
    X(CUDA_ERROR_LAUNCH_TIMEOUT),
    X(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING),
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
    X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
    X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE),
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED),
    X(CUDA_ERROR_ASSERT),
    X(CUDA_ERROR_TOO_MANY_PEERS),
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
    X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
    X(CUDA_ERROR_HARDWARE_STACK_ERROR),
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION),
    X(CUDA_ERROR_MISALIGNED_ADDRESS),
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE),
    X(CUDA_ERROR_INVALID_PC),
    X(CUDA_ERROR_LAUNCH_FAILED),
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
    X(CUDA_ERROR_NOT_PERMITTED),
    X(CUDA_ERROR_NOT_SUPPORTED),
    X(CUDA_ERROR_SYSTEM_NOT_READY),
    X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH),
    X(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE),
    X(CUDA_ERROR_MPS_CONNECTION_FAILED),
    X(CUDA_ERROR_MPS_RPC_FAILURE),
    X(CUDA_ERROR_MPS_SERVER_NOT_READY),
    X(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED),
    X(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED),
    X(CUDA_ERROR_MPS_CLIENT_TERMINATED),
    X(CUDA_ERROR_CDP_NOT_SUPPORTED),
    X(CUDA_ERROR_CDP_VERSION_MISMATCH),
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
    X(CUDA_ERROR_STREAM_CAPTURE_MERGE),
    X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
    X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
    X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
    X(CUDA_ERROR_CAPTURED_EVENT),
    X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
    X(CUDA_ERROR_TIMEOUT),
    X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE),
    X(CUDA_ERROR_EXTERNAL_DEVICE),
    X(CUDA_ERROR_INVALID_CLUSTER_SIZE),
    X(CUDA_ERROR_UNKNOWN),
    /* newer than CUDA 12.0: by number */
    {225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
    {226, "CUDA_ERROR_CONTAINED"},
    {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK"},
    {913, "CUDA_ERROR_FUNCTION_NOT_LOADED"},
    {914, "CUDA_ERROR_INVALID_RESOURCE_TYPE"},
    {915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"},
    {916, "CUDA_ERROR_KEY_ROTATION"},
};
#undef X

static const char *find(int code) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].name;
    return NULL;
}

CUresult driver_result(cudaError_t error) {
    switch ((int)error) {
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidKernelImage:
        return CUDA_ERROR_INVALID_IMAGE;
    default: /* the errors that only the runtime has are about arguments */
        return find((int)error) ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
    }
}

const char *driver_error_name(int error) {
    return find((int)driver_result((cudaError_t)error));
}

CUresult cuGetErrorName(CUresult error, const char **out) {
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = find((int)error);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The same words as the runtime's. */
CUresult cuGetErrorString(CUresult error, const char **out) {
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = find((int)error) ? cudaGetErrorString((cudaError_t)error) : NULL;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- A call ---- */

static atomic_bool initialized;
static _Thread_local struct driver_call call;

/* nvcc -arch=native runs this program to find which GPU to compile for, and then makes machine code alone. With no GPU
 * it reports that and uses its default, which includes the PTX that the emulator runs. */
static bool asks_for_nvcc(void) {
    return strcmp(program_invocation_short_name, "__nvcc_device_query") == 0;
}

CUresult cuInit(unsigned flags) {
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (asks_for_nvcc())
        return CUDA_ERROR_NO_DEVICE;
    state_device_count();
    atomic_store(&initialized, true);
    return CUDA_SUCCESS;
}

CUresult driver_begin(const char *function, enum driver_need need) {
    if (need >= DRIVER_INITIALIZED && !atomic_load(&initialized) && !state_runtime_used())
        return CUDA_ERROR_NOT_INITIALIZED;
    call = (struct driver_call){function, driver_error_name};
    state_set_driver_call(&call);
    if (need < DRIVER_CONTEXT)
        return CUDA_SUCCESS;
    const struct current_context c = state_context();
    cudaError_t error = !c.bound                                     ? cudaErrorDeviceUninitialized
                        : c.own && !context_exists((CUcontext)c.own) ? cudaErrorContextIsDestroyed
                                                                     : state_enter();
    return error == cudaSuccess ? CUDA_SUCCESS : driver_end(error);
}

CUresult driver_end(cudaError_t error) {
    state_set_driver_call(NULL);
    return driver_result(error);
}
