/* Separate addresses and memory: reserving, creating, mapping, and access rights. */
#include "driver/driver.h"

#include <string.h>

#include "api/device.h"
#include "api/state.h"
#include "driver/context.h"
#include "memory/mapping.h"

_Static_assert(MAPPING_DEVICES == MAX_DEVICES, "each device has its rights");

static bool whole_units(uint64_t n) {
    return n % MAPPING_UNIT == 0;
}

/* Mappings change when no kernel is in flight any more. */
static cudaError_t when_idle(cudaError_t error) {
    return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

/* ---- addresses ---- */

/* The requested address is a hint. */
static cudaError_t reserve(CUdeviceptr *out, size_t size, size_t align, CUdeviceptr hint, unsigned long long flags) {
    enum { HOST_PAGE = 4096 };
    if (!out || !size || size % HOST_PAGE || hint % HOST_PAGE || (align & (align - 1)) || flags)
        return cudaErrorInvalidValue;
    uint64_t base = mapping_reserve(size, align);
    if (!base)
        return cudaErrorMemoryAllocation;
    *out = base;
    return cudaSuccess;
}

static cudaError_t refuse_free(CUdeviceptr address, size_t size) {
    return state_refuse(NULL, cudaErrorInvalidValue,
                        "No range of %zu bytes is reserved at 0x%llx, or memory is still mapped there.", size,
                        (unsigned long long)address);
}

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t align, CUdeviceptr hint, unsigned long long flags) {
    DRIVER_CALL(DRIVER_INITIALIZED, reserve(out, size, align, hint, flags));
}
CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
    DRIVER_CALL(DRIVER_INITIALIZED, mapping_free(address, size) ? cudaSuccess : refuse_free(address, size));
}

/* ---- memory ---- */

/* The memory of a handle, and the properties that were requested. */
static cudaError_t check_properties(const CUmemAllocationProp *p) {
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return cudaErrorInvalidValue;
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return state_refuse(NULL, cudaErrorNotSupported, "Only device memory can be created for mapping.");
    return device_exists(p->location.id) ? cudaSuccess : cudaErrorInvalidDevice;
}

static struct physical *physical_of(CUmemGenericAllocationHandle handle) {
    void *p = (void *)(uintptr_t)handle;
    return physical_is_held(p) ? p : NULL;
}

static cudaError_t create(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *properties,
                          unsigned long long flags) {
    if (!out || flags)
        return cudaErrorInvalidValue;
    cudaError_t error = check_properties(properties);
    if (error != cudaSuccess)
        return error;
    if (!size || !whole_units(size))
        return state_refuse(
            NULL, cudaErrorInvalidValue,
            "%zu bytes are not a multiple of the granularity, 2 MiB: see cuMemGetAllocationGranularity.", size);
    struct physical *p = physical_new(size, properties, sizeof *properties);
    if (!p)
        return cudaErrorMemoryAllocation;
    *out = (uintptr_t)p;
    return cudaSuccess;
}

static cudaError_t release(CUmemGenericAllocationHandle handle) {
    struct physical *p = physical_of(handle);
    if (!p)
        return cudaErrorInvalidValue;
    physical_let_go(p);
    return cudaSuccess;
}

static cudaError_t granularity(size_t *out, const CUmemAllocationProp *p, CUmemAllocationGranularity_flags option) {
    if (!out || (unsigned)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return cudaErrorInvalidValue;
    cudaError_t error = check_properties(p);
    if (error == cudaSuccess)
        *out = MAPPING_UNIT;
    return error;
}

static cudaError_t properties_of(CUmemAllocationProp *out, CUmemGenericAllocationHandle handle) {
    const struct physical *p = physical_of(handle);
    if (!out || !p)
        return cudaErrorInvalidValue;
    memcpy(out, physical_note(p), sizeof *out);
    return cudaSuccess;
}

static cudaError_t retain(CUmemGenericAllocationHandle *out, void *address) {
    struct physical *p = out ? mapping_hold((uintptr_t)address) : NULL;
    if (!p)
        return cudaErrorInvalidValue;
    *out = (uintptr_t)p;
    return cudaSuccess;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *properties,
                     unsigned long long flags) {
    DRIVER_CALL(DRIVER_INITIALIZED, create(out, size, properties, flags));
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    DRIVER_CALL(DRIVER_INITIALIZED, release(handle));
}
CUresult cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option) {
    DRIVER_CALL(DRIVER_INITIALIZED, granularity(out, properties, option));
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *out, CUmemGenericAllocationHandle handle) {
    DRIVER_CALL(DRIVER_INITIALIZED, properties_of(out, handle));
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *address) {
    DRIVER_CALL(DRIVER_INITIALIZED, retain(out, address));
}

/* ---- mapping ---- */

static cudaError_t map(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                       unsigned long long flags) {
    struct physical *p = physical_of(handle);
    if (!p || !size || !whole_units(address | size) || offset || flags || size > physical_size(p))
        return cudaErrorInvalidValue; /* offsets other than 0 are not allowed yet, according to the manual */
    return mapping_map(address, size, p)
               ? cudaSuccess
               : state_refuse(NULL, cudaErrorInvalidValue,
                              "The %zu bytes at 0x%llx are not all reserved, or memory is already mapped there.", size,
                              (unsigned long long)address);
}

static cudaError_t refuse_parts(CUdeviceptr address, size_t size) {
    return state_refuse(NULL, cudaErrorInvalidValue,
                        "The %zu bytes at 0x%llx do not consist of whole, consecutive mappings.", size,
                        (unsigned long long)address);
}

static cudaError_t unmap(CUdeviceptr address, size_t size) {
    cudaError_t error = when_idle(cudaSuccess);
    if (error == cudaSuccess && !mapping_unmap(address, size))
        error = refuse_parts(address, size);
    return error;
}

static cudaError_t check_location(const CUmemLocation *l) {
    if (l->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return cudaErrorInvalidValue;
    return device_exists(l->id) ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t check_access(const CUmemAccessDesc *d) {
    bool known = d->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || d->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                 d->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return known ? check_location(&d->location) : cudaErrorInvalidValue;
}

static cudaError_t set_access(CUdeviceptr address, size_t size, const CUmemAccessDesc *descriptions, size_t count) {
    cudaError_t error = descriptions && count ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = check_access(&descriptions[i]);
    error = when_idle(error);
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        if (!mapping_set_rights(address, size, descriptions[i].location.id,
                                (enum mapping_rights)descriptions[i].flags)) /* the same numbers */
            error = refuse_parts(address, size);
    return error;
}

static cudaError_t get_access(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address) {
    enum mapping_rights rights;
    cudaError_t error = flags && location ? check_location(location) : cudaErrorInvalidValue;
    if (error == cudaSuccess && !mapping_find(address, location->id, &rights))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *flags = rights;
    return error;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    DRIVER_CALL(DRIVER_INITIALIZED, map(address, size, offset, handle, flags));
}
CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
    DRIVER_CALL(DRIVER_INITIALIZED, unmap(address, size));
}
CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *descriptions, size_t count) {
    DRIVER_CALL(DRIVER_INITIALIZED, set_access(address, size, descriptions, count));
}
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address) {
    DRIVER_CALL(DRIVER_INITIALIZED, get_access(flags, location, address));
}
