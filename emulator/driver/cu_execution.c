/* Launching, and queries and settings of a kernel. A function and a kernel are the same handle. */
#include "driver/driver.h"

#include <stdlib.h>

#include "api/device.h"
#include "api/registration.h"
#include "driver/context.h"

/* ---- launches ---- */

/* The older way to give parameters: one buffer, which has them where the kernel expects them. */
static cudaError_t buffer_of(void **extra, const char **buffer, size_t *size) {
    *buffer = NULL;
    *size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            *size = *(size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    return *buffer || !*size ? cudaSuccess : cudaErrorInvalidValue;
}

#define MOST_PARAMETERS 4096 /* 4 KiB of bytes; larger ones take the other path */

static cudaError_t launch_arguments(const struct kernel *k, void **extra, void **arguments) {
    const char *buffer;
    size_t size;
    cudaError_t error = buffer_of(extra, &buffer, &size);
    for (uint32_t i = 0; i < k->param_count && error == cudaSuccess; i++) {
        if (i == MOST_PARAMETERS || k->params[i].offset + k->params[i].size > size)
            return cudaErrorInvalidValue;
        arguments[i] = (void *)(uintptr_t)(buffer + k->params[i].offset);
    }
    return error;
}

static cudaError_t launch(CUfunction function, cudaLaunchConfig_t *config, void **arguments, void **extra) {
    cudaError_t error;
    struct entry *e = registration_entry(function);
    const struct kernel *k = e ? registration_kernel(e, state_device(), &error) : NULL;
    if (!k)
        return e ? error : cudaErrorInvalidResourceHandle;
    if (arguments && extra)
        return cudaErrorInvalidValue;
    if (!extra)
        return !arguments && k->param_count ? cudaErrorInvalidValue : cudaLaunchKernelExC(config, function, arguments);
    void **list = malloc(MOST_PARAMETERS * sizeof *list);
    if (!list)
        return cudaErrorMemoryAllocation;
    error = launch_arguments(k, extra, list);
    if (error == cudaSuccess)
        error = cudaLaunchKernelExC(config, function, list);
    free(list);
    return error;
}

static cudaError_t launch_plain(CUfunction function, dim3 grid, dim3 block, size_t shared, CUstream stream,
                                void **arguments, void **extra, bool cooperative) {
    cudaLaunchAttribute together = {.id = cudaLaunchAttributeCooperative, .val = {.cooperative = 1}};
    cudaLaunchConfig_t config = {.gridDim = grid,
                                 .blockDim = block,
                                 .dynamicSmemBytes = shared,
                                 .stream = stream,
                                 .attrs = &together,
                                 .numAttrs = cooperative};
    return launch(function, &config, arguments, extra);
}

/* The attributes have the runtime's numbers and layout. */
static cudaLaunchConfig_t config_of(const CUlaunchConfig *c) {
    return (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .stream = c->hStream,
                                .attrs = (cudaLaunchAttribute *)(void *)c->attrs,
                                .numAttrs = c->numAttrs};
}

static cudaError_t launch_ex(const CUlaunchConfig *c, CUfunction function, void **arguments, void **extra) {
    if (!c)
        return cudaErrorInvalidValue;
    cudaLaunchConfig_t config = config_of(c);
    return launch(function, &config, arguments, extra);
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **arguments, void **extra) {
    CALL(launch_plain(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, stream, arguments, extra, false));
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream stream, void **arguments) {
    CALL(launch_plain(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, stream, arguments, NULL, true));
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **arguments, void **extra) {
    CALL(launch_ex(config, f, arguments, extra));
}

/* ---- attributes ---- */

static cudaError_t attribute_of(int *out, const struct cudaFuncAttributes *a, CUfunction_attribute attribute) {
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *out = a->maxThreadsPerBlock;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *out = (int)a->sharedSizeBytes;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *out = (int)a->constSizeBytes;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *out = (int)a->localSizeBytes;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *out = a->numRegs;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *out = a->ptxVersion;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *out = a->binaryVersion;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *out = a->cacheModeCA;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *out = a->maxDynamicSharedSizeBytes;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *out = a->preferredShmemCarveout;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *out = a->clusterDimMustBeSet;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        *out = a->requiredClusterWidth;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        *out = a->requiredClusterHeight;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *out = a->requiredClusterDepth;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *out = a->nonPortableClusterSizeAllowed;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *out = a->clusterSchedulingPolicyPreference;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t get_attribute(int *out, CUfunction_attribute attribute, const void *function) {
    struct cudaFuncAttributes a;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaFuncGetAttributes(&a, function);
    return error == cudaSuccess ? attribute_of(out, &a, attribute) : error;
}

/* For a device by its number, whatever context is current. */
static cudaError_t on_device(CUdevice device, struct current_context *before) {
    if (!device_exists(device))
        return device_missing(NULL, device);
    *before = context_visit_device(device);
    return cudaSuccess;
}

static cudaError_t get_attribute_on(int *out, CUfunction_attribute attribute, const void *function, CUdevice device) {
    struct current_context before;
    cudaError_t error = on_device(device, &before);
    if (error != cudaSuccess)
        return error;
    error = get_attribute(out, attribute, function);
    state_set_context(before);
    return error;
}

static cudaError_t set_attribute_on(const void *function, CUfunction_attribute attribute, int value, CUdevice device) {
    struct current_context before;
    cudaError_t error = on_device(device, &before);
    if (error != cudaSuccess)
        return error;
    error = cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value);
    state_set_context(before);
    return error;
}

static cudaError_t name_of(const char **out, const void *function) {
    const struct entry *e = registration_entry(function);
    if (!out || !e)
        return out ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    *out = registration_entry_name(e);
    return cudaSuccess;
}

static cudaError_t parameter(const void *function, size_t index, size_t *offset, size_t *size) {
    cudaError_t error;
    struct entry *e = registration_entry(function);
    const struct kernel *k = e ? registration_kernel(e, state_device(), &error) : NULL;
    if (!k)
        return e ? error : cudaErrorInvalidResourceHandle;
    if (!offset || index >= k->param_count)
        return cudaErrorInvalidValue;
    *offset = k->params[index].offset;
    if (size)
        *size = k->params[index].size;
    return cudaSuccess;
}

static cudaError_t exists(const void *function) {
    return registration_entry(function) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CUresult cuFuncGetAttribute(int *out, CUfunction_attribute attribute, CUfunction f) {
    CALL(get_attribute(out, attribute, f));
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
    CALL(cudaFuncSetAttribute(f, (enum cudaFuncAttribute)attribute, value));
}
CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config) {
    CALL(cudaFuncSetCacheConfig(f, (enum cudaFuncCache)config));
}
EXPORT CUresult cuFuncGetName(const char **out, CUfunction f) {
    DRIVER_CALL(DRIVER_INITIALIZED, name_of(out, f));
}
EXPORT CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *size) {
    CALL(parameter(f, index, offset, size));
}
EXPORT CUresult cuFuncLoad(CUfunction f) {
    CALL(exists(f));
}
#if CUDART_VERSION >= 12040
/* A function handle exists only once the function is loaded. */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f) {
    CALL(state ? (*state = CU_FUNCTION_LOADING_STATE_LOADED, exists(f)) : cudaErrorInvalidValue);
}
#endif
CUresult cuKernelGetAttribute(int *out, CUfunction_attribute attribute, CUkernel k, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, get_attribute_on(out, attribute, k, device));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel k, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, set_attribute_on(k, attribute, value, device));
}
CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, !device_exists(device)                          ? device_missing(NULL, device)
                                    : (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL ? cudaErrorInvalidValue
                                                                                    : exists(k));
}
EXPORT CUresult cuKernelGetName(const char **out, CUkernel k) {
    DRIVER_CALL(DRIVER_INITIALIZED, name_of(out, k));
}
EXPORT CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *size) {
    DRIVER_CALL(DRIVER_INITIALIZED, parameter(k, index, offset, size));
}

/* ---- occupancy ---- */

/* The largest block, in steps of a warp, whose blocks fill an SM with the most threads; zeros when none fits. */
static cudaError_t potential(int *grid, int *block, CUfunction f, CUoccupancyB2DSize size_of, size_t shared, int limit,
                             unsigned flags) {
    struct cudaFuncAttributes a;
    int processors, best = 0;
    if (!grid || !block)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaFuncGetAttributes(&a, f);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, state_device());
    if (error != cudaSuccess)
        return error;
    *grid = *block = 0;
    int most = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
    for (int threads = most, blocks; threads > 0 && error == cudaSuccess; threads = (threads - 1) / 32 * 32) {
        size_t dynamic = size_of ? size_of(threads) : shared;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, threads, dynamic, flags);
        if (error == cudaSuccess && blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * processors;
        }
    }
    return error;
}

static cudaError_t clusters(int *out, CUfunction f, const CUlaunchConfig *c, bool active) {
    if (!c)
        return cudaErrorInvalidValue;
    cudaLaunchConfig_t config = config_of(c);
    return active ? cudaOccupancyMaxActiveClusters(out, f, &config)
                  : cudaOccupancyMaxPotentialClusterSize(out, f, &config);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction f, int threads, size_t shared) {
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, f, threads, shared));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, CUfunction f, int threads, size_t shared,
                                                              unsigned flags) {
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, f, threads, shared, flags));
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, CUoccupancyB2DSize size_of,
                                          size_t shared, int limit) {
    CALL(potential(grid, block, f, size_of, shared, limit, 0));
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f, CUoccupancyB2DSize size_of,
                                                   size_t shared, int limit, unsigned flags) {
    CALL(potential(grid, block, f, size_of, shared, limit, flags));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, CUfunction f, int blocks, int threads) {
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(out, f, blocks, threads));
}
CUresult cuOccupancyMaxPotentialClusterSize(int *out, CUfunction f, const CUlaunchConfig *c) {
    CALL(clusters(out, f, c, false));
}
CUresult cuOccupancyMaxActiveClusters(int *out, CUfunction f, const CUlaunchConfig *c) {
    CALL(clusters(out, f, c, true));
}
