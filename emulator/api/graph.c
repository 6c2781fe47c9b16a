/* Graphs as structures: making and destroying them, their nodes and their edges. */
#include "api/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/user_object.h"
#include "base/out_of_memory.h"

static pthread_mutex_t lock;
static uint64_t last_id;

static void make_lock(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void graph_lock(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_lock);
    pthread_mutex_lock(&lock);
}

void graph_unlock(void) {
    pthread_mutex_unlock(&lock);
}

struct graph *graph_find(cudaGraph_t handle) {
    return handle_is(handle, HANDLE_GRAPH) ? (struct graph *)(void *)handle : NULL;
}

struct node *node_find(cudaGraphNode_t handle) {
    return handle_is(handle, HANDLE_NODE) ? (struct node *)(void *)handle : NULL;
}

struct node *node_find_typed(cudaGraphNode_t handle, enum cudaGraphNodeType type) {
    struct node *n = node_find(handle);
    return n && n->work->type == type ? n : NULL;
}

/* ---- Edges ---- */

static bool links_add(struct links *l, struct node *node, cudaGraphEdgeData data) {
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 4;
        struct link *items = realloc(l->items, capacity * sizeof *items);
        if (!items)
            return false;
        l->items = items;
        l->capacity = capacity;
    }
    l->items[l->count++] = (struct link){node, data};
    return true;
}

static struct link *links_find(const struct links *l, const struct node *node) {
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i].node == node)
            return &l->items[i];
    return NULL;
}

static void links_remove(struct links *l, const struct node *node) {
    struct link *found = links_find(l, node);
    if (found)
        memmove(found, found + 1, (size_t)(l->items + --l->count - found) * sizeof *found);
}

bool graph_connected(const struct node *from, const struct node *to) {
    /* The shorter of the two lists is searched. */
    return from->after.count < to->before.count ? links_find(&from->after, to) != NULL
                                                : links_find(&to->before, from) != NULL;
}

bool graph_connect(struct node *from, struct node *to, cudaGraphEdgeData data) {
    if (!links_add(&from->after, to, data))
        return false;
    if (links_add(&to->before, from, data))
        return true;
    from->after.count--;
    return false;
}

static void disconnect(struct node *from, struct node *to) {
    links_remove(&from->after, to);
    links_remove(&to->before, from);
}

bool graph_edge_data_default(const cudaGraphEdgeData *data) {
    static const cudaGraphEdgeData plain;
    return !data || memcmp(data, &plain, sizeof plain) == 0;
}

/* ---- Nodes and graphs ---- */

struct graph *graph_new(void) {
    struct graph *g = calloc(1, sizeof *g);
    if (g && !handle_add(g, HANDLE_GRAPH)) {
        free(g);
        return NULL;
    }
    if (g)
        g->id = ++last_id;
    return g;
}

static bool is_memory(enum cudaGraphNodeType type) {
    return type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
}

static void append(struct graph *g, struct node *n) {
    n->previous = g->last;
    *(g->last ? &g->last->next : &g->first) = n;
    g->last = n;
    g->count++;
    g->memory_nodes += is_memory(n->work->type);
    g->conditional_nodes += n->work->type == cudaGraphNodeTypeConditional;
}

struct node *graph_add(struct graph *g, struct work *w, const struct link *before, size_t count) {
    struct node *n = calloc(1, sizeof *n);
    if (!n || !handle_add(n, HANDLE_NODE)) {
        free(n);
        work_release(w);
        return NULL;
    }
    *n = (struct node){.graph = g, .id = ++last_id, .work = w};
    append(g, n);
    for (size_t i = 0; i < count; i++) {
        if (!graph_connect(before[i].node, n, before[i].data)) {
            graph_remove(n);
            return NULL;
        }
    }
    return n;
}

void graph_remove(struct node *n) {
    struct graph *g = n->graph;
    while (n->before.count)
        disconnect(n->before.items[n->before.count - 1].node, n);
    while (n->after.count)
        disconnect(n, n->after.items[n->after.count - 1].node);
    *(n->previous ? &n->previous->next : &g->first) = n->next;
    *(n->next ? &n->next->previous : &g->last) = n->previous;
    g->count--;
    g->memory_nodes -= is_memory(n->work->type);
    g->conditional_nodes -= n->work->type == cudaGraphNodeTypeConditional;
    for (unsigned i = 0; i < n->inner_count; i++)
        graph_free(n->inner[i]);
    free(n->inner);
    free(n->before.items);
    free(n->after.items);
    work_release(n->work);
    handle_remove(n);
    free(n);
}

void graph_free(struct graph *g) {
    for (struct condition *c = g->conditions, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    while (g->last)
        graph_remove(g->last);
    held_objects_release(g->objects);
    handle_remove(g);
    free(g);
}

static bool copy_inner(struct node *to, const struct node *from) {
    if (!from->inner_count)
        return true;
    to->inner = calloc(from->inner_count, sizeof *to->inner);
    for (; to->inner && to->inner_count < from->inner_count; to->inner_count++) {
        struct graph *inner = graph_copy(from->inner[to->inner_count]);
        if (!inner)
            return false;
        inner->owner = to;
        to->inner[to->inner_count] = inner;
    }
    return to->inner != NULL;
}

static bool copy_nodes(struct graph *to, const struct graph *from) {
    for (struct node *n = from->first; n; n = n->next) {
        struct node *copy = graph_add(to, work_keep(n->work), NULL, 0);
        if (!copy)
            return false;
        copy->cloned_from = n->id;
        n->mark = (size_t)(void *)copy;
        if (!copy_inner(copy, n))
            return false;
    }
    for (struct node *n = from->first; n; n = n->next)
        for (size_t i = 0; i < n->after.count; i++)
            if (!links_add(&((struct node *)n->mark)->after, (struct node *)n->after.items[i].node->mark,
                           n->after.items[i].data))
                return false;
    for (struct node *n = from->first; n; n = n->next)
        for (size_t i = 0; i < n->before.count; i++)
            if (!links_add(&((struct node *)n->mark)->before, (struct node *)n->before.items[i].node->mark,
                           n->before.items[i].data))
                return false;
    return true;
}

struct graph *graph_copy(const struct graph *g) {
    struct graph *copy = graph_new();
    if (copy && (!copy_nodes(copy, g) || !held_objects_copy(&copy->objects, g->objects))) {
        graph_free(copy);
        return NULL;
    }
    return copy;
}

/* ---- Public: graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags) {
    ENTER();
    if (!out || flags)
        return state_return(cudaErrorInvalidValue);
    graph_lock();
    struct graph *g = graph_new();
    graph_unlock();
    if (!g)
        return state_return(cudaErrorMemoryAllocation);
    *out = graph_handle(g);
    return cudaSuccess;
}

static cudaError_t invalid(void) {
    return state_return(cudaErrorInvalidValue);
}

static cudaError_t destroy(struct graph *g) {
    if (!g)
        return invalid();
    if (g->captured)
        return state_refuse("cudaGraphDestroy", cudaErrorInvalidValue, "A stream is being captured into the graph.");
    if (g->owner)
        return state_refuse("cudaGraphDestroy", cudaErrorInvalidValue,
                            "The graph belongs to a node of another graph and is destroyed with it.");
    graph_free(g);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    GRAPH_CALL(destroy(graph_find(handle)));
}

static cudaError_t clone_graph(cudaGraph_t *out, const struct graph *g) {
    if (!out || !g)
        return invalid();
    if (g->memory_nodes || g->conditional_nodes)
        return state_refuse("cudaGraphClone", cudaErrorNotSupported,
                            "A graph with memory nodes or conditional nodes cannot be cloned.");
    struct graph *copy = graph_copy(g);
    if (!copy)
        return state_return(cudaErrorMemoryAllocation);
    *out = graph_handle(copy);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t original) {
    GRAPH_CALL(clone_graph(out, graph_find(original)));
}

static cudaError_t find_in_clone(cudaGraphNode_t *out, const struct node *original, struct graph *g) {
    if (!out || !original || !g)
        return invalid();
    for (struct node *n = g->first; n; n = n->next) {
        if (n->cloned_from == original->id) {
            *out = node_handle(n);
            return cudaSuccess;
        }
    }
    return invalid();
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone) {
    GRAPH_CALL(find_in_clone(out, node_find(original), graph_find(clone)));
}

/* ---- Public: lists ---- */

/* Lists are returned to the program in one way: with no array the number is returned; with one, as much as fits, and
 * the excess elements of the array are set to NULL. */
struct list {
    cudaGraphNode_t *first, *second; /* the second is for edges only */
    cudaGraphEdgeData *data;
    size_t room, count;
};

static void list_add(struct list *l, struct node *first, struct node *second, const cudaGraphEdgeData *data) {
    if (l->count < l->room) {
        if (l->first)
            l->first[l->count] = node_handle(first);
        if (l->second)
            l->second[l->count] = node_handle(second);
        if (l->data && data)
            l->data[l->count] = *data;
    }
    l->count++;
}

static cudaError_t list_end(struct list *l, size_t *count) {
    if (l->first) {
        for (size_t i = l->count; i < l->room; i++) {
            l->first[i] = NULL;
            if (l->second)
                l->second[i] = NULL;
        }
        if (l->count > l->room)
            l->count = l->room;
    }
    *count = l->count;
    return cudaSuccess;
}

static cudaError_t get_nodes(struct graph *g, cudaGraphNode_t *nodes, size_t *count, bool roots) {
    if (!g || !count)
        return invalid();
    struct list l = {.first = nodes, .room = nodes ? *count : 0};
    for (struct node *n = g->first; n; n = n->next)
        if (!roots || !n->before.count)
            list_add(&l, n, NULL, NULL);
    return list_end(&l, count);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    GRAPH_CALL(get_nodes(graph_find(graph), nodes, count, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    GRAPH_CALL(get_nodes(graph_find(graph), nodes, count, true));
}

/* Where the program provides no room for it, an edge's data must be plain, or something would be lost. */
static bool drops_edge_data(const struct list *l, const struct links *links) {
    for (size_t i = 0; i < links->count; i++)
        if (l->first && !l->data && !graph_edge_data_default(&links->items[i].data))
            return true;
    return false;
}

static cudaError_t get_edges(struct graph *g, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
                             size_t *count) {
    if (!g || !count || !from != !to || (data && !from))
        return invalid();
    struct list l = {from, to, data, from ? *count : 0, 0};
    for (struct node *n = g->first; n; n = n->next) {
        if (drops_edge_data(&l, &n->after))
            return state_return(cudaErrorLossyQuery);
        for (size_t i = 0; i < n->after.count; i++)
            list_add(&l, n, n->after.items[i].node, &n->after.items[i].data);
    }
    return list_end(&l, count);
}

static cudaError_t get_links(const struct links *links, cudaGraphNode_t *nodes, cudaGraphEdgeData *data,
                             size_t *count) {
    if (!links || !count || (data && !nodes))
        return invalid();
    struct list l = {nodes, NULL, data, nodes ? *count : 0, 0};
    if (drops_edge_data(&l, links))
        return state_return(cudaErrorLossyQuery);
    for (size_t i = 0; i < links->count; i++)
        list_add(&l, links->items[i].node, NULL, &links->items[i].data);
    return list_end(&l, count);
}

static const struct links *links_of(cudaGraphNode_t handle, bool after) {
    const struct node *n = node_find(handle);
    return !n ? NULL : after ? &n->after : &n->before;
}

/* ---- Public: edges ---- */

static bool edge_data_valid(const cudaGraphEdgeData *data, const struct node *from, const struct node *to) {
    if (graph_edge_data_default(data))
        return true;
    for (unsigned i = 0; i < sizeof data->reserved; i++)
        if (data->reserved[i])
            return false;
    bool kernels = from->work->type == cudaGraphNodeTypeKernel && (!to || to->work->type == cudaGraphNodeTypeKernel);
    if (data->to_port || data->from_port > cudaGraphKernelNodePortLaunchCompletion || !kernels)
        return false;
    return data->type == cudaGraphDependencyTypeDefault ||
           (data->type == cudaGraphDependencyTypeProgrammatic && data->from_port);
}

bool graph_links(struct graph *g, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t count,
                 struct link **out) {
    *out = NULL;
    if (!count)
        return true;
    struct link *links = nodes ? zeroed(count, sizeof *links) : NULL;
    bool right = links != NULL;
    static size_t walk; /* a node with this mark has been seen in this list */
    walk++;
    for (size_t i = 0; right && i < count; i++) {
        struct node *n = node_find(nodes[i]);
        right = n && n->graph == g && n->mark != walk && edge_data_valid(data ? &data[i] : NULL, n, NULL);
        if (right) {
            n->mark = walk;
            links[i].node = n;
            if (data)
                links[i].data = data[i];
        }
    }
    if (!right)
        free(links);
    else
        *out = links;
    return right;
}

static cudaError_t add_edges(struct graph *g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                             const cudaGraphEdgeData *data, size_t count) {
    if (!g || (count && (!from || !to)))
        return invalid();
    for (size_t i = 0; i < count; i++) {
        struct node *a = node_find(from[i]), *b = node_find(to[i]);
        cudaError_t error = cudaErrorInvalidValue;
        if (a && b && a != b && a->graph == g && b->graph == g && !graph_connected(a, b) &&
            edge_data_valid(data ? &data[i] : NULL, a, b))
            error =
                graph_connect(a, b, data ? data[i] : (cudaGraphEdgeData){0}) ? cudaSuccess : cudaErrorMemoryAllocation;
        if (error == cudaSuccess)
            continue;
        while (i-- > 0) /* all or nothing */
            disconnect(node_find(from[i]), node_find(to[i]));
        return state_return(error);
    }
    return cudaSuccess;
}

static cudaError_t refuse_memory(const char *function, const struct graph *g) {
    return g->memory_nodes ? state_refuse(function, cudaErrorNotSupported,
                                          "Nodes and edges of a graph with memory nodes cannot be removed.")
                           : cudaSuccess;
}

static cudaError_t remove_edges(struct graph *g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
    if (!g || (count && (!from || !to)))
        return invalid();
    cudaError_t error = count ? refuse_memory("cudaGraphRemoveDependencies", g) : cudaSuccess;
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < count; i++) {
        struct node *a = node_find(from[i]), *b = node_find(to[i]);
        if (!a || !b || a->graph != g || b->graph != g || !graph_connected(a, b))
            return invalid();
    }
    for (size_t i = 0; i < count; i++)
        disconnect(node_find(from[i]), node_find(to[i]));
    return cudaSuccess;
}

static cudaError_t destroy_node(struct node *n) {
    if (!n)
        return invalid();
    if (n->graph->captured)
        return state_refuse("cudaGraphDestroyNode", cudaErrorInvalidValue,
                            "A stream is being captured into the graph.");
    cudaError_t error = refuse_memory("cudaGraphDestroyNode", n->graph);
    if (error == cudaSuccess)
        graph_remove(n);
    return error;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    GRAPH_CALL(destroy_node(node_find(node)));
}

static cudaError_t get_type(const struct node *n, enum cudaGraphNodeType *type) {
    if (!n || !type)
        return invalid();
    *type = n->work->type;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    GRAPH_CALL(get_type(node_find(node), type));
}

/* Toolkit 13 gave the names of the second version to the functions that take edge data. */
#if CUDART_VERSION >= 13000
#define WITH_DATA(name) name
#else
#define WITH_DATA(name) name##_v2

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
    GRAPH_CALL(get_edges(graph_find(graph), from, to, NULL, count));
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    GRAPH_CALL(get_links(links_of(node, false), nodes, NULL, count));
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    GRAPH_CALL(get_links(links_of(node, true), nodes, NULL, count));
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count) {
    GRAPH_CALL(add_edges(graph_find(graph), from, to, NULL, count));
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t count) {
    GRAPH_CALL(remove_edges(graph_find(graph), from, to, count));
}
#endif

EXPORT cudaError_t WITH_DATA(cudaGraphGetEdges)(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                                cudaGraphEdgeData *data, size_t *count) {
    GRAPH_CALL(get_edges(graph_find(graph), from, to, data, count));
}
EXPORT cudaError_t WITH_DATA(cudaGraphNodeGetDependencies)(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                           cudaGraphEdgeData *data, size_t *count) {
    GRAPH_CALL(get_links(links_of(node, false), nodes, data, count));
}
EXPORT cudaError_t WITH_DATA(cudaGraphNodeGetDependentNodes)(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                             cudaGraphEdgeData *data, size_t *count) {
    GRAPH_CALL(get_links(links_of(node, true), nodes, data, count));
}
EXPORT cudaError_t WITH_DATA(cudaGraphAddDependencies)(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                       const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                                       size_t count) {
    GRAPH_CALL(add_edges(graph_find(graph), from, to, data, count));
}
EXPORT cudaError_t WITH_DATA(cudaGraphRemoveDependencies)(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                          const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                                          size_t count) {
    (void)data; /* an H200's driver takes out the edge whatever its data is */
    GRAPH_CALL(remove_edges(graph_find(graph), from, to, count));
}
