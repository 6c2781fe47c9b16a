/* Memory that is allocated and freed in the order of a stream, and the pools that it comes from. */
#include "driver/driver.h"

#include "driver/context.h"

static cudaError_t allocate_async(CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream stream) {
    void *pointer = NULL;
    if (!out || !bytes)
        return cudaErrorInvalidValue;
    cudaError_t error =
        pool ? cudaMallocFromPoolAsync(&pointer, bytes, pool, stream) : cudaMallocAsync(&pointer, bytes, stream);
    if (error == cudaSuccess)
        *out = (uintptr_t)pointer;
    return error;
}

/* It may come from cuMemAlloc, too. */
static cudaError_t give_back_async(void *pointer, CUstream stream) {
    context_drop(pointer);
    return cudaFreeAsync(pointer, stream);
}

/* The properties have the runtime's layout. */
static cudaError_t create_pool(CUmemoryPool *out, const CUmemPoolProps *properties) {
    return cudaMemPoolCreate(out, (const struct cudaMemPoolProps *)(const void *)properties);
}

CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream) {
    CALL(allocate_async(out, bytes, NULL, stream));
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream stream) {
    CALL(pool ? allocate_async(out, bytes, pool, stream) : cudaErrorInvalidValue);
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    CALL(give_back_async(driver_pointer(address), stream));
}
CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *properties) {
    DRIVER_CALL(DRIVER_INITIALIZED, create_pool(out, properties));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaMemPoolDestroy(pool));
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaMemPoolTrimTo(pool, keep));
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}

/* ---- access; descriptions and locations have the runtime's layout ---- */

static cudaError_t set_access(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count) {
    return cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)(const void *)list, count);
}
static cudaError_t get_access(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
    return cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool, (struct cudaMemLocation *)(void *)location);
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count) {
    DRIVER_CALL(DRIVER_INITIALIZED, set_access(pool, list, count));
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
    DRIVER_CALL(DRIVER_INITIALIZED, get_access(flags, pool, location));
}

/* ---- the pools of a place ---- */

#if CUDART_VERSION >= 13000
#define PLACE(location) ((struct cudaMemLocation *)(void *)(location))

CUresult cuMemGetDefaultMemPool(CUmemoryPool *out, CUmemLocation *location, CUmemAllocationType type) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaMemGetDefaultMemPool(out, PLACE(location), (enum cudaMemAllocationType)type));
}
CUresult cuMemGetMemPool(CUmemoryPool *out, CUmemLocation *location, CUmemAllocationType type) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaMemGetMemPool(out, PLACE(location), (enum cudaMemAllocationType)type));
}
CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaMemSetMemPool(PLACE(location), (enum cudaMemAllocationType)type, pool));
}
#endif

/* ---- for others ---- */

static cudaError_t import_pointer(CUdeviceptr *out, CUmemoryPool pool, CUmemPoolPtrExportData *data) {
    void *pointer = NULL;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaMemPoolImportPointer(&pointer, pool, (struct cudaMemPoolPtrExportData *)(void *)data);
    if (error == cudaSuccess)
        *out = (uintptr_t)pointer;
    return error;
}

#define HANDLE_TYPE(type)   ((enum cudaMemAllocationHandleType)(type))
#define WITHOUT_FLAGS(call) (flags ? cudaErrorInvalidValue : (call))

CUresult cuMemPoolExportToShareableHandle(void *out, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags) {
    DRIVER_CALL(DRIVER_INITIALIZED, WITHOUT_FLAGS(cudaMemPoolExportToShareableHandle(out, pool, HANDLE_TYPE(type), 0)));
}
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *out, void *handle, CUmemAllocationHandleType type,
                                            unsigned long long flags) {
    DRIVER_CALL(DRIVER_INITIALIZED,
                WITHOUT_FLAGS(cudaMemPoolImportFromShareableHandle(out, handle, HANDLE_TYPE(type), 0)));
}
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *out, CUdeviceptr address) {
    DRIVER_CALL(DRIVER_INITIALIZED,
                cudaMemPoolExportPointer((struct cudaMemPoolPtrExportData *)(void *)out, driver_pointer(address)));
}
CUresult cuMemPoolImportPointer(CUdeviceptr *out, CUmemoryPool pool, CUmemPoolPtrExportData *data) {
    DRIVER_CALL(DRIVER_INITIALIZED, import_pointer(out, pool, data));
}
