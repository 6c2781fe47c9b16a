/* Events: a point in a stream, and the time when it was passed. Times are the host's wall time. */
#include "api/api.h"

#include <pthread.h>
#include <stdlib.h>

#include "api/capture.h"
#include "api/event.h"
#include "api/graph_work.h"
#include "profile/host_calls.h"

struct event {
    unsigned flags;
    int device;
    struct marker *marker;          /* of the last record; NULL before the first */
    struct capture_point *captured; /* where it was recorded in a captured stream; NULL when it was not */
    struct event *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event *events; /* those that exist: a handle may be anything */

/* The link to the event of a handle, or NULL. With the lock held. */
static struct event **find_link(cudaEvent_t handle) {
    for (struct event **link = &events; *link; link = &(*link)->next)
        if ((void *)*link == (void *)handle)
            return link;
    return NULL;
}

bool event_flags(cudaEvent_t handle, unsigned *flags) {
    pthread_mutex_lock(&lock);
    struct event **link = find_link(handle);
    if (link)
        *flags = (*link)->flags;
    pthread_mutex_unlock(&lock);
    return link != NULL;
}

/* -1 when there is no such event. */
static int event_device(cudaEvent_t handle) {
    pthread_mutex_lock(&lock);
    struct event **link = find_link(handle);
    int device = link ? (*link)->device : -1;
    pthread_mutex_unlock(&lock);
    return device;
}

static cudaError_t no_event(const char *function) {
    return state_refuse(function, cudaErrorInvalidResourceHandle,
                        "There is no such event (never created, or destroyed).");
}

/* The object that an event refers to at one time. */
struct record {
    struct marker *marker; /* or NULL for nothing */
    struct capture_point *captured;
    unsigned flags;
};

/* Finds an event and takes references to what it recorded. */
static cudaError_t recorded(const char *function, cudaEvent_t handle, struct record *r) {
    *r = (struct record){0};
    pthread_mutex_lock(&lock);
    struct event **link = find_link(handle);
    if (link)
        *r = (struct record){(*link)->marker ? marker_keep((*link)->marker) : NULL,
                             capture_point_copy((*link)->captured), (*link)->flags};
    pthread_mutex_unlock(&lock);
    return link ? cudaSuccess : no_event(function);
}

static void forget(struct record *r) {
    marker_release(r->marker);
    capture_point_free(r->captured);
}

/* The event now refers to something else. Takes both; false when there is no such event. */
static bool replace(cudaEvent_t handle, struct marker *m, struct capture_point *captured) {
    struct record previous = {m, captured, 0};
    pthread_mutex_lock(&lock);
    struct event **link = find_link(handle);
    if (link) {
        previous = (struct record){(*link)->marker, (*link)->captured, 0};
        (*link)->marker = m;
        (*link)->captured = captured;
    }
    pthread_mutex_unlock(&lock);
    forget(&previous);
    return link != NULL;
}

cudaError_t event_check(const char *function, cudaEvent_t handle) {
    pthread_mutex_lock(&lock);
    bool exists = find_link(handle) != NULL;
    pthread_mutex_unlock(&lock);
    return exists ? cudaSuccess : no_event(function);
}

struct marker *event_expect(cudaEvent_t handle) {
    struct marker *m = marker_new();
    if (!m)
        return NULL;
    if (!replace(handle, marker_keep(m), NULL)) {
        marker_release(m);
        return NULL;
    }
    return m;
}

struct marker *event_recorded(cudaEvent_t handle) {
    pthread_mutex_lock(&lock);
    struct event **link = find_link(handle);
    struct marker *m = link && (*link)->marker ? marker_keep((*link)->marker) : NULL;
    pthread_mutex_unlock(&lock);
    return m;
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
    capture_point_free(e->captured);
    free(e);
    return cudaSuccess;
}

/* An event node, which records or awaits when the graph runs. */
static cudaError_t capture_event(const char *function, struct stream *s, enum cudaGraphNodeType type,
                                 cudaEvent_t handle) {
    cudaError_t error;
    struct work *w = work_event(function, type, handle, &error);
    return w ? capture_work(s, w) : error;
}

/* In a captured stream an event is a point in the graph. */
static cudaError_t record_captured(const char *function, struct stream *s, cudaEvent_t handle, unsigned flags) {
    if (flags & cudaEventRecordExternal)
        return capture_event(function, s, cudaGraphNodeTypeEventRecord, handle);
    struct capture_point *p = capture_mark(s);
    if (!p)
        return state_return(cudaErrorMemoryAllocation);
    return replace(handle, NULL, p) ? cudaSuccess : no_event(function);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    ENTER();
    bool captured;
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return state_return(cudaErrorInvalidValue);
    struct stream *s = queue_find(stream);
    if (!s)
        return state_refuse(__func__, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    cudaError_t error = event_check(__func__, handle);
    if (error == cudaSuccess)
        error = capture_check(__func__, s, &captured);
    if (error != cudaSuccess || captured)
        return error != cudaSuccess ? error : record_captured(__func__, s, handle, flags);
    if (flags) /* it makes a node of a graph */
        return state_refuse(__func__, cudaErrorIllegalState,
                            "cudaEventRecordExternal is only for streams that are being captured.");
    if (event_device(handle) != queue_device(s))
        return state_refuse(__func__, cudaErrorInvalidResourceHandle,
                            "The event and the stream belong to different devices (the stream to device %d).",
                            queue_device(s));
    struct marker *m = queue_mark(s);
    if (!m)
        return state_return(cudaErrorMemoryAllocation);
    return replace(handle, m, NULL) ? cudaSuccess : no_event(__func__);
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
    return cudaEventRecordWithFlags(handle, stream, cudaEventRecordDefault);
}

/* For calls that query an event: finds its marker, NULL for none. */
static cudaError_t ask(const char *function, cudaEvent_t handle, struct marker **m) {
    struct record r;
    cudaError_t error = recorded(function, handle, &r);
    if (error != cudaSuccess)
        return error;
    if (r.captured)
        error = capture_point_query(function, r.captured, true);
    else
        error = capture_forbid(function);
    *m = error == cudaSuccess && r.marker ? marker_keep(r.marker) : NULL;
    forget(&r);
    return error;
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    ENTER();
    struct marker *m;
    cudaError_t error = ask(__func__, handle, &m);
    if (error != cudaSuccess || !m)
        return error;
    bool done = marker_done(m);
    marker_release(m);
    return done ? state_return(state_observe(state_device())) : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    ENTER();
    struct marker *m;
    cudaError_t error = ask(__func__, handle, &m);
    if (error != cudaSuccess || !m)
        return error;
    host_calls_note(HOST_WAIT, __func__);
    queue_block_on_marker(m);
    marker_release(m);
    return state_return(state_observe(state_device()));
}

static cudaError_t elapsed(const char *function, float *milliseconds, const struct record *from,
                           const struct record *to) {
    if (from->captured || to->captured)
        return capture_point_query(function, from->captured ? from->captured : to->captured, false);
    if (!from->marker || !to->marker || ((from->flags | to->flags) & cudaEventDisableTiming))
        return state_refuse(function, cudaErrorInvalidResourceHandle,
                            !from->marker || !to->marker ? "An event has no time before cudaEventRecord."
                                                         : "An event was created with cudaEventDisableTiming.");
    if (!marker_done(from->marker) || !marker_done(to->marker))
        return cudaErrorNotReady;
    *milliseconds = (float)((marker_seconds(to->marker) - marker_seconds(from->marker)) * 1e3);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    ENTER();
    struct record a = {0}, b = {0};
    if (!milliseconds)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error = recorded(__func__, from, &a);
    if (error == cudaSuccess)
        error = recorded(__func__, to, &b);
    if (error == cudaSuccess && event_device(from) != event_device(to))
        error = state_refuse(__func__, cudaErrorInvalidResourceHandle, "The events belong to different devices.");
    if (error == cudaSuccess)
        error = elapsed(__func__, milliseconds, &a, &b);
    forget(&a);
    forget(&b);
    return error;
}

/* A captured stream waits: for other captured work, or, when the program requests it, for an event when the graph
 * runs. */
static cudaError_t wait_captured(const char *function, struct stream *s, cudaEvent_t handle, const struct record *r,
                                 unsigned flags) {
    if (flags & cudaEventWaitExternal)
        return capture_event(function, s, cudaGraphNodeTypeWaitEvent, handle);
    if (r->captured)
        return capture_join(function, s, r->captured);
    if (!r->marker)
        return cudaSuccess; /* never recorded */
    capture_invalidate(s);
    return state_refuse(
        function, cudaErrorStreamCaptureIsolation,
        "The stream is being captured, and the event belongs to work that is not captured, so the graph could not wait "
        "for it. (cudaEventWaitExternal waits for the event when the graph runs.)");
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned flags) {
    ENTER();
    struct record r;
    bool captured;
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return state_return(cudaErrorInvalidValue);
    struct stream *s = queue_find(stream);
    if (!s)
        return state_refuse(__func__, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    cudaError_t error = recorded(__func__, handle, &r);
    if (error != cudaSuccess)
        return error;
    error = capture_check(__func__, s, &captured);
    if (error == cudaSuccess && captured)
        error = wait_captured(__func__, s, handle, &r, flags);
    else if (error == cudaSuccess && flags)
        error = state_refuse(__func__, cudaErrorIllegalState,
                             "cudaEventWaitExternal is only for streams that are being captured.");
    else if (error == cudaSuccess && r.captured)
        error = capture_join(__func__, s, r.captured);
    else if (error == cudaSuccess && r.marker)
        queue_wait_marker(s, r.marker);
    forget(&r);
    return error;
}

#if CUDART_VERSION < 13000
EXPORT cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    return cudaEventElapsedTime(milliseconds, from, to);
}
#endif
