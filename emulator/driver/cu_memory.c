/* Memory: allocating, freeing, and queries about an address. */
#include "driver/driver.h"

#include <string.h>

#include "driver/context.h"
#include "memory/mapping.h"
#include "memory/memory.h"

static cudaError_t free_device(void *pointer) {
    return cudaFree(pointer);
}
static cudaError_t free_host(void *pointer) {
    return cudaFreeHost(pointer);
}

/* ---- allocating and freeing; unlike in the runtime, never 0 bytes ---- */

static cudaError_t kept(cudaError_t error, void *pointer, context_release release) {
    if (error == cudaSuccess)
        context_keep(pointer, release);
    return error;
}

static cudaError_t allocate(CUdeviceptr *out, size_t bytes, unsigned managed_flags) {
    void *pointer = NULL;
    if (!out || !bytes)
        return cudaErrorInvalidValue;
    cudaError_t error = managed_flags ? cudaMallocManaged(&pointer, bytes, managed_flags) : cudaMalloc(&pointer, bytes);
    if (error == cudaSuccess)
        *out = (uintptr_t)pointer;
    return kept(error, pointer, free_device);
}

static cudaError_t allocate_pitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned element) {
    void *pointer = NULL;
    if (!out || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
        return cudaErrorInvalidValue;
    cudaError_t error = cudaMallocPitch(&pointer, pitch, width, height);
    if (error == cudaSuccess)
        *out = (uintptr_t)pointer;
    return kept(error, pointer, free_device);
}

static cudaError_t allocate_host(void **out, size_t bytes, unsigned flags) {
    if (!out || !bytes)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaHostAlloc(out, bytes, flags);
    return kept(error, error == cudaSuccess ? *out : NULL, free_host);
}

static cudaError_t give_back(void *pointer, bool host) {
    context_drop(pointer);
    return host ? cudaFreeHost(pointer) : cudaFree(pointer);
}

static cudaError_t device_pointer(CUdeviceptr *out, void *host, unsigned flags) {
    void *pointer;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaHostGetDevicePointer(&pointer, host, flags);
    if (error == cudaSuccess)
        *out = (uintptr_t)pointer;
    return error;
}

CUresult cuMemGetInfo(size_t *left, size_t *total) {
    CALL(cudaMemGetInfo(left, total));
}
CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes) {
    CALL(allocate(out, bytes, 0));
}
CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags) {
    CALL(flags ? allocate(out, bytes, flags) : cudaErrorInvalidValue);
}
CUresult cuMemAllocPitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned element) {
    CALL(allocate_pitch(out, pitch, width, height, element));
}
CUresult cuMemFree(CUdeviceptr address) {
    CALL(give_back(driver_pointer(address), false));
}
CUresult cuMemAllocHost(void **out, size_t bytes) {
    CALL(allocate_host(out, bytes, 0));
}
CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
    CALL(allocate_host(out, bytes, flags));
}
CUresult cuMemFreeHost(void *pointer) {
    CALL(give_back(pointer, true));
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *out, void *host, unsigned flags) {
    CALL(device_pointer(out, host, flags));
}
CUresult cuMemHostGetFlags(unsigned *flags, void *host) {
    CALL(cudaHostGetFlags(flags, host));
}
CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags) {
    CALL(cudaHostRegister(pointer, bytes, flags));
}
CUresult cuMemHostUnregister(void *pointer) {
    CALL(cudaHostUnregister(pointer));
}

/* ---- queries about an address ---- */

static const struct allocation *live_at(CUdeviceptr address) {
    const struct allocation *a = memory_find(address);
    return a && memory_is_live(a) ? a : NULL;
}

static cudaError_t address_range(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
    const struct allocation *a = live_at(address);
    if (!a)
        return cudaErrorSymbolNotFound; /* CUDA_ERROR_NOT_FOUND */
    if (base)
        *base = a->base;
    if (size)
        *size = a->size;
    return cudaSuccess;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
    CALL(address_range(base, size, address));
}

static bool is_host(const struct allocation *a) {
    return a->kind == MEMORY_PINNED || a->kind == MEMORY_REGISTERED;
}

#define ANSWER(type, value)                                                                                            \
    do {                                                                                                               \
        type answer = (type)(value);                                                                                   \
        memcpy(out, &answer, sizeof answer);                                                                           \
        return cudaSuccess;                                                                                            \
    } while (0)

static cudaError_t range_attribute(void *out, CUpointer_attribute attribute, const struct allocation *a,
                                   CUdeviceptr address) {
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        ANSWER(CUdeviceptr, a->base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        ANSWER(size_t, a->size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
        ANSWER(bool, !a->mappings || mapping_find(address, a->device, &(enum mapping_rights){0}));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        ANSWER(unsigned long long, a->id);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        ANSWER(unsigned long long, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        ANSWER(int, a->read_only ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        ANSWER(CUmemoryPool, NULL);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        ANSWER(int, 0);
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t pointer_attribute(void *out, CUpointer_attribute attribute, CUdeviceptr address) {
    const struct allocation *a = live_at(address);
    if (!out || !a)
        return cudaErrorInvalidValue;
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        ANSWER(CUcontext, context_of_device(a->device));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        ANSWER(unsigned, is_host(a) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        ANSWER(CUdeviceptr, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!is_host(a) && a->kind != MEMORY_MANAGED)
            return cudaErrorInvalidValue;
        ANSWER(void *, (uintptr_t)address);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        ANSWER(unsigned, a->kind == MEMORY_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        ANSWER(int, a->device);
    default:
        return range_attribute(out, attribute, a, address);
    }
}

/* Bytes of a result. */
static size_t size_of_attribute(CUpointer_attribute attribute) {
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return sizeof(int);
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return sizeof(bool);
    default:
        return sizeof(void *);
    }
}

/* For an unknown address the results are zeros, which is no error; its device is -2. */
static cudaError_t pointer_attributes(unsigned count, const CUpointer_attribute *attributes, void **out,
                                      CUdeviceptr address) {
    if (!count || !attributes || !out)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        static const int no_device = -2;
        if (pointer_attribute(out[i], attributes[i], address) == cudaSuccess)
            continue;
        if (!out[i])
            return cudaErrorInvalidValue;
        memset(out[i], 0, size_of_attribute(attributes[i]));
        if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            memcpy(out[i], &no_device, sizeof no_device);
    }
    return cudaSuccess;
}

CUresult cuPointerGetAttribute(void *out, CUpointer_attribute attribute, CUdeviceptr address) {
    DRIVER_CALL(DRIVER_INITIALIZED, pointer_attribute(out, attribute, address));
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **out, CUdeviceptr address) {
    DRIVER_CALL(DRIVER_INITIALIZED, pointer_attributes(count, attributes, out, address));
}
/* Copies are as synchronous as they are without it. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address) {
    DRIVER_CALL(DRIVER_INITIALIZED, value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && live_at(address)
                                        ? cudaSuccess
                                        : cudaErrorInvalidValue);
}

/* ---- handles for other processes ---- */

static cudaError_t open_memory(CUdeviceptr *out, CUipcMemHandle handle, unsigned flags) {
    void *pointer = NULL;
    cudaIpcMemHandle_t same;
    memcpy(&same, &handle, sizeof same);
    cudaError_t error = out ? cudaIpcOpenMemHandle(&pointer, same, flags) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *out = (uintptr_t)pointer;
    return error;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr address) {
    CALL(cudaIpcGetMemHandle((cudaIpcMemHandle_t *)(void *)out, driver_pointer(address)));
}
CUresult cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle handle, unsigned flags) {
    CALL(open_memory(out, handle, flags));
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    CALL(cudaIpcCloseMemHandle(driver_pointer(address)));
}
