/* Adding nodes to graphs, and their parameters. */
#include <stdlib.h>
#include <string.h>

#include "api/graph.h"
#include "api/graph_memory.h"
#include "api/graph_params.h"
#include "machine/condition.h"
#include "memory/memory.h"

static cudaError_t invalid(void) {
    return state_return(cudaErrorInvalidValue);
}

/* ---- Adding ---- */

/* Where a node is to be added. */
struct place {
    cudaGraphNode_t *out;
    cudaGraph_t graph;
    const cudaGraphNode_t *before;
    const cudaGraphEdgeData *data;
    size_t count;
};
#define PLACE(out, graph, before, count) (&(struct place){out, graph, before, NULL, count})

/* Adds a node with a work, which is NULL when making it has failed for the reason `error`. */
static cudaError_t add(const struct place *p, struct work *w, cudaError_t error, struct node **made) {
    struct graph *g = graph_find(p->graph);
    struct link *links = NULL;
    if (made)
        *made = NULL;
    if (!w)
        return error;
    if (!p->out || !g || !graph_links(g, p->before, p->data, p->count, &links)) {
        work_release(w);
        return invalid();
    }
    struct node *n = graph_add(g, w, links, p->count);
    free(links);
    if (!n)
        return state_return(cudaErrorMemoryAllocation);
    *p->out = node_handle(n);
    if (made)
        *made = n;
    return cudaSuccess;
}

#define ADD(place, making)                                                                                             \
    do {                                                                                                               \
        ENTER();                                                                                                       \
        graph_lock();                                                                                                  \
        cudaError_t error = cudaSuccess;                                                                               \
        struct work *made = (making);                                                                                  \
        error = add(place, made, error, NULL);                                                                         \
        graph_unlock();                                                                                                \
        return error;                                                                                                  \
    } while (0)

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const struct cudaKernelNodeParams *p) {
    ADD(PLACE(out, graph, before, count), work_kernel(__func__, p, false, &error));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemcpy3DParms *p) {
    ADD(PLACE(out, graph, before, count), work_copy(__func__, p, &error));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    ADD(PLACE(out, graph, before, count), params_copy_1d(__func__, to, from, bytes, kind, &error));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                           size_t count, const void *symbol, const void *from, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind) {
    ADD(PLACE(out, graph, before, count), params_copy_to_symbol(__func__, symbol, from, bytes, offset, kind, &error));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                             size_t count, void *to, const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind) {
    ADD(PLACE(out, graph, before, count), params_copy_from_symbol(__func__, to, symbol, bytes, offset, kind, &error));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemsetParams *p) {
    ADD(PLACE(out, graph, before, count), work_fill(__func__, p, &error));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *p) {
    ADD(PLACE(out, graph, before, count), work_host(p, &error));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                  size_t count) {
    ADD(PLACE(out, graph, before, count), work_plain(cudaGraphNodeTypeEmpty, &error));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                        size_t count, cudaEvent_t event) {
    ADD(PLACE(out, graph, before, count), work_event(__func__, cudaGraphNodeTypeEventRecord, event, &error));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                      size_t count, cudaEvent_t event) {
    ADD(PLACE(out, graph, before, count), work_event(__func__, cudaGraphNodeTypeWaitEvent, event, &error));
}

/* ---- Graphs in graphs ---- */

static bool give_inner(struct node *n, struct graph *inner, unsigned room) {
    if (!n->inner)
        n->inner = calloc(room, sizeof(struct graph *));
    if (!n->inner || !inner)
        return false;
    inner->owner = n;
    n->inner[n->inner_count++] = inner;
    return true;
}

/* Adds a node that holds a graph, which it then owns. */
static cudaError_t add_holder(const struct place *p, struct graph *inner) {
    cudaError_t error = inner ? cudaSuccess : state_return(cudaErrorMemoryAllocation);
    struct work *w = inner ? work_plain(cudaGraphNodeTypeGraph, &error) : NULL;
    struct node *n;
    error = add(p, w, error, &n);
    if (error != cudaSuccess)
        return error;
    if (give_inner(n, inner, 1))
        return cudaSuccess;
    graph_remove(n);
    return state_return(cudaErrorMemoryAllocation);
}

static cudaError_t add_child(const struct place *p, const struct graph *child) {
    if (!child)
        return invalid();
    if (child->memory_nodes || child->conditional_nodes)
        return state_refuse("cudaGraphAddChildGraphNode", cudaErrorNotSupported,
                            "A graph with memory nodes or conditional nodes cannot be a child graph.");
    struct graph *inner = graph_copy(child);
    cudaError_t error = add_holder(p, inner);
    if (error != cudaSuccess && inner)
        graph_free(inner);
    return error;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child) {
    GRAPH_CALL(add_child(PLACE(out, graph, before, count), graph_find(child)));
}

/* The child's own handle becomes that of the graph inside. */
static cudaError_t move_child(const struct place *p, struct graph *child) {
    if (!child || child->owner || child == graph_find(p->graph))
        return invalid();
    return add_holder(p, child);
}

static cudaError_t get_child(const struct node *n, cudaGraph_t *out) {
    if (!n || !out)
        return invalid();
    *out = graph_handle(n->inner[0]);
    return cudaSuccess;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out) {
    GRAPH_CALL(get_child(node_find_typed(node, cudaGraphNodeTypeGraph), out));
}

/* ---- Memory ---- */

static cudaError_t refuse_inside(const char *function, cudaGraph_t graph) {
    const struct graph *g = graph_find(graph);
    return g && g->owner ? state_refuse(function, cudaErrorNotSupported, "A child graph cannot have memory nodes.")
                         : cudaSuccess;
}

static cudaError_t add_alloc(const struct place *place, struct cudaMemAllocNodeParams *p) {
    if (!p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id < 0 ||
        p->poolProps.location.id >= state_device_count() || (p->accessDescCount && !p->accessDescs))
        return invalid();
    cudaError_t error = refuse_inside("cudaGraphAddMemAllocNode", place->graph);
    if (error != cudaSuccess)
        return error;
    struct work *w = work_plain(cudaGraphNodeTypeMemAlloc, &error);
    void *pointer = w ? graph_memory_new(p->bytesize, p->poolProps.location.id) : NULL;
    if (w && !pointer) {
        work_release(w);
        w = NULL;
        error = state_refuse("cudaGraphAddMemAllocNode", cudaErrorMemoryAllocation,
                             "There is not enough free memory for %zu bytes.", p->bytesize);
    }
    if (w) {
        p->dptr = pointer;
        w->allocation = *p;
        w->allocation.accessDescs = NULL; /* every device reaches all memory */
        w->allocation.accessDescCount = 0;
    }
    return add(place, w, error, NULL);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, struct cudaMemAllocNodeParams *p) {
    GRAPH_CALL(add_alloc(PLACE(out, graph, before, count), p));
}

static bool frees(const struct graph *g, const void *pointer) {
    for (const struct node *n = g ? g->first : NULL; n; n = n->next)
        if (n->work->type == cudaGraphNodeTypeMemFree && n->work->freed == pointer)
            return true;
    return false;
}

static cudaError_t add_free(const struct place *place, void *pointer) {
    cudaError_t error = refuse_inside("cudaGraphAddMemFreeNode", place->graph);
    if (error != cudaSuccess)
        return error;
    if (!pointer || !graph_memory_is(pointer))
        return state_refuse("cudaGraphAddMemFreeNode", cudaErrorInvalidValue,
                            "%p was not allocated by a node of a graph.", pointer);
    if (frees(graph_find(place->graph), pointer))
        return state_refuse("cudaGraphAddMemFreeNode", cudaErrorInvalidValue, "The graph already frees %p.", pointer);
    struct work *w = work_plain(cudaGraphNodeTypeMemFree, &error);
    if (w)
        w->freed = pointer;
    return add(place, w, error, NULL);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                    size_t count, void *pointer) {
    GRAPH_CALL(add_free(PLACE(out, graph, before, count), pointer));
}

/* ---- Conditions ---- */

static cudaError_t new_condition(cudaGraphConditionalHandle *out, struct graph *g, unsigned initial, unsigned flags) {
    if (!out || !g || (flags & ~(unsigned)cudaGraphCondAssignDefault))
        return invalid();
    struct condition *c = malloc(sizeof *c);
    uint64_t handle = c ? condition_new() : 0;
    if (!handle) {
        free(c);
        return state_return(cudaErrorMemoryAllocation);
    }
    *c = (struct condition){handle, initial, (flags & cudaGraphCondAssignDefault) != 0, false, g->conditions};
    g->conditions = c;
    condition_set(handle, initial);
    *out = handle;
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out, cudaGraph_t graph, unsigned initial,
                                             unsigned flags) {
    GRAPH_CALL(new_condition(out, graph_find(graph), initial, flags));
}

/* A handle that belongs to the graph, or to a graph that contains it, and that no node uses. */
static struct condition *find_condition(const struct graph *g, cudaGraphConditionalHandle handle) {
    for (; g; g = g->owner ? g->owner->graph : NULL)
        for (struct condition *c = g->conditions; c; c = c->next)
            if (c->handle == handle && !c->used)
                return c;
    return NULL;
}

static unsigned most_conditional_bodies(enum cudaGraphConditionalNodeType type) {
    switch ((int)type) {
    case cudaGraphCondTypeIf:
        return 2;
    case cudaGraphCondTypeWhile:
        return 1;
    case 2: /* cudaGraphCondTypeSwitch, from toolkit 12.8 on */
        return UINT32_MAX;
    default:
        return 0;
    }
}

static cudaError_t add_condition(const struct place *place, struct cudaConditionalNodeParams *p) {
    struct condition *c = find_condition(graph_find(place->graph), p->handle);
    if (!c || !p->size || p->size > most_conditional_bodies(p->type))
        return invalid();
    cudaError_t error;
    struct node *n;
    struct work *w = work_plain(cudaGraphNodeTypeConditional, &error);
    if (w)
        w->condition = (struct condition_work){p->handle, p->type, p->size};
    if ((error = add(place, w, error, &n)) != cudaSuccess)
        return error;
    for (unsigned i = 0; i < p->size; i++) {
        if (!give_inner(n, graph_new(), p->size)) {
            graph_remove(n);
            return state_return(cudaErrorMemoryAllocation);
        }
    }
    c->used = true;
    p->phGraph_out = (cudaGraph_t *)(void *)n->inner;
    return cudaSuccess;
}

/* ---- Any node ---- */

static cudaError_t add_any(const struct place *place, struct cudaGraphNodeParams *p) {
    cudaError_t error;
    if (!p)
        return invalid();
    switch ((int)p->type) {
    case cudaGraphNodeTypeEmpty:
        return add(place, work_plain(p->type, &error), cudaErrorMemoryAllocation, NULL);
    case cudaGraphNodeTypeGraph:
#if CUDART_VERSION >= 12090
        if (p->graph.ownership == cudaGraphChildGraphOwnershipMove)
            return move_child(place, graph_find(p->graph.graph));
#else
        (void)move_child;
#endif
        return add_child(place, graph_find(p->graph.graph));
    case cudaGraphNodeTypeMemAlloc: {
        struct cudaMemAllocNodeParams a = {.poolProps = p->alloc.poolProps,
                                           .accessDescs = p->alloc.accessDescs,
                                           .accessDescCount = p->alloc.accessDescCount,
                                           .bytesize = p->alloc.bytesize};
        error = add_alloc(place, &a);
        p->alloc.dptr = a.dptr;
        return error;
    }
    case cudaGraphNodeTypeMemFree:
        return add_free(place, p->free.dptr);
    case cudaGraphNodeTypeConditional:
        return add_condition(place, (void *)&p->kernel); /* .conditional, which headers before 12.3 do not name */
    default: {
        struct work *w = params_any("cudaGraphAddNode", p, &error);
        return add(place, w, error, NULL);
    }
    }
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                             const cudaGraphEdgeData *data, size_t count, struct cudaGraphNodeParams *p) {
    GRAPH_CALL(add_any(&(struct place){out, graph, before, data, count}, p));
}
#else
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                             struct cudaGraphNodeParams *p) {
    GRAPH_CALL(add_any(PLACE(out, graph, before, count), p));
}

EXPORT cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       const cudaGraphEdgeData *data, size_t count, struct cudaGraphNodeParams *p) {
    GRAPH_CALL(add_any(&(struct place){out, graph, before, data, count}, p));
}
#endif

/* ---- Asking for parameters ---- */

#define GET(name, node_type, out_type, member)                                                                         \
    static cudaError_t get_##name(const struct node *n, out_type *out) {                                               \
        if (!n || !out)                                                                                                \
            return invalid();                                                                                          \
        *out = n->work->member;                                                                                        \
        return cudaSuccess;                                                                                            \
    }                                                                                                                  \
    cudaError_t name(cudaGraphNode_t node, out_type *out) {                                                            \
        GRAPH_CALL(get_##name(node_find_typed(node, node_type), out));                                                 \
    }

GET(cudaGraphKernelNodeGetParams, cudaGraphNodeTypeKernel, struct cudaKernelNodeParams, kernel->given)
GET(cudaGraphMemcpyNodeGetParams, cudaGraphNodeTypeMemcpy, struct cudaMemcpy3DParms, copy.given)
GET(cudaGraphMemsetNodeGetParams, cudaGraphNodeTypeMemset, struct cudaMemsetParams, fill)
GET(cudaGraphHostNodeGetParams, cudaGraphNodeTypeHost, struct cudaHostNodeParams, host)
GET(cudaGraphEventRecordNodeGetEvent, cudaGraphNodeTypeEventRecord, cudaEvent_t, event)
GET(cudaGraphEventWaitNodeGetEvent, cudaGraphNodeTypeWaitEvent, cudaEvent_t, event)
GET(cudaGraphMemAllocNodeGetParams, cudaGraphNodeTypeMemAlloc, struct cudaMemAllocNodeParams, allocation)

static cudaError_t get_freed(const struct node *n, void *out) {
    if (!n || !out)
        return invalid();
    *(void **)out = n->work->freed;
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out) {
    GRAPH_CALL(get_freed(node_find_typed(node, cudaGraphNodeTypeMemFree), out));
}

/* ---- Setting parameters ---- */

/* Replaces a node's work by other work of its kind. */
static cudaError_t set(cudaGraphNode_t node, struct work *w, cudaError_t error) {
    if (!w)
        return error;
    struct node *n = node_find_typed(node, w->type);
    if (!n) {
        work_release(w);
        return invalid();
    }
    if (w->type == cudaGraphNodeTypeKernel) { /* attributes are no parameters: they stay */
        struct work *with = work_with_attributes_of(w, n->work, &error);
        work_release(w);
        if (!with)
            return error;
        w = with;
    }
    work_release(n->work);
    n->work = w;
    return cudaSuccess;
}

#define SET(node, making)                                                                                              \
    do {                                                                                                               \
        ENTER();                                                                                                       \
        graph_lock();                                                                                                  \
        cudaError_t error = cudaSuccess;                                                                               \
        struct work *made = (making);                                                                                  \
        error = set(node, made, error);                                                                                \
        graph_unlock();                                                                                                \
        return error;                                                                                                  \
    } while (0)

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p) {
    SET(node, work_kernel(__func__, p, false, &error));
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p) {
    SET(node, work_copy(__func__, p, &error));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t count,
                                           enum cudaMemcpyKind kind) {
    SET(node, params_copy_1d(__func__, to, from, count, kind, &error));
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                 size_t count, size_t offset, enum cudaMemcpyKind kind) {
    SET(node, params_copy_to_symbol(__func__, symbol, from, count, offset, kind, &error));
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol, size_t count,
                                                   size_t offset, enum cudaMemcpyKind kind) {
    SET(node, params_copy_from_symbol(__func__, to, symbol, count, offset, kind, &error));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p) {
    SET(node, work_fill(__func__, p, &error));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p) {
    SET(node, work_host(p, &error));
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    SET(node, work_event(__func__, cudaGraphNodeTypeEventRecord, event, &error));
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    SET(node, work_event(__func__, cudaGraphNodeTypeWaitEvent, event, &error));
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p) {
    SET(node, params_any(__func__, p, &error));
}

/* ---- Attributes of kernels ---- */

static cudaError_t get_attribute(const struct node *n, unsigned id, cudaLaunchAttributeValue *out) {
    if (!n || !out || !work_has_attribute(id))
        return invalid();
    *out = n->work->kernel->attributes[id];
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *out) {
    GRAPH_CALL(get_attribute(node_find_typed(node, cudaGraphNodeTypeKernel), id, out));
}

static cudaError_t change(struct node *n, struct work *w, cudaError_t error) {
    if (!w)
        return error;
    work_release(n->work);
    n->work = w;
    return cudaSuccess;
}

static cudaError_t set_attribute(struct node *n, unsigned id, const cudaLaunchAttributeValue *value) {
    cudaError_t error;
    if (!n)
        return invalid();
    struct work *w = work_with_attribute(n->work, id, value, &error);
    return change(n, w, error);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value) {
    GRAPH_CALL(set_attribute(node_find_typed(node, cudaGraphNodeTypeKernel), id, value));
}

static cudaError_t copy_attributes(struct node *to, const struct node *from) {
    cudaError_t error;
    if (!to || !from)
        return invalid();
    struct work *w = work_with_attributes_of(to->work, from->work, &error);
    return change(to, w, error);
}

/* (Toolkit 12's header names the two the other way round.) */
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    GRAPH_CALL(
        copy_attributes(node_find_typed(to, cudaGraphNodeTypeKernel), node_find_typed(from, cudaGraphNodeTypeKernel)));
}
