/* Getting and giving back memory of the device and memory that both sides share. */
#include "api/api.h"

#include <stdio.h>

#include "api/capture.h"
#include "api/graph_memory.h"
#include "api/queue.h"
#include "check/allocation_watch.h"
#include "check/host_memory.h"
#include "memory/memory.h"
#include "profile/host_calls.h"

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))
#define PITCH_UNIT       512 /* rows of pitched memory start at multiples of this */

static const struct allocation *live_at(const void *pointer) {
    const struct allocation *a = memory_find(ADDRESS(pointer));
    return a && memory_is_live(a) ? a : NULL;
}

/* Allocates, for a call named in messages, and stores the address. */
static cudaError_t allocate(const char *function, void **out, size_t size, enum memory_kind kind) {
    ENTER();
    host_calls_note(HOST_PREPARE, function);
    if (!out)
        return state_return(cudaErrorInvalidValue);
    if (!size) {
        *out = NULL;
        return cudaSuccess;
    }
    NOT_WHILE_CAPTURING(function);
    struct allocation *a = memory_allocate(size, 0, kind, state_device(), NULL);
    if (!a)
        return state_refuse(function, cudaErrorMemoryAllocation,
                            "%zu bytes requested, and %zu of the device's %zu are free.", size,
                            memory_free_bytes(state_device()), memory_total());
    *out = (void *)(uintptr_t)a->base;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t size) {
    return allocate(__func__, out, size, MEMORY_DEVICE);
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return state_return(cudaErrorInvalidValue);
    return allocate(__func__, out, size, MEMORY_MANAGED);
}

cudaError_t cudaMallocHost(void **out, size_t size) {
    return allocate(__func__, out, size, MEMORY_PINNED);
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags) {
    if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return state_return(cudaErrorInvalidValue);
    cudaError_t error = allocate(__func__, out, size, MEMORY_PINNED);
    if (error == cudaSuccess && *out)
        ((struct allocation *)live_at(*out))->flags = flags;
    return error;
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
    size_t row, bytes;
    if (!pitch || __builtin_add_overflow(width, PITCH_UNIT - 1, &row))
        return state_return(cudaErrorInvalidValue);
    row = row / PITCH_UNIT * PITCH_UNIT;
    if (__builtin_mul_overflow(row, height, &bytes))
        return state_return(cudaErrorMemoryAllocation);
    *pitch = row;
    cudaError_t error = allocate(__func__, out, bytes, MEMORY_DEVICE);
    if (error == cudaSuccess && *out) {
        ((struct allocation *)live_at(*out))->pitch = row;
        allocation_rows(live_at(*out), row, width);
    }
    return error;
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent) {
    size_t rows;
    if (!out)
        return state_return(cudaErrorInvalidValue);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return state_return(cudaErrorMemoryAllocation);
    out->xsize = extent.width;
    out->ysize = extent.height;
    return cudaMallocPitch(&out->ptr, &out->pitch, extent.width, rows);
}

/* ---- Giving back ---- */

/* Frees, when the device is done with it. `wanted`: the kinds that the call frees; `by`: the function that frees
 * others. */
static cudaError_t release(const char *function, void *pointer, bool host) {
    ENTER();
    NOT_WHILE_CAPTURING(function);
    if (!pointer)
        return cudaSuccess;
    const struct allocation *a = memory_find(ADDRESS(pointer));
    if (a && a->base == ADDRESS(pointer) && (a->limit || !a->size)) {
        bool is_host = a->kind == MEMORY_PINNED;
        if (a->name || a->kind == MEMORY_VARIABLE || a->kind == MEMORY_CONSTANT || a->kind == MEMORY_REGISTERED)
            return state_refuse(function, cudaErrorInvalidValue, "0x%llx was not allocated by cudaMalloc.",
                                (unsigned long long)ADDRESS(pointer));
        if (is_host != host)
            return state_refuse(function, cudaErrorInvalidValue, "0x%llx is %s memory: free it with %s.",
                                (unsigned long long)ADDRESS(pointer), is_host ? "pinned host" : "device",
                                is_host ? "cudaFreeHost" : "cudaFree");
    }
    queue_wait_device(a ? a->device : state_device());
    cudaError_t fault = state_observe(state_device());
    enum memory_free_result result = memory_free(ADDRESS(pointer));
    if (result != MEMORY_FREED)
        report_bad_free(function, ADDRESS(pointer), result);
    switch (result) {
    case MEMORY_FREED:
        graph_memory_freed(pointer);
        return state_return(fault);
    case MEMORY_ALREADY_FREED:
        return state_refuse(function, cudaErrorInvalidValue, "0x%llx has already been freed.",
                            (unsigned long long)ADDRESS(pointer));
    case MEMORY_NOT_A_BASE:
        return state_refuse(function, cudaErrorInvalidValue,
                            "0x%llx is inside an allocation: pass the pointer to its start.",
                            (unsigned long long)ADDRESS(pointer));
    default:
        return state_refuse(function, cudaErrorInvalidValue, "0x%llx was not allocated by %s.",
                            (unsigned long long)ADDRESS(pointer), host ? "cudaMallocHost or cudaHostAlloc" : "CUDA");
    }
}

cudaError_t cudaFree(void *pointer) {
    return release(__func__, pointer, false);
}

cudaError_t cudaFreeHost(void *pointer) {
    return release(__func__, pointer, true);
}

/* ---- The host's own memory, registered ---- */

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) {
    ENTER();
    NOT_WHILE_CAPTURING(__func__);
    unsigned known =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (!pointer || !size || (flags & ~known))
        return state_return(cudaErrorInvalidValue);
    if (memory_is_device_range(ADDRESS(pointer)))
        return state_refuse(__func__, cudaErrorInvalidValue, "That is a device address, not host memory.");
    if (live_at(pointer) && live_at(pointer)->kind != MEMORY_REGISTERED)
        return state_refuse(__func__, cudaErrorInvalidValue,
                            "That memory was allocated by CUDA and is pinned already.");
    bool taken;
    struct allocation *a = memory_register(pointer, size, state_device(), &taken);
    if (!a && !taken)
        return state_return(cudaErrorMemoryAllocation);
    if (!a)
        return state_refuse(__func__, cudaErrorHostMemoryAlreadyRegistered,
                            "Some of these bytes are registered or pinned already.");
    a->flags = flags;
    memory_set_read_only(a, flags & cudaHostRegisterReadOnly);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer) {
    ENTER();
    if (!pointer)
        return state_return(cudaErrorInvalidValue);
    NOT_WHILE_CAPTURING(__func__);
    const struct allocation *a = live_at(pointer);
    if (a && a->base != ADDRESS(pointer))
        return state_refuse(__func__, cudaErrorInvalidValue,
                            "That address is inside registered memory: pass its start.");
    if (!a || a->kind != MEMORY_REGISTERED)
        return state_refuse(__func__, cudaErrorHostMemoryNotRegistered, "No registered memory starts at that address.");
    queue_wait_device(a->device);
    memory_free(a->base);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    ENTER();
    const struct allocation *a = live_at(host);
    if (!device || flags)
        return state_return(cudaErrorInvalidValue);
    if (!a || (a->kind != MEMORY_PINNED && a->kind != MEMORY_REGISTERED))
        return state_refuse(__func__, cudaErrorInvalidValue, "That is not pinned or registered host memory.");
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    ENTER();
    const struct allocation *a = live_at(host);
    if (!flags || !a || (a->kind != MEMORY_PINNED && a->kind != MEMORY_REGISTERED))
        return state_return(cudaErrorInvalidValue);
    *flags = a->flags | cudaHostAllocMapped; /* the flags of both kinds have the same numbers */
    return cudaSuccess;
}

/* ---- Questions ---- */

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    ENTER();
    if (!free_bytes || !total)
        return state_return(cudaErrorInvalidValue);
    *total = memory_total();
    *free_bytes = memory_free_bytes(state_device());
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer) {
    if (!out)
        return state_return(cudaErrorInvalidValue);
    const struct allocation *a = live_at(pointer);
    void *same = (void *)(uintptr_t)pointer;
    *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2, .hostPointer = same};
    if (!a)
        return cudaSuccess;
    out->device = a->device;
    out->devicePointer = same;
    switch (a->kind) {
    case MEMORY_MANAGED:
        out->type = cudaMemoryTypeManaged;
        break;
    case MEMORY_PINNED:
    case MEMORY_REGISTERED:
        out->type = cudaMemoryTypeHost;
        break;
    default:
        out->type = cudaMemoryTypeDevice;
        out->hostPointer = NULL;
    }
    return cudaSuccess;
}
