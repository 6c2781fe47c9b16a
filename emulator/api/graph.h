/* Graphs: work and its order, described once and launched many times.
 *
 * graph.c keeps nodes and edges; a node's action is a work (graph_work.h). Instantiating makes a plan of a graph
 * (graph_plan.h), which is then run. One lock, which a thread may take again, guards all graphs and executable graphs,
 * but not what is running. */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdint.h>

#include "api/graph_work.h"

struct link {
    struct node *node;
    cudaGraphEdgeData data;
};
struct links {
    struct link *items;
    size_t count, capacity;
};

struct node {
    struct graph *graph;
    uint64_t id, cloned_from; /* numbers are never reused */
    struct work *work;
    struct links before, after;
    struct graph **inner; /* of a child graph node: its graph; of a conditional: its bodies */
    unsigned inner_count;
    size_t mark; /* for the code that walks the graph */
    struct node *previous, *next;
};

/* A handle of a conditional node. */
struct condition {
    cudaGraphConditionalHandle handle;
    unsigned initial;
    bool assign; /* the initial value, at each launch */
    bool used;   /* by a node */
    struct condition *next;
};

struct held_object; /* user_object.h */

struct graph {
    uint64_t id;
    struct node *first, *last; /* in the order of their making */
    size_t count, memory_nodes, conditional_nodes;
    struct node *owner;   /* the node that contains this graph, or NULL */
    unsigned executables; /* that exist */
    bool captured;        /* work of streams is being added */
    struct condition *conditions;
    struct held_object *objects;
};

void graph_lock(void);
void graph_unlock(void);

/* For public functions: evaluates a call under the lock. */
#define GRAPH_CALL(call)                                                                                               \
    do {                                                                                                               \
        ENTER();                                                                                                       \
        graph_lock();                                                                                                  \
        cudaError_t graph_error = (call);                                                                              \
        graph_unlock();                                                                                                \
        return graph_error;                                                                                            \
    } while (0)

/* The object of a handle; NULL when it is invalid. */
struct graph *graph_find(cudaGraph_t handle);
struct node *node_find(cudaGraphNode_t handle);
struct node *node_find_typed(cudaGraphNode_t handle, enum cudaGraphNodeType type);
static inline cudaGraph_t graph_handle(struct graph *g) {
    return (cudaGraph_t)(void *)g;
}
static inline cudaGraphNode_t node_handle(struct node *n) {
    return (cudaGraphNode_t)(void *)n;
}

struct graph *graph_new(void);
void graph_free(struct graph *g);
struct graph *graph_copy(const struct graph *g); /* NULL: no memory */

/* Adds a node that depends on others, and takes the work, also when it fails. The links are checked by the caller. */
struct node *graph_add(struct graph *g, struct work *w, const struct link *before, size_t count);
void graph_remove(struct node *n);
bool graph_connect(struct node *from, struct node *to, cudaGraphEdgeData data); /* false: no memory */
bool graph_connected(const struct node *from, const struct node *to);
/* Turns a program's list of dependencies into links. False when it is wrong, or there is no memory. */
bool graph_links(struct graph *g, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t count,
                 struct link **out);
bool graph_edge_data_default(const cudaGraphEdgeData *data);

#endif
