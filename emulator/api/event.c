/* Events: a point in a stream, and when it was passed. Times are the host's wall time. */
#include "api/api.h"

#include <pthread.h>
#include <stdlib.h>

#include "api/queue.h"

struct event {
    unsigned flags;
    int device;
    struct marker *marker; /* of the last record; NULL before the first */
    struct event *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event *events; /* those that exist: a handle may be anything */

/* The link to the event that a handle means, or NULL. With the lock held. */
static struct event **find_link(cudaEvent_t handle) {
    for (struct event **link = &events; *link; link = &(*link)->next)
        if ((void *)*link == (void *)handle)
            return link;
    return NULL;
}

static cudaError_t no_event(const char *function) {
    return state_refuse(function, cudaErrorInvalidResourceHandle,
                        "There is no such event (never created, or destroyed).");
}

/* Finds an event and takes a reference of what it recorded, NULL for nothing. */
static cudaError_t recorded(const char *function, cudaEvent_t handle, struct marker **marker, unsigned *flags) {
    pthread_mutex_lock(&lock);
    struct event **link = find_link(handle);
    *marker = link && (*link)->marker ? marker_keep((*link)->marker) : NULL;
    if (link)
        *flags = (*link)->flags;
    pthread_mutex_unlock(&lock);
    return link ? cudaSuccess : no_event(function);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
    ENTER();
    unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!out || (flags & ~known) || ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
        return state_return(cudaErrorInvalidValue);
    struct event *e = calloc(1, sizeof *e);
    if (!e)
        return state_return(cudaErrorMemoryAllocation);
    e->flags = flags;
    e->device = state_device();
    pthread_mutex_lock(&lock);
    e->next = events;
    events = e;
    pthread_mutex_unlock(&lock);
    *out = (cudaEvent_t)(void *)e;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *out) {
    return cudaEventCreateWithFlags(out, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    ENTER();
    pthread_mutex_lock(&lock);
    struct event **link = find_link(handle), *e = link ? *link : NULL;
    if (link)
        *link = e->next;
    pthread_mutex_unlock(&lock);
    if (!e)
        return no_event(__func__);
    marker_release(e->marker);
    free(e);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    ENTER();
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return state_return(cudaErrorInvalidValue);
    if (flags) /* it makes a node of a graph */
        return state_refuse(__func__, cudaErrorIllegalState,
                            "cudaEventRecordExternal is for streams that are captured.");
    struct stream *s = queue_find(stream);
    if (!s)
        return state_refuse(__func__, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    pthread_mutex_lock(&lock);
    struct event **link = find_link(handle);
    struct marker *m = link ? queue_mark(s) : NULL;
    struct marker *previous = NULL;
    if (m) {
        previous = (*link)->marker;
        (*link)->marker = m;
    }
    pthread_mutex_unlock(&lock);
    marker_release(previous);
    if (!link)
        return no_event(__func__);
    return m ? cudaSuccess : state_return(cudaErrorMemoryAllocation);
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
    return cudaEventRecordWithFlags(handle, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    ENTER();
    struct marker *m;
    unsigned flags;
    cudaError_t error = recorded(__func__, handle, &m, &flags);
    if (error != cudaSuccess || !m)
        return error;
    bool done = marker_done(m);
    marker_release(m);
    return done ? state_return(state_observe(state_device())) : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    ENTER();
    struct marker *m;
    unsigned flags;
    cudaError_t error = recorded(__func__, handle, &m, &flags);
    if (error != cudaSuccess || !m)
        return error;
    queue_block_on_marker(m);
    marker_release(m);
    return state_return(state_observe(state_device()));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    ENTER();
    struct marker *a = NULL, *b = NULL;
    unsigned a_flags = 0, b_flags = 0;
    if (!milliseconds)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error = recorded(__func__, from, &a, &a_flags);
    if (error == cudaSuccess)
        error = recorded(__func__, to, &b, &b_flags);
    if (error == cudaSuccess && (!a || !b || ((a_flags | b_flags) & cudaEventDisableTiming)))
        error = state_refuse(__func__, cudaErrorInvalidResourceHandle,
                             !a || !b ? "An event has no time before cudaEventRecord."
                                      : "An event was created with cudaEventDisableTiming.");
    else if (error == cudaSuccess && (!marker_done(a) || !marker_done(b)))
        error = cudaErrorNotReady;
    else if (error == cudaSuccess)
        *milliseconds = (float)((marker_seconds(b) - marker_seconds(a)) * 1e3);
    marker_release(a);
    marker_release(b);
    return error;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
    ENTER();
    struct marker *m;
    unsigned event_flags;
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return state_return(cudaErrorInvalidValue);
    if (flags)
        return state_refuse(__func__, cudaErrorIllegalState, "cudaEventWaitExternal is for streams that are captured.");
    struct stream *s = queue_find(stream);
    if (!s)
        return state_refuse(__func__, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    cudaError_t error = recorded(__func__, handle, &m, &event_flags);
    if (error != cudaSuccess || !m)
        return error;
    queue_wait_marker(s, m);
    marker_release(m);
    return cudaSuccess;
}

#if CUDART_VERSION < 13000
EXPORT cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    return cudaEventElapsedTime(milliseconds, from, to);
}
#endif
