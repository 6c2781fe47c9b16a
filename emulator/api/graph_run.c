/* Running an executable graph: one operation of a stream. Steps that do not wait for each other run side by side, as
 * far as there are threads: the stream's own, and more as soon as several steps are ready. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/event.h"
#include "api/graph_memory.h"
#include "api/graph_plan.h"
#include "core/condition.h"

#define MAX_HELPERS 15

/* What event nodes of a launch record and wait for: fixed when it is launched, as in a stream. */
struct point {
    const struct step *step;
    struct marker *marker;
    bool records;
};

struct graph_run {
    struct operation op;
    struct shared_plan *plan;
    int device;
    bool free_first; /* what is left of the last launch's memory */
    struct point *points;
    unsigned point_count, point_room;
};

/* A plan that is running. */
struct progress {
    struct graph_run *run;
    const struct plan *plan;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned *waits;                   /* by step: how many it still waits for */
    unsigned *ready;                   /* a queue of steps */
    unsigned ready_first, ready_count; /* the first that nobody has taken, and the number ever put in */
    unsigned done;
    int error;
    pthread_t helpers[MAX_HELPERS];
    unsigned helper_count, idle;
};

static int run_plan(struct graph_run *run, const struct plan *p);

/* ---- A step ---- */

static struct marker *marker_of(const struct graph_run *run, const struct step *s) {
    for (unsigned i = 0; i < run->point_count; i++)
        if (run->points[i].step == s)
            return run->points[i].marker;
    return NULL;
}

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

static int run_step(struct graph_run *run, const struct step *s) {
    struct marker *m;
    if (!s->enabled)
        return 0;
    switch (s->work->type) {
    case cudaGraphNodeTypeGraph:
        return run_plan(run, &s->inner[0]);
    case cudaGraphNodeTypeConditional:
        return run_condition(run, s);
    case cudaGraphNodeTypeEventRecord:
        marker_pass(marker_of(run, s));
        return 0;
    case cudaGraphNodeTypeWaitEvent:
        if ((m = marker_of(run, s)) != NULL)
            queue_block_on_marker(m);
        return 0;
    case cudaGraphNodeTypeMemAlloc:
        return graph_memory_begin(s->work->allocation.dptr, run->free_first);
    case cudaGraphNodeTypeMemFree:
        return graph_memory_end(s->work->freed);
    default:
        return work_run(s->work, &run->op);
    }
}

/* ---- Steps side by side ---- */

static void *help(void *argument);

static void make_ready(struct progress *p, unsigned step) {
    p->ready[p->ready_count++] = step;
    if (p->ready_count - p->ready_first < 2)
        return;
    /* More than this thread can do next. */
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
    state_set_device(p->run->device);
    work_on(p);
    return NULL;
}

static int run_plan(struct graph_run *run, const struct plan *plan) {
    struct progress p = {.run = run,
                         .plan = plan,
                         .waits = malloc((plan->count + 1) * sizeof(unsigned)),
                         .ready = malloc((plan->count + 1) * sizeof(unsigned))};
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.changed, NULL);
    if (p.waits && p.ready) {
        pthread_mutex_lock(&p.lock);
        for (unsigned i = 0; i < plan->count; i++)
            p.waits[i] = plan->steps[i].before_count;
        for (unsigned i = 0; i < plan->count; i++)
            if (!p.waits[i])
                make_ready(&p, i);
        pthread_mutex_unlock(&p.lock);
        work_on(&p);
    } else {
        p.error = cudaErrorMemoryAllocation;
    }
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

static void release_graph(struct operation *op) {
    struct graph_run *run = (struct graph_run *)op;
    for (unsigned i = 0; i < run->point_count; i++) {
        if (run->points[i].records)
            marker_pass(run->points[i].marker); /* also when its step was not reached */
        marker_release(run->points[i].marker);
    }
    free(run->points);
    shared_plan_release(run->plan);
    free(run);
}

/* Gives event nodes their markers. */
static void add_point(const struct step *s, void *argument) {
    struct graph_run *run = argument;
    bool records = s->work->type == cudaGraphNodeTypeEventRecord;
    if ((!records && s->work->type != cudaGraphNodeTypeWaitEvent) || !s->enabled)
        return;
    if (run->point_count == run->point_room) {
        unsigned room = 2 * run->point_room + 8;
        struct point *points = realloc(run->points, room * sizeof *points);
        if (!points)
            return;
        run->points = points;
        run->point_room = room;
    }
    struct marker *m = records ? event_expect(s->work->event) : event_recorded(s->work->event);
    if (m)
        run->points[run->point_count++] = (struct point){s, m, records};
}

static void note_kernel(const struct step *s, void *argument) {
    struct graph_run *run = argument;
    if (s->work->type == cudaGraphNodeTypeKernel && !run->op.kernel)
        run->op.kernel = s->work->kernel->kernel->name;
}

struct operation *graph_operation(struct shared_plan *plan, struct stream *s, bool free_first) {
    struct graph_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    *run = (struct graph_run){.op = {.run = run_graph, .release = release_graph},
                              .plan = plan,
                              .device = queue_device(s),
                              .free_first = free_first};
    atomic_fetch_add(&plan->references, 1);
    plan_each(&plan->plan, add_point, run);
    plan_each(&plan->plan, note_kernel, run);
    return &run->op;
}
