/* Hints about managed memory. Here it is always where it is needed, so they are checked and otherwise ignored. */
#include "api/api.h"

#include <stdint.h>

#include "api/queue.h"
#include "memory/memory.h"

static cudaError_t check_range(const char *function, const void *pointer, size_t count) {
    ENTER();
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    if (!count || !a || a->kind != MEMORY_MANAGED || !memory_at(a, (uint64_t)(uintptr_t)pointer, count))
        return state_refuse(function, cudaErrorInvalidValue,
                            "These %zu bytes are not all in managed memory "
                            "(cudaMallocManaged or __managed__).",
                            count);
    return cudaSuccess;
}

static cudaError_t check_prefetch(const void *pointer, size_t count, int device, cudaStream_t stream) {
    cudaError_t error = check_range("cudaMemPrefetchAsync", pointer, count);
    if (error != cudaSuccess)
        return error;
    if (device >= state_device_count())
        return state_return(cudaErrorInvalidDevice);
    return queue_find(stream) ? cudaSuccess : state_return(cudaErrorInvalidResourceHandle);
}

#if CUDART_VERSION >= 13000
static int device_of(struct cudaMemLocation l) {
    return l.type == cudaMemLocationTypeDevice ? l.id : cudaCpuDeviceId;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, struct cudaMemLocation where, unsigned flags,
                                 cudaStream_t stream) {
    return flags ? state_return(cudaErrorInvalidValue) : check_prefetch(pointer, count, device_of(where), stream);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation where) {
    (void)advice, (void)where;
    return check_range(__func__, pointer, count);
}
#else
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream) {
    return check_prefetch(pointer, count, device, stream);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice, int device) {
    (void)advice, (void)device;
    return check_range(__func__, pointer, count);
}
#endif
