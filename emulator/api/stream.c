/* Streams as programs see them; queue.c does the work. */
#include "api/api.h"

#include "api/capture.h"
#include "api/queue.h"
#include "api/stream.h"
#include "memory/memory.h"
#include "profile/host_calls.h"

#define PRIORITY_LEAST    0
#define PRIORITY_GREATEST (-5)

int stream_priority(int wanted) {
    return wanted > PRIORITY_LEAST ? PRIORITY_LEAST : wanted < PRIORITY_GREATEST ? PRIORITY_GREATEST : wanted;
}

cudaError_t stream_find(const char *function, cudaStream_t handle, struct stream **out) {
    *out = NULL;
    ENTER();
    *out = queue_find(handle);
    return *out ? cudaSuccess
                : state_refuse(function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority) {
    ENTER();
    if (!out || (flags & ~(unsigned)cudaStreamNonBlocking))
        return state_return(cudaErrorInvalidValue);
    struct stream *s = queue_create(flags, stream_priority(priority));
    if (!s)
        return state_return(cudaErrorMemoryAllocation);
    *out = queue_handle(s);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
    return cudaStreamCreateWithPriority(out, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *out) {
    return cudaStreamCreateWithPriority(out, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    struct stream *s;
    if (handle == NULL || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return state_refuse(__func__, cudaErrorInvalidResourceHandle, "A default stream cannot be destroyed.");
    cudaError_t error = stream_find(__func__, handle, &s);
    if (error == cudaSuccess) {
        capture_stream_destroyed(s);
        queue_destroy(s);
    }
    return error;
}

/* For calls that query a stream's progress: not for a captured one, nor for any while the thread captures. */
static cudaError_t find_to_wait(const char *function, cudaStream_t handle, struct stream **s) {
    cudaError_t error = stream_find(function, handle, s);
    if (error == cudaSuccess)
        error = capture_refuse(function, *s);
    return error == cudaSuccess ? capture_forbid(function) : error;
}

/* For calls that are not allowed in a capture, though they do little. */
static cudaError_t find_uncaptured(const char *function, cudaStream_t handle, struct stream **s) {
    cudaError_t error = stream_find(function, handle, s);
    return error == cudaSuccess ? capture_refuse(function, *s) : error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    struct stream *s;
    cudaError_t error = find_to_wait(__func__, handle, &s);
    if (error != cudaSuccess)
        return error;
    host_calls_note(HOST_WAIT, __func__);
    queue_wait_stream(s);
    return state_return(state_observe(queue_device(s)));
}

/* cudaErrorNotReady is a result, not an error: cudaGetLastError does not return it. */
cudaError_t cudaStreamQuery(cudaStream_t handle) {
    struct stream *s;
    cudaError_t error = find_to_wait(__func__, handle, &s);
    if (error != cudaSuccess)
        return error;
    return queue_stream_idle(s) ? state_return(state_observe(queue_device(s))) : cudaErrorNotReady;
}

cudaError_t stream_wait_device(const char *function) {
    ENTER();
    cudaError_t error = capture_forbid_always(function);
    if (error != cudaSuccess)
        return error;
    queue_wait_device(state_device());
    return state_return(state_observe(state_device()));
}

cudaError_t cudaDeviceSynchronize(void) {
    host_calls_note(HOST_WAIT, __func__);
    return stream_wait_device(__func__);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
    struct stream *s = NULL;
    cudaError_t error = flags ? find_uncaptured(__func__, handle, &s) : state_return(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *flags = queue_flags(s);
    return error;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    struct stream *s = NULL;
    cudaError_t error = priority ? stream_find(__func__, handle, &s) : state_return(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *priority = queue_priority(s);
    return error;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
    struct stream *s = NULL;
    cudaError_t error = id ? find_uncaptured(__func__, handle, &s) : state_return(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *id = queue_id(s);
    return error;
}

#if CUDART_VERSION >= 12080
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
    struct stream *s;
    cudaError_t error = device ? stream_find(__func__, handle, &s) : state_return(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *device = queue_device(s);
    return error;
}
#endif

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least)
        *least = PRIORITY_LEAST;
    if (greatest)
        *greatest = PRIORITY_GREATEST;
    return cudaSuccess;
}

/* Managed memory is visible everywhere at all times here. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void *pointer, size_t length, unsigned flags) {
    struct stream *s;
    (void)length, (void)flags;
    cudaError_t error = find_uncaptured(__func__, handle, &s);
    if (error != cudaSuccess)
        return error;
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    bool shared = handle == NULL || handle == cudaStreamLegacy;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && (flags != cudaMemAttachSingle || shared))
        return state_return(cudaErrorInvalidValue);
    if (!a || a->kind != MEMORY_MANAGED || !a->limit || a->base != (uint64_t)(uintptr_t)pointer)
        return state_refuse(__func__, cudaErrorInvalidValue, "%p is not the start of managed memory.", pointer);
    if (length && length != a->size)
        return state_refuse(__func__, cudaErrorInvalidValue, "Pass the whole size of %llu bytes, or 0, not %zu.",
                            (unsigned long long)a->size, length);
    return cudaSuccess;
}
