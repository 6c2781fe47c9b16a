/* Executable graphs: instantiating, launching and destroying them. */
#include <stdlib.h>

#include "api/capture.h"
#include "api/graph_memory.h"
#include "api/graph_plan.h"
#include "api/handles.h"
#include "api/user_object.h"
#include "profile/host_calls.h"

#define KNOWN_FLAGS                                                                                                    \
    (cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |                                       \
     cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority)
#if CUDART_VERSION < 12080
#define cudaGraphInstantiateConditionalHandleUnused cudaGraphInstantiateError
#endif

static cudaError_t invalid(void) {
    return state_return(cudaErrorInvalidValue);
}

struct executable *executable_find(cudaGraphExec_t handle) {
    return handle_is(handle, HANDLE_EXEC) ? (struct executable *)(void *)handle : NULL;
}

/* ---- Is the graph fit to be executed? ---- */

static bool allowed_in_body(enum cudaGraphNodeType type) {
    switch ((int)type) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeConditional:
        return true;
    default:
        return false;
    }
}

static cudaError_t check_nodes(const struct graph *g, bool body, cudaGraphInstantiateParams *result);

static cudaError_t check_node(struct node *n, bool body, cudaGraphInstantiateParams *result) {
    if (body && !allowed_in_body(n->work->type)) {
        result->result_out = cudaGraphInstantiateNodeOperationNotSupported;
        result->errNode_out = node_handle(n);
        return state_refuse("cudaGraphInstantiate", cudaErrorInvalidValue,
                            "The body of a conditional node may contain kernels, copies, fills, empty nodes, graphs "
                            "and conditional nodes.");
    }
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; i < n->inner_count && error == cudaSuccess; i++)
        error = check_nodes(n->inner[i], body || n->work->type == cudaGraphNodeTypeConditional, result);
    return error;
}

static cudaError_t check_nodes(const struct graph *g, bool body, cudaGraphInstantiateParams *result) {
    for (const struct condition *c = g->conditions; c; c = c->next) {
        if (!c->used) {
            result->result_out = cudaGraphInstantiateConditionalHandleUnused;
            return state_refuse("cudaGraphInstantiate", cudaErrorInvalidValue,
                                "A conditional handle was created for the graph, and no node uses it.");
        }
    }
    cudaError_t error = cudaSuccess;
    for (struct node *n = g->first; n && error == cudaSuccess; n = n->next)
        error = check_node(n, body, result);
    return error;
}

static cudaError_t check_flags(unsigned long long flags) {
    if (flags & ~(unsigned long long)KNOWN_FLAGS)
        return invalid();
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return state_refuse("cudaGraphInstantiate", cudaErrorNotSupported,
                            "Launching graphs from kernels is not emulated.");
    return cudaSuccess;
}

/* ---- Instantiating ---- */

/* Memory that is freed within a graph is available to its later allocations. */
struct footprint {
    uint64_t now, most;
};

static void walk_memory(const struct step *s, void *argument) {
    struct footprint *f = argument;
    uint64_t freed = s->work->type == cudaGraphNodeTypeMemFree ? graph_memory_bytes(s->work->freed) : 0;
    if (s->work->type == cudaGraphNodeTypeMemAlloc)
        f->now += graph_memory_bytes(s->work->allocation.dptr);
    f->now -= freed < f->now ? freed : f->now;
    f->most = f->most < f->now ? f->now : f->most;
}

static struct executable *make_executable(struct graph *g, unsigned long long flags) {
    struct executable *e = calloc(1, sizeof *e);
    struct shared_plan *p = calloc(1, sizeof *p);
    if (!e || !p || !held_objects_copy(&p->objects, g->objects) || !plan_make(&p->plan, g) ||
        !handle_add(e, HANDLE_EXEC)) {
        if (p) {
            held_objects_release(p->objects);
            plan_free(&p->plan);
        }
        free(p);
        free(e);
        return NULL;
    }
    p->references = 1;
    p->step_count = plan_number(&p->plan, 0);
    *e = (struct executable){
        .plan = p, .flags = flags, .graph = graph_handle(g), .graph_id = g->id, .device = state_device()};
    struct footprint f = {0};
    plan_each(&p->plan, walk_memory, &f);
    e->memory_bytes = f.most;
    g->executables++;
    return e;
}

static cudaError_t instantiate(cudaGraphExec_t *out, struct graph *g, unsigned long long flags,
                               cudaGraphInstantiateParams *result) {
    result->result_out = cudaGraphInstantiateError;
    result->errNode_out = NULL;
    if (!out || !g)
        return invalid();
    cudaError_t error = check_flags(flags);
    if (error != cudaSuccess)
        return error;
    if (g->memory_nodes && g->executables)
        return state_refuse(
            "cudaGraphInstantiate", cudaErrorNotSupported,
            "A graph with memory nodes can have only one executable graph at a time, and it already has one.");
    if ((error = check_nodes(g, false, result)) != cudaSuccess)
        return error;
    if (!plan_possible(g)) {
        result->result_out = cudaGraphInstantiateInvalidStructure;
        return state_refuse("cudaGraphInstantiate", cudaErrorInvalidValue,
                            "The dependencies of the graph's nodes form a cycle.");
    }
    struct executable *e = make_executable(g, flags);
    if (!e)
        return state_return(cudaErrorMemoryAllocation);
    *out = (cudaGraphExec_t)(void *)e;
    result->result_out = cudaGraphInstantiateSuccess;
    return cudaSuccess;
}

static cudaError_t instantiate_plain(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    NOT_WHILE_CAPTURING("cudaGraphInstantiate");
    cudaGraphInstantiateParams result;
    if (flags & cudaGraphInstantiateFlagUpload)
        return state_refuse("cudaGraphInstantiate", cudaErrorInvalidValue,
                            "cudaGraphInstantiateFlagUpload needs a stream: use cudaGraphInstantiateWithParams.");
    return instantiate(out, graph_find(graph), flags, &result);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    GRAPH_CALL(instantiate_plain(out, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    GRAPH_CALL(instantiate_plain(out, graph, flags));
}

/* ---- Launching ---- */

static cudaError_t find_stream(const char *function, cudaStream_t handle, struct stream **s) {
    *s = queue_find(handle);
    return *s ? cudaSuccess
              : state_refuse(function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
}

static bool plan_frees(const struct plan *p, const void *pointer) {
    for (unsigned i = 0; i < p->count; i++)
        if (p->steps[i].work->type == cudaGraphNodeTypeMemFree && p->steps[i].work->freed == pointer)
            return true;
    return false;
}

/* The allocations of an earlier launch have to be freed by now. */
static cudaError_t check_memory(const struct executable *e) {
    const struct plan *p = &e->plan->plan;
    for (unsigned i = 0; i < p->count && e->memory_bytes; i++) {
        const struct work *w = p->steps[i].work;
        if (w->type == cudaGraphNodeTypeMemAlloc && !(e->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) &&
            graph_memory_outstanding(w->allocation.dptr))
            return state_refuse("cudaGraphLaunch", cudaErrorInvalidValue,
                                "Memory of the last launch was not freed: free it, or instantiate with "
                                "cudaGraphInstantiateFlagAutoFreeOnLaunch.");
    }
    return cudaSuccess;
}

/* A launch of a graph that frees first has none of its own memory outstanding when it begins. */
static void use_memory(const struct executable *e, bool free_first) {
    const struct plan *p = &e->plan->plan;
    for (unsigned i = 0; free_first && i < p->count; i++)
        if (p->steps[i].work->type == cudaGraphNodeTypeMemAlloc)
            graph_memory_freed(p->steps[i].work->allocation.dptr);
    if (e->memory_bytes)
        graph_memory_use(e->device, e->memory_bytes);
}

static void submit_memory(const struct plan *p) {
    for (unsigned i = 0; i < p->count; i++) {
        const struct work *w = p->steps[i].work;
        if (w->type == cudaGraphNodeTypeMemAlloc && !plan_frees(p, w->allocation.dptr))
            graph_memory_submitted(w->allocation.dptr);
        else if (w->type == cudaGraphNodeTypeMemFree)
            graph_memory_freed(w->freed);
    }
}

static cudaError_t launch(struct executable *e, cudaStream_t stream) {
    struct stream *s;
    if (!e)
        return invalid();
    cudaError_t error = find_stream("cudaGraphLaunch", stream, &s);
    if (error == cudaSuccess)
        error = capture_refuse("cudaGraphLaunch", s);
    if (error == cudaSuccess)
        error = check_memory(e);
    if (error != cudaSuccess)
        return error;
    bool free_first = (e->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    struct operation *op = graph_operation(e->plan, s, free_first);
    if (!op)
        return state_return(cudaErrorMemoryAllocation);
    use_memory(e, free_first);
    submit_memory(&e->plan->plan);
    if (e->last)
        queue_wait_marker(s, e->last); /* one launch of an executable graph at a time */
    host_calls_note(HOST_LAUNCH, "cudaGraphLaunch");
    queue_submit(s, op);
    marker_release(e->last);
    e->last = queue_mark(s);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    GRAPH_CALL(launch(executable_find(exec), stream));
}

/* Nothing has to be prepared on the device. */
static cudaError_t upload(struct executable *e, cudaStream_t stream) {
    struct stream *s;
    if (!e)
        return invalid();
    cudaError_t error = find_stream("cudaGraphUpload", stream, &s);
    if (error == cudaSuccess)
        error = capture_refuse("cudaGraphUpload", s);
    if (error == cudaSuccess)
        use_memory(e, false);
    return error;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    GRAPH_CALL(upload(executable_find(exec), stream));
}

static cudaError_t instantiate_with(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphInstantiateParams *p) {
    NOT_WHILE_CAPTURING("cudaGraphInstantiateWithParams");
    if (!p)
        return invalid();
    cudaError_t error = instantiate(out, graph_find(graph), p->flags, p);
    if (error == cudaSuccess && (p->flags & cudaGraphInstantiateFlagUpload))
        error = upload(executable_find(*out), p->uploadStream);
    return error;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphInstantiateParams *p) {
    GRAPH_CALL(instantiate_with(out, graph, p));
}

/* ---- The rest ---- */

static cudaError_t destroy(struct executable *e) {
    if (!e)
        return invalid();
    NOT_WHILE_CAPTURING("cudaGraphExecDestroy");
    struct graph *g = graph_find(e->graph);
    if (g && g->id == e->graph_id)
        g->executables--;
    shared_plan_release(e->plan); /* launches that are not done hold it, too */
    marker_release(e->last);
    handle_remove(e);
    free(e);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    GRAPH_CALL(destroy(executable_find(exec)));
}

static cudaError_t get_flags(const struct executable *e, unsigned long long *flags) {
    if (!e || !flags)
        return invalid();
    *flags = e->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    GRAPH_CALL(get_flags(executable_find(exec), flags));
}
