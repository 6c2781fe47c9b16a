/* Running an executable graph: one operation of a stream. Steps that do not wait for each other run side by side, as
 * far as threads are available: the stream's own, and more as soon as several steps are ready. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/event.h"
#include "api/graph_memory.h"
#include "api/graph_plan.h"
#include "base/out_of_memory.h"
#include "machine/condition.h"

#define MAX_HELPERS 15

struct graph_run {
    struct operation op;
    struct shared_plan *plan;
    int device;
    bool free_first; /* what is left of the last launch's memory */
    cudaStream_t stream;
    /* By the ordinals of steps: */
    struct marker **markers; /* what event nodes record and wait for, fixed at the launch as in a stream; or NULL */
    struct operation_order *orders; /* when racecheck is on; otherwise NULL */
};

/* A plan that is running. */
struct progress {
    struct graph_run *run;
    const struct plan *plan;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned *waits;                   /* by step: how many it still waits for */
    unsigned *ready;                   /* a queue of steps */
    unsigned ready_first, ready_count; /* the first that is not taken, and the number ever put in */
    unsigned done;
    int error;
    pthread_t helpers[MAX_HELPERS];
    unsigned helper_count, idle;
};

static int run_plan(struct graph_run *run, const struct plan *p);

/* ---- A step ---- */

static int run_condition(struct graph_run *run, const struct step *s) {
    const struct condition_work *c = &s->work->condition;
    uint32_t value = condition_value(c->handle);
    int error = 0;
    switch (c->type) {
    case cudaGraphCondTypeWhile:
        for (; !error && value; value = condition_value(c->handle))
            error = run_plan(run, &s->inner[0]);
        return error;
    case cudaGraphCondTypeIf:
        return value ? run_plan(run, &s->inner[0]) : s->inner_count > 1 ? run_plan(run, &s->inner[1]) : 0;
    default: /* switch */
        return value < s->inner_count ? run_plan(run, &s->inner[value]) : 0;
    }
}

/* The place of a step in the order. A step that runs repeatedly, in the body of a conditional node, gets a new number
 * each time that belongs to no stream, and counts as ordered with everything. */
static struct operation_order place_of(const struct graph_run *run, const struct step *s) {
    static _Atomic uint32_t count;
    if (!run->orders)
        return (struct operation_order){0};
    if (run->orders[s->ordinal].serial)
        return run->orders[s->ordinal];
    return (struct operation_order){.serial = UINT32_C(1) << 31 | atomic_fetch_add(&count, 1)};
}

static int run_step(struct graph_run *run, const struct step *s) {
    struct operation_order place;
    struct marker *m;
    if (!s->enabled)
        return 0;
    switch ((int)s->work->type) {
    case cudaGraphNodeTypeGraph:
        return run_plan(run, &s->inner[0]);
    case cudaGraphNodeTypeConditional:
        return run_condition(run, s);
    case cudaGraphNodeTypeEventRecord:
        marker_pass(run->markers[s->ordinal]);
        return 0;
    case cudaGraphNodeTypeWaitEvent:
        if ((m = run->markers[s->ordinal]) != NULL)
            marker_await(m);
        return 0;
    case cudaGraphNodeTypeMemAlloc:
        return graph_memory_begin(s->work->allocation.dptr, run->free_first);
    case cudaGraphNodeTypeMemFree:
        return graph_memory_end(s->work->freed);
    default:
        place = place_of(run, s);
        return work_run(s->work, &place, run->stream);
    }
}

/* ---- Steps side by side ---- */

static void *help(void *argument);

static void make_ready(struct progress *p, unsigned step) {
    p->ready[p->ready_count++] = step;
    if (p->ready_count - p->ready_first < 2)
        return;
    /* More steps are ready than this thread can run next. */
    if (p->idle)
        pthread_cond_signal(&p->changed);
    else if (p->helper_count < MAX_HELPERS && pthread_create(&p->helpers[p->helper_count], NULL, help, p) == 0)
        p->helper_count++;
}

static void finish_step(struct progress *p, const struct step *s, int error) {
    p->done++;
    if (error && !p->error)
        p->error = error;
    for (unsigned i = 0; i < s->after_count && !p->error; i++)
        if (--p->waits[s->after[i]] == 0)
            make_ready(p, s->after[i]);
}

/* Runs steps until all are done, or one has failed. */
static void work_on(struct progress *p) {
    pthread_mutex_lock(&p->lock);
    while (p->done < p->plan->count && !p->error) {
        if (p->ready_first == p->ready_count) {
            p->idle++;
            pthread_cond_wait(&p->changed, &p->lock);
            p->idle--;
            continue;
        }
        const struct step *s = &p->plan->steps[p->ready[p->ready_first++]];
        pthread_mutex_unlock(&p->lock);
        int error = run_step(p->run, s);
        pthread_mutex_lock(&p->lock);
        finish_step(p, s, error);
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void *help(void *argument) {
    struct progress *p = argument;
    state_set_context((struct current_context){.device = p->run->device, .bound = true});
    work_on(p);
    return NULL;
}

static int run_plan(struct graph_run *run, const struct plan *plan) {
    struct progress p = {.run = run,
                         .plan = plan,
                         .waits = zeroed(plan->count + 1, sizeof(unsigned)),
                         .ready = zeroed(plan->count + 1, sizeof(unsigned))};
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.changed, NULL);
    pthread_mutex_lock(&p.lock);
    for (unsigned i = 0; i < plan->count; i++)
        p.waits[i] = plan->steps[i].before_count;
    for (unsigned i = 0; i < plan->count; i++)
        if (!p.waits[i])
            make_ready(&p, i);
    pthread_mutex_unlock(&p.lock);
    work_on(&p);
    for (unsigned i = 0; i < p.helper_count; i++)
        pthread_join(p.helpers[i], NULL);
    pthread_cond_destroy(&p.changed);
    pthread_mutex_destroy(&p.lock);
    free(p.waits);
    free(p.ready);
    return p.error;
}

/* ---- The operation ---- */

static int run_graph(struct operation *op, int fault) {
    struct graph_run *run = (struct graph_run *)op;
    const struct plan *p = &run->plan->plan;
    if (fault)
        return fault;
    for (unsigned i = 0; i < p->start_count; i++)
        condition_set(p->starts[i].handle, p->starts[i].value);
    return run_plan(run, p);
}

/* Event nodes that were not reached count as passed, too. */
static void release_step(const struct step *s, void *argument) {
    struct graph_run *run = argument;
    if (s->work->type == cudaGraphNodeTypeEventRecord)
        marker_pass(run->markers[s->ordinal]);
    marker_release(run->markers[s->ordinal]);
}

static void release_graph(struct operation *op) {
    struct graph_run *run = (struct graph_run *)op;
    if (run->markers)
        plan_each(&run->plan->plan, release_step, run);
    free(run->markers);
    free(run->orders);
    shared_plan_release(run->plan);
    free(run);
}

static bool is_event(const struct step *s) {
    return s->work->type == cudaGraphNodeTypeEventRecord || s->work->type == cudaGraphNodeTypeWaitEvent;
}

static void find_event(const struct step *s, void *found) {
    *(bool *)found |= is_event(s);
}

/* Gives event nodes their markers. */
static void add_marker(const struct step *s, void *argument) {
    struct graph_run *run = argument;
    if (is_event(s))
        run->markers[s->ordinal] = s->work->type == cudaGraphNodeTypeEventRecord ? event_expect(s->work->event)
                                                                                 : event_recorded(s->work->event);
}

/* ---- The order of steps, for racecheck ----
 *
 * A step follows those that it depends on, and all precede what follows the launch. Bodies of conditional nodes are not
 * examined. */

static bool has_place(const struct step *s) {
    return s->work->type == cudaGraphNodeTypeKernel || s->work->type == cudaGraphNodeTypeMemcpy ||
           s->work->type == cudaGraphNodeTypeMemset;
}

static void order_event(const struct step *s, struct marker *m, struct stream_clock *clock) {
    if (s->work->type == cudaGraphNodeTypeEventRecord)
        marker_set_clock(m, clock);
    else
        marker_join_clock(m, clock);
}

/* Returns the clock at the end of the plan. */
static struct stream_clock order_plan(struct graph_run *run, const struct plan *p, unsigned stream,
                                      const struct stream_clock *start) {
    struct stream_clock end = *start, *after = zeroed(p->count + 1, sizeof *after);
    for (unsigned i = 0; i < p->count; i++) {
        const struct step *s = &p->steps[i];
        after[i] = *start;
        for (unsigned k = 0; k < s->before_count; k++)
            stream_clock_join(&after[i], &after[s->before[k]]);
        if (s->work->type == cudaGraphNodeTypeGraph)
            after[i] = order_plan(run, &s->inner[0], stream, &after[i]);
        else if (has_place(s))
            run->orders[s->ordinal] = stream_order_next(stream, &after[i]);
        else if (run->markers && run->markers[s->ordinal])
            order_event(s, run->markers[s->ordinal], &after[i]);
        stream_clock_join(&end, &after[i]);
    }
    free(after);
    return end;
}

static void order_graph(struct operation *op, unsigned stream, const struct stream_clock *clock) {
    struct graph_run *run = (struct graph_run *)op;
    run->orders = zeroed(run->plan->step_count + 1, sizeof *run->orders);
    order_plan(run, &run->plan->plan, stream, clock);
}

/* ---- Launching ---- */

static void note_kernel(const struct step *s, void *argument) {
    struct graph_run *run = argument;
    if (s->work->type == cudaGraphNodeTypeKernel && !run->op.kernel)
        run->op.kernel = s->work->kernel->kernel->name;
}

struct operation *graph_operation(struct shared_plan *plan, struct stream *s, bool free_first) {
    struct graph_run *run = calloc(1, sizeof *run);
    bool events = false;
    plan_each(&plan->plan, find_event, &events);
    struct marker **markers = run && events ? calloc(plan->step_count, sizeof(struct marker *)) : NULL;
    if (!run || (events && !markers)) {
        free(run);
        return NULL;
    }
    *run = (struct graph_run){.op = {.run = run_graph, .release = release_graph, .order_parts = order_graph},
                              .plan = plan,
                              .device = queue_device(s),
                              .free_first = free_first,
                              .stream = queue_handle(s),
                              .markers = markers};
    atomic_fetch_add(&plan->references, 1);
    if (markers)
        plan_each(&plan->plan, add_marker, run);
    plan_each(&plan->plan, note_kernel, run);
    return &run->op;
}
