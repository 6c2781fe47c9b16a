/* Managed memory: advice, prefetching, discarding, and queries of the recorded advice. */
#include "driver/driver.h"

#include "api/managed.h"

static struct cudaMemLocation place(CUmemLocation l) {
    return (struct cudaMemLocation){(enum cudaMemLocationType)l.type, l.id};
}

/* ---- advice and prefetching; the first forms name the place by a device's number ---- */

#undef cuMemAdvise
EXPORT CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device);
EXPORT CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
    CALL(managed_advise_device(driver_pointer(address), bytes, (enum cudaMemoryAdvise)advice, device));
}
EXPORT CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location);
EXPORT CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
    CALL(managed_advise(driver_pointer(address), bytes, (enum cudaMemoryAdvise)advice, place(location)));
}

#undef cuMemPrefetchAsync
EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream);
EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
    CALL(managed_prefetch(__func__, driver_pointer(address), bytes, managed_location(device), 0, stream));
}
EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                                      CUstream stream);
EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                                      CUstream stream) {
    CALL(managed_prefetch(__func__, driver_pointer(address), bytes, place(location), flags, stream));
}

/* ---- many at once; lists of addresses and of places have the runtime's layout ---- */

#if CUDART_VERSION >= 13000
#define POINTERS(addresses) ((void **)(void *)(addresses))
#define PLACES(locations)   ((struct cudaMemLocation *)(void *)(locations))

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, CUmemLocation *locations,
                                 size_t *indices, size_t location_count, unsigned long long flags, CUstream stream) {
    CALL(cudaMemPrefetchBatchAsync(POINTERS(addresses), sizes, count, PLACES(locations), indices, location_count, flags,
                                   stream));
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, unsigned long long flags,
                                CUstream stream) {
    CALL(cudaMemDiscardBatchAsync(POINTERS(addresses), sizes, count, flags, stream));
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
                                           CUmemLocation *locations, size_t *indices, size_t location_count,
                                           unsigned long long flags, CUstream stream) {
    CALL(cudaMemDiscardAndPrefetchBatchAsync(POINTERS(addresses), sizes, count, PLACES(locations), indices,
                                             location_count, flags, stream));
}
#endif

/* ---- questions ---- */

static cudaError_t range_attributes(void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t number,
                                    CUdeviceptr address, size_t bytes) {
    return cudaMemRangeGetAttributes(data, sizes, (enum cudaMemRangeAttribute *)attributes, number,
                                     driver_pointer(address), bytes);
}

CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                                size_t bytes) {
    CALL(cudaMemRangeGetAttribute(data, size, (enum cudaMemRangeAttribute)attribute, driver_pointer(address), bytes));
}
CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t number,
                                 CUdeviceptr address, size_t bytes) {
    CALL(range_attributes(data, sizes, attributes, number, address, bytes));
}
