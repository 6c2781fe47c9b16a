/* Choosing a device, and what can be set on it; properties.c describes it. */
#include "api/capture.h"
#include "api/device.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "api/queue.h"
#include "check/report.h"
#include "memory/memory.h"

bool device_exists(int device) {
    return device >= 0 && device < state_device_count();
}

cudaError_t device_missing(const char *function, int device) {
    int count = state_device_count();
    return state_refuse(function, cudaErrorInvalidDevice, "There is no device %d: %d device%s, numbered from 0.",
                        device, count, count == 1 ? "" : "s");
}

/* ---- Choosing a device ---- */

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count)
        return state_return(cudaErrorInvalidValue);
    *count = state_device_count();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
    if (!device)
        return state_return(cudaErrorInvalidValue);
    *device = state_device();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (!device_exists(device))
        return device_missing(__func__, device);
    state_set_device(device);
    return cudaSuccess;
}

/* All devices are alike, so the order of the list does not matter: it is only checked. */
cudaError_t cudaSetValidDevices(int *devices, int count) {
    if (count < 0 || count > state_device_count() || (count && !devices))
        return state_return(cudaErrorInvalidValue);
    for (int i = 0; i < count; i++)
        if (!device_exists(devices[i]))
            return device_missing(__func__, devices[i]);
    return cudaSuccess;
}

/* All devices are alike, so the first one matches best. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted) {
    if (!device || !wanted)
        return state_return(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

#define KNOWN_FLAGS (cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops)
static unsigned device_flags[MAX_DEVICES]; /* host memory is always mapped: that flag is added in queries */

/* At most one wait policy may be chosen. */
static cudaError_t set_flags(int device, unsigned flags) {
    unsigned way = flags & cudaDeviceScheduleMask;
    if ((flags & ~(unsigned)KNOWN_FLAGS) || (way & (way - 1)))
        return state_return(cudaErrorInvalidValue);
    device_flags[device] = flags;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return set_flags(state_device(), flags);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    if (!flags)
        return state_return(cudaErrorInvalidValue);
    *flags = device_flags[state_device()] | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned new_flags, unsigned flags) {
    if (!device_exists(device))
        return device_missing(__func__, device);
    return flags & cudaInitDeviceFlagsAreValid ? set_flags(device, new_flags) : cudaSuccess;
}

#define BUS_ID_BYTES 13 /* "0000:00:00.0" */

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device) {
    if (!id || length < BUS_ID_BYTES)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device))
        return device_missing(__func__, device);
    snprintf(id, (size_t)length, "0000:00:%02x.0", (unsigned)device);
    return cudaSuccess;
}

/* [domain:]bus:device.function */
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
    unsigned domain = 0, bus, number, function;
    if (!device || !id)
        return state_return(cudaErrorInvalidValue);
    if (sscanf(id, "%x:%x:%x.%u", &domain, &bus, &number, &function) != 4) {
        domain = 0;
        if (sscanf(id, "%x:%x.%u", &bus, &number, &function) != 3)
            return state_return(cudaErrorInvalidValue);
    }
    if (domain || bus || function || !device_exists((int)number))
        return state_return(cudaErrorInvalidDevice);
    *device = (int)number;
    return cudaSuccess;
}

/* ---- Limits and preferences ---- */

static size_t limits[] = {
    [cudaLimitStackSize] = 1024,           [cudaLimitPrintfFifoSize] = 8650752,
    [cudaLimitMallocHeapSize] = 8388608,   [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64, [cudaLimitPersistingL2CacheSize] = LIMIT_PERSISTING_UNIT * 3,
};

static size_t between(size_t least, size_t value, size_t most) {
    return value < least ? least : value > most ? most : value;
}

static size_t up_to_multiple(size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* Rounds a requested limit as an H200 does. False for one that it refuses. */
static bool granted(enum cudaLimit limit, size_t *value) {
    switch (limit) {
    case cudaLimitStackSize:
        if (*value > LIMIT_STACK)
            return false;
        *value = up_to_multiple(*value, 16);
        return true;
    case cudaLimitPrintfFifoSize:
        *value = up_to_multiple(between(524288, *value, (size_t)1 << 31), 256);
        return true;
    case cudaLimitMallocHeapSize:
        *value = up_to_multiple(between((size_t)4 << 20, *value, memory_total()), 32);
        return true;
    case cudaLimitDevRuntimePendingLaunchCount:
        *value = between(32, *value, 599186);
        return true;
    case cudaLimitMaxL2FetchGranularity:
        return *value <= 128;
    default:
        if (*value > LIMIT_PERSISTING_L2)
            return false;
        *value = up_to_multiple(*value, LIMIT_PERSISTING_UNIT);
        return true;
    }
}

/* Compute capability 9.0 dropped kernels that wait for kernels, and with them the limit of their depth. */
static cudaError_t check_limit(enum cudaLimit limit) {
    if ((unsigned)limit >= sizeof limits / sizeof *limits)
        return state_return(cudaErrorInvalidValue);
    return limit == cudaLimitDevRuntimeSyncDepth ? state_return(cudaErrorUnsupportedLimit) : cudaSuccess;
}

size_t device_stack_limit(void) {
    return limits[cudaLimitStackSize];
}

/* Except for the stack, the limited resources grow as needed: the limit is only stored. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    ENTER();
    NOT_WHILE_CAPTURING(__func__);
    cudaError_t error = check_limit(limit);
    if (error != cudaSuccess)
        return error;
    if (!granted(limit, &value))
        return state_return(cudaErrorInvalidValue);
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    ENTER();
    cudaError_t error = value ? check_limit(limit) : state_return(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *value = limits[limit];
    return error;
}

static enum cudaFuncCache cache_config;

/* A hint. */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    ENTER();
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return state_return(cudaErrorInvalidValue);
    cache_config = config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    ENTER();
    if (!config)
        return state_return(cudaErrorInvalidValue);
    *config = cache_config;
    return cudaSuccess;
}

/* Banks are four bytes wide on every GPU since compute capability 5.0, whatever the program requests. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    ENTER();
    return (unsigned)config > cudaSharedMemBankSizeEightByte ? state_return(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    ENTER();
    if (!config)
        return state_return(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

/* No device outside the emulator writes to the memory. */
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope) {
    ENTER();
    bool known = target == cudaFlushGPUDirectRDMAWritesTargetCurrentDevice &&
                 (scope == cudaFlushGPUDirectRDMAWritesToOwner || scope == cudaFlushGPUDirectRDMAWritesToAllDevices);
    return known ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    ENTER();
    return cudaSuccess;
}

/* ---- The end ---- */

static void free_of_program(const struct allocation *a, void *device) {
    if (a->device == *(int *)device && !a->name &&
        (a->kind == MEMORY_DEVICE || a->kind == MEMORY_MANAGED || a->kind == MEMORY_PINNED))
        memory_free(a->base);
}

/* As on an H200: after a fault the reset itself succeeds, but the process gets no working device any more. */
cudaError_t cudaDeviceReset(void) {
    int device = state_device();
    if (state_enter() == cudaErrorNotPermitted)
        return state_return(cudaErrorNotPermitted);
    queue_wait_device(device);
    report_remaining(device);
    memory_each_live(free_of_program, &device);
    if (state_observe(device) != cudaSuccess)
        state_replace_fault(device, cudaErrorDevicesUnavailable);
    return cudaSuccess;
}
