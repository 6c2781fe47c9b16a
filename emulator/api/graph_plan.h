/* Executable graphs: a graph's nodes at one time, in an order in which they can run. */
#ifndef GRAPH_PLAN_H
#define GRAPH_PLAN_H

#include "api/graph.h"
#include "api/queue.h"

struct step {
    uint64_t node;    /* the number of the node that it was made from */
    unsigned ordinal; /* counts the steps of an executable graph from 0, with those of graphs inside */
    struct work *work;
    bool enabled;
    struct plan *inner; /* of a child graph or a conditional */
    unsigned inner_count;
    unsigned before_count;
    unsigned *before; /* steps it waits for, in the order of the node's edges */
    unsigned *after;  /* steps that wait for it */
    unsigned after_count;
};

struct plan {
    struct step *steps;
    unsigned count;
    struct condition_start {
        uint64_t handle;
        uint32_t value;
    } * starts; /* values that conditions have when it starts */
    unsigned start_count;
};

/* A plan that launches share. It is changed only while there is no other holder; otherwise a copy is changed. */
struct shared_plan {
    _Atomic int references;
    struct plan plan;
    unsigned step_count; /* with those inside */
    struct held_object *objects;
};

struct executable {
    struct shared_plan *plan;
    unsigned long long flags;
    cudaGraph_t graph; /* its source, which may be destroyed by now */
    uint64_t graph_id;
    struct marker *last;   /* the end of its last launch */
    uint64_t memory_bytes; /* the most that its memory nodes have at one time */
    int device;            /* the device of that memory */
};

/* False when nodes depend on each other in a cycle, also in graphs inside (or when memory runs out). */
bool plan_possible(const struct graph *g);
/* False when there is no memory. */
bool plan_make(struct plan *out, const struct graph *g);
/* Gives the steps their ordinals from `first` on; returns the next. */
unsigned plan_number(struct plan *p, unsigned first);
bool plan_copy(struct plan *out, const struct plan *p);
void plan_free(struct plan *p);
void shared_plan_release(struct shared_plan *p);

/* The step that was made from a node, also in plans inside; NULL when there is none. */
struct step *plan_find(struct plan *p, uint64_t node);

/* Calls visit for all steps of a plan and of those inside it, in an order in which they can run. */
void plan_each(const struct plan *p, void (*visit)(const struct step *s, void *argument), void *argument);

struct executable *executable_find(cudaGraphExec_t handle);
/* The plan of an executable graph, to be changed. NULL: no memory. */
struct plan *executable_change(struct executable *e);

/* An operation that runs the plan once, and takes a reference. NULL: no memory. */
struct operation *graph_operation(struct shared_plan *plan, struct stream *s, bool free_first);

#endif
