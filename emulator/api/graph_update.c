/* Changing executable graphs: single nodes, and all of them after another graph. Launches in flight keep what they were
 * launched with. */
#include <stdlib.h>

#include "api/graph_params.h"
#include "api/graph_plan.h"

static cudaError_t invalid(void) {
    return state_return(cudaErrorInvalidValue);
}

/* The step of an executable graph that was made from a node of the graph. */
static struct step *find(struct executable *e, cudaGraphNode_t node) {
    const struct node *n = node_find(node);
    return e && n ? plan_find(&e->plan->plan, n->id) : NULL;
}

/* The step of a node in a plan that is about to be changed. */
static struct step *find_to_change(struct executable *e, cudaGraphNode_t node) {
    struct plan *p = executable_change(e);
    return p ? plan_find(p, node_find(node)->id) : NULL;
}

/* ---- Single nodes ---- */

static void replace(struct step *s, struct work *w) {
    work_release(s->work);
    s->work = w;
}

static cudaError_t set(struct executable *e, cudaGraphNode_t node, struct work *w, cudaError_t error) {
    struct step *s = find(e, node);
    if (!w)
        return error;
    if (s && s->work->type == w->type && w->type == cudaGraphNodeTypeKernel) { /* attributes stay */
        struct work *with = work_with_attributes_of(w, s->work, &error);
        work_release(w);
        if (!with)
            return error;
        w = with;
    }
    if (s && work_may_replace(s->work, w)) {
        s = find_to_change(e, node);
        if (s) {
            replace(s, w);
            return cudaSuccess;
        }
        error = state_return(cudaErrorMemoryAllocation);
    } else {
        error = state_refuse(
            "cudaGraphExec...SetParams", cudaErrorInvalidValue, "%s",
            s ? "The node was instantiated differently: another kind of node, memory or copy, or another extent."
              : "There is no such node in the executable graph.");
    }
    work_release(w);
    return error;
}

#define SET(exec, node, making)                                                                                        \
    do {                                                                                                               \
        ENTER();                                                                                                       \
        graph_lock();                                                                                                  \
        cudaError_t error = cudaSuccess;                                                                               \
        struct work *made = (making);                                                                                  \
        error = set(executable_find(exec), node, made, error);                                                         \
        graph_unlock();                                                                                                \
        return error;                                                                                                  \
    } while (0)

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p) {
    SET(exec, node, work_kernel(__func__, p, false, &error));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *p) {
    SET(exec, node, work_copy(__func__, p, &error));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               size_t count, enum cudaMemcpyKind kind) {
    SET(exec, node, params_copy_1d(__func__, to, from, count, kind, &error));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                                                     const void *from, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind) {
    SET(exec, node, params_copy_to_symbol(__func__, symbol, from, count, offset, kind, &error));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                       const void *symbol, size_t count, size_t offset,
                                                       enum cudaMemcpyKind kind) {
    SET(exec, node, params_copy_from_symbol(__func__, to, symbol, count, offset, kind, &error));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p) {
    SET(exec, node, work_fill(__func__, p, &error));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *p) {
    SET(exec, node, work_host(p, &error));
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
    SET(exec, node, work_event(__func__, cudaGraphNodeTypeEventRecord, event, &error));
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
    SET(exec, node, work_event(__func__, cudaGraphNodeTypeWaitEvent, event, &error));
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *p) {
    SET(exec, node, params_any(__func__, p, &error));
}

/* ---- Switching nodes on and off ---- */

static bool can_be_disabled(const struct step *s) {
    return s && (s->work->type == cudaGraphNodeTypeKernel || s->work->type == cudaGraphNodeTypeMemcpy ||
                 s->work->type == cudaGraphNodeTypeMemset);
}

static cudaError_t set_enabled(struct executable *e, cudaGraphNode_t node, unsigned enabled) {
    if (!can_be_disabled(find(e, node)))
        return invalid();
    struct step *s = find_to_change(e, node);
    if (!s)
        return state_return(cudaErrorMemoryAllocation);
    s->enabled = enabled != 0;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    GRAPH_CALL(set_enabled(executable_find(exec), node, enabled));
}

static cudaError_t get_enabled(struct executable *e, cudaGraphNode_t node, unsigned *enabled) {
    const struct step *s = find(e, node);
    if (!can_be_disabled(s) || !enabled)
        return invalid();
    *enabled = s->enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
    GRAPH_CALL(get_enabled(executable_find(exec), node, enabled));
}

/* ---- The whole graph ----
 *
 * Nodes are paired with steps from the exits up: exits in the order of their making, and what a pair depends on in the
 * order of its edges. */

struct pairing {
    struct plan *plan;
    struct node **nodes; /* by step */
    struct node **stack; /* pairs whose dependencies are still to be paired */
    size_t depth;
    cudaGraphExecUpdateResultInfo *info;
};

static bool fail(struct pairing *p, enum cudaGraphExecUpdateResult why, struct node *node, struct node *from) {
    *p->info = (cudaGraphExecUpdateResultInfo){why, node_handle(node), node_handle(from)};
    return false;
}

/* A node's mark is the number of its step plus one, or 0. */
static bool pair(struct pairing *p, unsigned step, struct node *n) {
    if (p->nodes[step] == n)
        return true;
    if (p->nodes[step] || n->mark)
        return false;
    p->nodes[step] = n;
    n->mark = step + 1;
    p->stack[p->depth++] = n;
    return true;
}

/* The exit of a plan whose node was made after the node `last`, and before the others; count when there is none. */
static unsigned next_exit(const struct plan *p, uint64_t last) {
    unsigned best = p->count;
    for (unsigned i = 0; i < p->count; i++)
        if (!p->steps[i].after_count && p->steps[i].node > last &&
            (best == p->count || p->steps[i].node < p->steps[best].node))
            best = i;
    return best;
}

static bool pair_exits(struct pairing *p, const struct graph *g) {
    uint64_t last = 0;
    for (struct node *n = g->first; n; n = n->next) {
        n->mark = 0;
    }
    for (struct node *n = g->first; n; n = n->next) {
        if (n->after.count)
            continue;
        unsigned step = next_exit(p->plan, last);
        if (step == p->plan->count)
            return fail(p, cudaGraphExecUpdateErrorTopologyChanged, n, NULL);
        pair(p, step, n);
        last = p->plan->steps[step].node;
    }
    return true;
}

static bool pair_all(struct pairing *p, const struct graph *g) {
    if (p->plan->count != g->count)
        return fail(p, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
    if (!pair_exits(p, g))
        return false;
    while (p->depth) {
        struct node *n = p->stack[--p->depth];
        const struct step *s = &p->plan->steps[n->mark - 1];
        if (s->before_count != n->before.count)
            return fail(p, cudaGraphExecUpdateErrorTopologyChanged, n, NULL);
        for (unsigned i = 0; i < s->before_count; i++)
            if (!pair(p, s->before[i], n->before.items[i].node))
                return fail(p, cudaGraphExecUpdateErrorTopologyChanged, n, n->before.items[i].node);
    }
    for (unsigned i = 0; i < p->plan->count; i++)
        if (!p->nodes[i]) /* fewer exits than before */
            return fail(p, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
    return true;
}

static bool update_plan(struct plan *plan, const struct graph *g, cudaGraphExecUpdateResultInfo *info, bool apply);

static bool update_step(struct pairing *p, struct step *s, struct node *n, bool apply) {
    const struct work *w = n->work;
    if (w->type != s->work->type)
        return fail(p, cudaGraphExecUpdateErrorNodeTypeChanged, n, NULL);
    if (!work_may_replace(s->work, w))
        return fail(p,
                    w->type == cudaGraphNodeTypeKernel ? cudaGraphExecUpdateErrorAttributesChanged
                                                       : cudaGraphExecUpdateErrorParametersChanged,
                    n, NULL);
    bool condition = w->type == cudaGraphNodeTypeConditional;
    if (s->inner_count != n->inner_count || (condition && w->condition.type != s->work->condition.type))
        return fail(p, cudaGraphExecUpdateErrorParametersChanged, n, NULL);
    for (unsigned i = 0; i < s->inner_count; i++)
        if (!update_plan(&s->inner[i], n->inner[i], p->info, apply))
            return false;
    if (apply)
        replace(s, work_keep(n->work));
    return true;
}

/* Checks whether a plan can be updated to the graph, or updates it. */
static bool update_plan(struct plan *plan, const struct graph *g, cudaGraphExecUpdateResultInfo *info, bool apply) {
    struct pairing p = {.plan = plan,
                        .nodes = calloc(plan->count + 1, sizeof(struct node *)),
                        .stack = calloc(plan->count + 1, sizeof(struct node *)),
                        .info = info};
    bool right = p.nodes && p.stack ? pair_all(&p, g) : fail(&p, cudaGraphExecUpdateError, NULL, NULL);
    for (unsigned i = 0; right && i < plan->count; i++)
        right = update_step(&p, &plan->steps[i], p.nodes[i], apply);
    free(p.nodes);
    free(p.stack);
    return right;
}

static cudaError_t update_failed(const char *function) {
    return state_refuse(function, cudaErrorGraphExecUpdateFailure,
                        "The graph differs too much from the one that was instantiated: instantiate it instead.");
}

static cudaError_t update(struct executable *e, const struct graph *g, cudaGraphExecUpdateResultInfo *out) {
    cudaGraphExecUpdateResultInfo unused, *info = out ? out : &unused;
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    if (!e || !g)
        return invalid();
    if (!update_plan(&e->plan->plan, g, info, false))
        return update_failed("cudaGraphExecUpdate");
    struct plan *p = executable_change(e);
    if (!p)
        return state_return(cudaErrorMemoryAllocation);
    update_plan(p, g, info, true);
    info->result = cudaGraphExecUpdateSuccess;
    return cudaSuccess;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    GRAPH_CALL(update(executable_find(exec), graph_find(graph), info));
}
#endif

static cudaError_t set_child(struct executable *e, cudaGraphNode_t node, const struct graph *g) {
    cudaGraphExecUpdateResultInfo info;
    struct step *s = find(e, node);
    if (!s || s->work->type != cudaGraphNodeTypeGraph || !g)
        return invalid();
    if (!update_plan(&s->inner[0], g, &info, false))
        return update_failed("cudaGraphExecChildGraphNodeSetParams");
    s = find_to_change(e, node);
    if (!s)
        return state_return(cudaErrorMemoryAllocation);
    update_plan(&s->inner[0], g, &info, true);
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
    GRAPH_CALL(set_child(executable_find(exec), node, graph_find(child)));
}
