#include "api/capture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/graph.h"
#include "api/queue.h"

/* A stream that is captured, and the nodes that its next one will depend on. */
struct captured {
    struct capture *capture;
    struct stream *stream; /* NULL once it is destroyed */
    struct link *before;
    size_t count;
    cudaGraphNode_t *shown; /* the same, for programs that query it */
    cudaGraphEdgeData *shown_data;
    struct captured *next;
};

struct capture {
    unsigned long long id;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    struct captured *origin, *streams;
    struct graph *graph;
    bool given; /* the graph was the program's before */
    bool invalidated;
    struct capture *next;
};

struct capture_point {
    unsigned long long capture;
    struct link *before;
    size_t count;
};

/* Guarded by the lock of graphs. The number of captures can be read without it. */
static struct capture *captures;
static _Atomic int capture_count;
static unsigned long long last_id;
static _Thread_local enum cudaStreamCaptureMode thread_mode; /* cudaStreamCaptureModeGlobal at first */

static cudaError_t invalid(void) {
    return state_return(cudaErrorInvalidValue);
}

/* ---- Finding ---- */

static struct captured *find(const struct stream *s) {
    for (struct capture *c = captures; c; c = c->next)
        for (struct captured *k = c->streams; k; k = k->next)
            if (k->stream == s)
                return k;
    return NULL;
}

static struct capture *find_capture(unsigned long long id) {
    struct capture *c = captures;
    while (c && c->id != id)
        c = c->next;
    return c;
}

/* A capture for which the legacy stream of a device would have to wait. */
static struct capture *find_blocking(int device) {
    for (struct capture *c = captures; c; c = c->next)
        for (struct captured *k = c->streams; k; k = k->next)
            if (k->stream && queue_is_blocking(k->stream) && queue_device(k->stream) == device)
                return c;
    return NULL;
}

/* ---- What may be called ---- */

static cudaError_t refuse(const char *function, cudaError_t error) {
    switch ((int)error) {
    case cudaErrorStreamCaptureImplicit:
        return state_refuse(function, error,
                            "A stream that the default stream waits for is being captured. Use another stream here, or "
                            "capture one made with cudaStreamNonBlocking.");
    case cudaErrorStreamCaptureInvalidated:
        return state_refuse(
            function, error,
            "The capture of this stream was invalidated by an earlier call: end it, and check that call.");
    default:
        return state_refuse(function, error,
                            "A stream is being captured, and this call cannot become part of a graph.");
    }
}

static cudaError_t check_legacy(const char *function, const struct stream *s, bool spoil) {
    struct capture *c = queue_is_legacy(s) ? find_blocking(queue_device(s)) : NULL;
    if (!c)
        return cudaSuccess;
    c->invalidated |= spoil;
    return refuse(function, cudaErrorStreamCaptureImplicit);
}

cudaError_t capture_check(const char *function, struct stream *s, bool *captured) {
    *captured = false;
    if (!atomic_load(&capture_count))
        return cudaSuccess;
    graph_lock();
    const struct captured *k = find(s);
    cudaError_t error = k && k->capture->invalidated ? refuse(function, cudaErrorStreamCaptureInvalidated)
                                                     : check_legacy(function, s, true);
    *captured = k != NULL;
    graph_unlock();
    return error;
}

cudaError_t capture_refuse(const char *function, struct stream *s) {
    if (!atomic_load(&capture_count))
        return cudaSuccess;
    graph_lock();
    struct captured *k = find(s);
    cudaError_t error = k ? refuse(function, cudaErrorStreamCaptureUnsupported) : check_legacy(function, s, true);
    if (k)
        k->capture->invalidated = true;
    graph_unlock();
    return error;
}

/* Does a capture forbid the calling thread to do work that belongs to no stream? */
static bool forbids(const struct capture *c) {
    if (thread_mode == cudaStreamCaptureModeRelaxed || c->mode == cudaStreamCaptureModeRelaxed)
        return false;
    return pthread_equal(c->thread, pthread_self()) ||
           (c->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal);
}

static cudaError_t forbid(const char *function, bool always) {
    bool forbidden = false;
    if (!atomic_load(&capture_count))
        return cudaSuccess;
    graph_lock();
    for (struct capture *c = captures; c; c = c->next) {
        if (always || forbids(c))
            forbidden = c->invalidated = true;
    }
    graph_unlock();
    return forbidden ? refuse(function, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t capture_forbid(const char *function) {
    return forbid(function, false);
}

cudaError_t capture_forbid_always(const char *function) {
    return forbid(function, true);
}

void capture_invalidate(struct stream *s) {
    graph_lock();
    struct captured *k = find(s);
    if (k)
        k->capture->invalidated = true;
    graph_unlock();
}

/* ---- What the next node depends on ---- */

static bool depends(const struct captured *k, const struct node *n) {
    for (size_t i = 0; i < k->count; i++)
        if (k->before[i].node == n)
            return true;
    return false;
}

/* Adds to the dependencies those that are not among them. */
static bool add_dependencies(struct captured *k, const struct link *links, size_t count) {
    struct link *grown = realloc(k->before, (k->count + count + 1) * sizeof *grown);
    if (!grown)
        return false;
    k->before = grown;
    for (size_t i = 0; i < count; i++)
        if (!depends(k, links[i].node))
            k->before[k->count++] = links[i];
    return true;
}

static bool set_dependencies(struct captured *k, const struct link *links, size_t count) {
    k->count = 0;
    return add_dependencies(k, links, count);
}

static struct captured *add_stream(struct capture *c, struct stream *s, const struct link *before, size_t count) {
    struct captured *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->capture = c;
    k->stream = s;
    if (!set_dependencies(k, before, count)) {
        free(k);
        return NULL;
    }
    k->next = c->streams;
    c->streams = k;
    return k;
}

cudaError_t capture_work(struct stream *s, struct work *w) {
    graph_lock();
    struct captured *k = find(s);
    struct node *n = NULL;
    if (!k)
        work_release(w); /* another thread has ended the capture */
    else
        n = graph_add(k->capture->graph, w, k->before, k->count);
    const struct link link = {.node = n};
    bool added = n && set_dependencies(k, &link, 1);
    if (k && !added)
        k->capture->invalidated = true;
    graph_unlock();
    return added ? cudaSuccess : state_return(k ? cudaErrorMemoryAllocation : cudaErrorStreamCaptureInvalidated);
}

struct graph *capture_graph(struct stream *s) {
    graph_lock();
    const struct captured *k = find(s);
    struct graph *g = k ? k->capture->graph : NULL;
    graph_unlock();
    return g;
}

/* ---- Points in captured streams ---- */

struct capture_point *capture_mark(struct stream *s) {
    struct capture_point *p = NULL;
    graph_lock();
    const struct captured *k = find(s);
    if (k && (p = calloc(1, sizeof *p)) != NULL) {
        p->capture = k->capture->id;
        p->count = k->count;
        p->before = calloc(k->count + 1, sizeof *p->before);
        if (p->before)
            memcpy(p->before, k->before, k->count * sizeof *p->before);
        else
            p->count = 0;
    }
    graph_unlock();
    return p;
}

struct capture_point *capture_point_copy(const struct capture_point *p) {
    struct capture_point *copy = p ? malloc(sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    *copy = (struct capture_point){p->capture, calloc(p->count + 1, sizeof *p->before), p->count};
    if (copy->before)
        memcpy(copy->before, p->before, p->count * sizeof *p->before);
    else
        copy->count = 0;
    return copy;
}

void capture_point_free(struct capture_point *p) {
    if (p)
        free(p->before);
    free(p);
}

cudaError_t capture_point_query(const char *function, const struct capture_point *p, bool spoil) {
    graph_lock();
    struct capture *c = find_capture(p->capture);
    if (c && spoil)
        c->invalidated = true;
    graph_unlock();
    return state_refuse(function, c ? cudaErrorCapturedEvent : cudaErrorInvalidValue,
                        "The event was recorded in a stream that was being captured, so it represents a node of a "
                        "graph and never completes.");
}

static cudaError_t join(const char *function, struct stream *s, const struct capture_point *p) {
    struct capture *c = find_capture(p->capture);
    struct captured *k = find(s);
    if (!c) {
        if (k)
            k->capture->invalidated = true;
        return state_refuse(function, cudaErrorInvalidValue, "The event belongs to a capture that has ended.");
    }
    if (queue_is_legacy(s)) {
        c->invalidated = true;
        return refuse(function, cudaErrorStreamCaptureImplicit);
    }
    if (k && k->capture != c) {
        k->capture->invalidated = c->invalidated = true;
        return state_refuse(function, cudaErrorStreamCaptureMerge,
                            "The stream is being captured, and the event belongs to another capture.");
    }
    if (c->invalidated)
        return refuse(function, cudaErrorStreamCaptureInvalidated);
    bool joined = k ? add_dependencies(k, p->before, p->count) : add_stream(c, s, p->before, p->count) != NULL;
    return joined ? cudaSuccess : state_return(cudaErrorMemoryAllocation);
}

cudaError_t capture_join(const char *function, struct stream *s, const struct capture_point *p) {
    graph_lock();
    cudaError_t error = join(function, s, p);
    graph_unlock();
    return error;
}

/* ---- Beginning ---- */

static cudaError_t begin(const char *function, cudaStream_t handle, enum cudaStreamCaptureMode mode, struct graph *g,
                         const struct link *before, size_t count) {
    struct stream *s = queue_find(handle);
    if (!s)
        return state_refuse(function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return invalid();
    cudaError_t error = check_legacy(function, s, true);
    if (error != cudaSuccess)
        return error;
    if (queue_is_legacy(s))
        return state_refuse(function, cudaErrorStreamCaptureUnsupported,
                            "The default stream cannot be captured: create one.");
    if (find(s))
        return state_refuse(function, cudaErrorIllegalState, "The stream is being captured already.");
    struct capture *c = calloc(1, sizeof *c);
    if (!c)
        return state_return(cudaErrorMemoryAllocation);
    *c = (struct capture){
        .id = ++last_id, .mode = mode, .thread = pthread_self(), .graph = g ? g : graph_new(), .given = g != NULL};
    c->origin = c->graph ? add_stream(c, s, before, count) : NULL;
    if (!c->origin) {
        if (c->graph && !g)
            graph_free(c->graph);
        free(c);
        return state_return(cudaErrorMemoryAllocation);
    }
    c->graph->captured = true;
    c->next = captures;
    captures = c;
    atomic_fetch_add(&capture_count, 1);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    GRAPH_CALL(begin(__func__, stream, mode, NULL, NULL, 0));
}

#if CUDART_VERSION >= 12030
static cudaError_t begin_to(cudaStream_t stream, struct graph *g, const cudaGraphNode_t *before,
                            const cudaGraphEdgeData *data, size_t count, enum cudaStreamCaptureMode mode) {
    struct link *links = NULL;
    if (!g || g->captured || !graph_links(g, before, data, count, &links))
        return invalid();
    cudaError_t error = begin("cudaStreamBeginCaptureToGraph", stream, mode, g, links, count);
    free(links);
    return error;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *before,
                                          const cudaGraphEdgeData *data, size_t count,
                                          enum cudaStreamCaptureMode mode) {
    GRAPH_CALL(begin_to(stream, graph_find(graph), before, data, count, mode));
}
#endif

/* ---- Ending ---- */

/* Drops a capture, and its graph unless that is kept or is part of another. */
static void forget(struct capture *c, bool keep_graph) {
    struct capture **link = &captures;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    atomic_fetch_sub(&capture_count, 1);
    for (struct captured *k = c->streams, *next; k; k = next) {
        next = k->next;
        free(k->before);
        free(k->shown);
        free(k->shown_data);
        free(k);
    }
    c->graph->captured = false;
    if (!keep_graph && !c->graph->owner)
        graph_free(c->graph);
    free(c);
}

/* Does all work of the other streams precede work of the origin? Marks what does. */
static bool joined(const struct capture *c) {
    struct node **stack = calloc(c->graph->count + 1, sizeof(struct node *));
    size_t depth = 0;
    if (!stack)
        return false;
    for (struct node *n = c->graph->first; n; n = n->next)
        n->mark = 0;
    for (size_t i = 0; i < c->origin->count; i++) {
        c->origin->before[i].node->mark = 1;
        stack[depth++] = c->origin->before[i].node;
    }
    while (depth) {
        const struct node *n = stack[--depth];
        for (size_t i = 0; i < n->before.count; i++) {
            struct node *earlier = n->before.items[i].node;
            if (!earlier->mark)
                stack[depth++] = earlier;
            earlier->mark = 1;
        }
    }
    free(stack);
    bool all = true;
    for (const struct captured *k = c->streams; k; k = k->next)
        for (size_t i = 0; i < k->count; i++)
            all = all && k->before[i].node->mark;
    return all;
}

static cudaError_t end(cudaStream_t handle, cudaGraph_t *out) {
    static const char function[] = "cudaStreamEndCapture";
    struct stream *s = queue_find(handle);
    struct captured *k = s ? find(s) : NULL;
    if (out)
        *out = NULL;
    if (!k)
        return state_refuse(function, s ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle,
                            "The stream is not being captured.");
    struct capture *c = k->capture;
    if (k != c->origin) {
        c->invalidated = true;
        return state_refuse(function, cudaErrorStreamCaptureUnmatched,
                            "The capture began in another stream, and has to be ended there.");
    }
    cudaError_t error = cudaSuccess;
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        error = state_refuse(function, cudaErrorStreamCaptureWrongThread,
                             "The capture began in another thread, and only a relaxed capture may be ended elsewhere.");
    else if (c->invalidated)
        error = refuse(function, cudaErrorStreamCaptureInvalidated);
    else if (!joined(c))
        error = state_refuse(function, cudaErrorStreamCaptureUnjoined,
                             "The capture includes another stream that was not joined: record an event there after its "
                             "last work, and wait for it here.");
    if (error == cudaSuccess && out)
        *out = graph_handle(c->graph);
    forget(c, error == cudaSuccess && (out || c->given));
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out) {
    GRAPH_CALL(end(stream, out));
}

void capture_stream_destroyed(struct stream *s) {
    if (!atomic_load(&capture_count))
        return;
    graph_lock();
    struct captured *k = find(s);
    if (k && k == k->capture->origin)
        forget(k->capture, k->capture->given);
    else if (k)
        k->stream = NULL; /* its work may still be joined */
    graph_unlock();
}

/* ---- Asking ---- */

static enum cudaStreamCaptureStatus status_of(const struct captured *k) {
    return !k                        ? cudaStreamCaptureStatusNone
           : k->capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                     : cudaStreamCaptureStatusActive;
}

static cudaError_t find_to_ask(const char *function, cudaStream_t handle, struct captured **k) {
    struct stream *s = queue_find(handle);
    *k = s ? find(s) : NULL;
    if (!s)
        return state_refuse(function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    return check_legacy(function, s, false);
}

static cudaError_t is_capturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    struct captured *k = NULL;
    cudaError_t error = status ? find_to_ask("cudaStreamIsCapturing", stream, &k) : invalid();
    if (error == cudaSuccess)
        *status = status_of(k);
    return error;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    GRAPH_CALL(is_capturing(stream, status));
}

/* Where the results are stored; all but the first may be NULL. */
struct answers {
    enum cudaStreamCaptureStatus *status;
    unsigned long long *id;
    cudaGraph_t *graph;
    const cudaGraphNode_t **nodes;
    const cudaGraphEdgeData **data;
    size_t *count;
};

static cudaError_t show_dependencies(struct captured *k, const struct answers *a) {
    free(k->shown);
    free(k->shown_data);
    k->shown = calloc(k->count + 1, sizeof *k->shown);
    k->shown_data = calloc(k->count + 1, sizeof *k->shown_data);
    if (!k->shown || !k->shown_data)
        return state_return(cudaErrorMemoryAllocation);
    for (size_t i = 0; i < k->count; i++) {
        k->shown[i] = node_handle(k->before[i].node);
        k->shown_data[i] = k->before[i].data;
        if (a->nodes && !a->data && !graph_edge_data_default(&k->shown_data[i]))
            return state_return(cudaErrorLossyQuery);
    }
    if (a->nodes)
        *a->nodes = k->shown;
    if (a->data)
        *a->data = k->shown_data;
    if (a->count)
        *a->count = k->count;
    return cudaSuccess;
}

static cudaError_t get_info(cudaStream_t stream, const struct answers *a) {
    struct captured *k;
    if (!a->status || (a->data && !a->nodes))
        return invalid();
    cudaError_t error = find_to_ask("cudaStreamGetCaptureInfo", stream, &k);
    if (error != cudaSuccess)
        return error;
    *a->status = status_of(k);
    if (*a->status != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    if (a->id)
        *a->id = k->capture->id;
    if (a->graph)
        *a->graph = graph_handle(k->capture->graph);
    return show_dependencies(k, a);
}

static cudaError_t update(cudaStream_t handle, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
                          size_t count, unsigned flags) {
    static const char function[] = "cudaStreamUpdateCaptureDependencies";
    struct captured *k;
    struct link *links;
    cudaError_t error = find_to_ask(function, handle, &k);
    if (error != cudaSuccess)
        return error;
    if (!k)
        return state_refuse(function, cudaErrorIllegalState, "The stream is not being captured.");
    if (k->capture->invalidated)
        return refuse(function, cudaErrorStreamCaptureInvalidated);
    if (flags > cudaStreamSetCaptureDependencies || !graph_links(k->capture->graph, nodes, data, count, &links))
        return invalid();
    bool done = flags == cudaStreamSetCaptureDependencies ? set_dependencies(k, links, count)
                                                          : add_dependencies(k, links, count);
    free(links);
    return done ? cudaSuccess : state_return(cudaErrorMemoryAllocation);
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data,
                                     size_t *count) {
    GRAPH_CALL(get_info(stream, &(struct answers){status, id, graph, nodes, data, count}));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *data, size_t count, unsigned flags) {
    GRAPH_CALL(update(stream, nodes, data, count, flags));
}
#else
/* Programs of toolkit 11 call the first of these; toolkit 12's header gives its name to the second. */
#undef cudaStreamGetCaptureInfo
EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id) {
    GRAPH_CALL(get_info(stream, &(struct answers){.status = status, .id = id}));
}

EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id, cudaGraph_t *graph,
                                               const cudaGraphNode_t **nodes, size_t *count) {
    GRAPH_CALL(get_info(stream, &(struct answers){status, id, graph, nodes, NULL, count}));
}

EXPORT cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id, cudaGraph_t *graph,
                                               const cudaGraphNode_t **nodes, const cudaGraphEdgeData **data,
                                               size_t *count) {
    GRAPH_CALL(get_info(stream, &(struct answers){status, id, graph, nodes, data, count}));
}

EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,
                                                       unsigned flags) {
    GRAPH_CALL(update(stream, nodes, NULL, count, flags));
}

EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                          const cudaGraphEdgeData *data, size_t count, unsigned flags) {
    GRAPH_CALL(update(stream, nodes, data, count, flags));
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode)
        return invalid();
    enum cudaStreamCaptureMode previous = thread_mode;
    thread_mode = *mode;
    *mode = previous;
    return cudaSuccess;
}
