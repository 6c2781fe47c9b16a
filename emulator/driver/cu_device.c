/* Devices by number, before any context. */
#include "driver/driver.h"

#include <stdio.h>
#include <string.h>

#include "api/device.h"
#include "api/profiler.h"
#include "driver/cu_array.h"

static cudaError_t get(CUdevice *out, int number) {
    if (!out)
        return cudaErrorInvalidValue;
    if (!device_exists(number))
        return device_missing(NULL, number);
    *out = number;
    return cudaSuccess;
}

static cudaError_t properties(struct cudaDeviceProp *out, CUdevice device) {
    return device_exists(device) ? cudaGetDeviceProperties(out, device) : device_missing(NULL, device);
}

static cudaError_t name(char *out, int size, CUdevice device) {
    struct cudaDeviceProp p;
    if (!out || size <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = properties(&p, device);
    if (error == cudaSuccess)
        snprintf(out, (size_t)size, "%s", p.name);
    return error;
}

static cudaError_t uuid(CUuuid *out, CUdevice device) {
    struct cudaDeviceProp p;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = properties(&p, device);
    if (error == cudaSuccess)
        memcpy(out, &p.uuid, sizeof *out);
    return error;
}

static cudaError_t total_memory(size_t *out, CUdevice device) {
    struct cudaDeviceProp p;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = properties(&p, device);
    if (error == cudaSuccess)
        *out = p.totalGlobalMem;
    return error;
}

static cudaError_t capability(int *major, int *minor, CUdevice device) {
    struct cudaDeviceProp p;
    if (!major || !minor)
        return cudaErrorInvalidValue;
    cudaError_t error = properties(&p, device);
    if (error == cudaSuccess) {
        *major = p.major;
        *minor = p.minor;
    }
    return error;
}

CUresult cuDriverGetVersion(int *version) {
    DRIVER_CALL(DRIVER_NOTHING, cudaDriverGetVersion(version));
}
CUresult cuDeviceGet(CUdevice *out, int number) {
    DRIVER_CALL(DRIVER_INITIALIZED, get(out, number));
}
CUresult cuDeviceGetCount(int *count) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaGetDeviceCount(count));
}
CUresult cuDeviceGetName(char *out, int size, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, name(out, size, device));
}
EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *out, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, uuid(out, device));
}
CUresult cuDeviceTotalMem(size_t *out, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, total_memory(out, device));
}
/* The runtime has no names for attributes that only the driver's functions can use. */
static cudaError_t device_attribute(int *out, CUdevice_attribute attribute, CUdevice device) {
    if (attribute != CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
        return cudaDeviceGetAttribute(out, (enum cudaDeviceAttr)attribute, device);
    if (!out)
        return cudaErrorInvalidValue;
    if (!device_exists(device))
        return device_missing(NULL, device);
    *out = 1;
    return cudaSuccess;
}
CUresult cuDeviceGetAttribute(int *out, CUdevice_attribute attribute, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, device_attribute(out, attribute, device));
}
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, capability(major, minor, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice *out, const char *id) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaDeviceGetByPCIBusId(out, id));
}
CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaDeviceGetPCIBusId(id, size, device));
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, from, to));
}
#if CUDART_VERSION >= 13000
CUresult cuDeviceGetHostAtomicCapabilities(unsigned *out, const CUatomicOperation *operations, unsigned count,
                                           CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED,
                cudaDeviceGetHostAtomicCapabilities(out, (const enum cudaAtomicOperation *)operations, count, device));
}
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *out, const CUatomicOperation *operations, unsigned count,
                                          CUdevice from, CUdevice to) {
    DRIVER_CALL(DRIVER_INITIALIZED,
                cudaDeviceGetP2PAtomicCapabilities(out, (const enum cudaAtomicOperation *)operations, count, from, to));
}
#endif
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaDeviceGetDefaultMemPool(out, device));
}
CUresult cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaDeviceGetMemPool(out, device));
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaDeviceSetMemPool(device, pool));
}
static cudaError_t linear_width(const char *function, size_t *out, CUarray_format format, unsigned channels,
                                CUdevice device) {
    struct cudaChannelFormatDesc texel;
    cudaError_t error = array_channels(function, format, channels, &texel);
    return error == cudaSuccess ? cudaDeviceGetTexture1DLinearMaxWidth(out, &texel, device) : error;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *out, CUarray_format format, unsigned channels, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, linear_width(__func__, out, format, channels, device));
}
CUresult cuDeviceGetExecAffinitySupport(int *out, CUexecAffinityType type, CUdevice device) {
    (void)type;
    DRIVER_CALL(DRIVER_INITIALIZED, !out                     ? cudaErrorInvalidValue
                                    : !device_exists(device) ? device_missing(NULL, device)
                                                             : (*out = 0, cudaSuccess));
}
#if CUDART_VERSION >= 12040
static cudaError_t notify(CUdevice device, CUasyncCallback function, void *data, CUasyncCallbackHandle *out) {
    return cudaDeviceRegisterAsyncNotification(device, (cudaAsyncCallback)(void (*)(void))function, data,
                                               (cudaAsyncCallbackHandle_t *)(void *)out);
}
CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback function, void *data,
                                           CUasyncCallbackHandle *out) {
    DRIVER_CALL(DRIVER_INITIALIZED, notify(device, function, data, out));
}
CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle handle) {
    DRIVER_CALL(DRIVER_INITIALIZED,
                cudaDeviceUnregisterAsyncNotification(device, (cudaAsyncCallbackHandle_t)(void *)handle));
}
#endif
CUresult cuProfilerStart(void) {
    CALL(cudaProfilerStart());
}
CUresult cuProfilerStop(void) {
    CALL(cudaProfilerStop());
}
