/* Counting instruction by instruction, in a separate dispatch loop, and for compiled kernels the counts that they do
 * not keep themselves. */
#include "profile/counters.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "emulator.h"
#include "ops/wgmma.h"
#include "profile/array_counts.h"
#include "profile/host_calls.h"
#include "profile/launches.h"
#include "profile/output.h"
#include "profile/patterns.h"
#include "profile/reuse.h"
#include "profile/trace.h"
#include "profile/traits.h"

static _Atomic bool on; /* sums, between counters_start and counters_stop */
static struct counts process;
static uint64_t process_launches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool sums_on(void) {
    return atomic_load_explicit(&on, memory_order_relaxed);
}

bool counters_on(void) {
    return sums_on() || launches_wanted();
}

struct counters *counters_new(void) {
    return counters_on() ? zeroed(1, sizeof(struct counters)) : NULL;
}

/* ---- one instruction ---- */

struct insn_details *counters_details(struct insn_record *r) {
    if (!r->details)
        r->details = zeroed(1, sizeof *r->details);
    return r->details;
}

/* A warp that arrives at a barrier has executed more or less than the last one to arrive. */
static void note_barrier(struct counters *c, const struct warp *w, const struct insn *in, struct insn_details *d) {
    struct barrier_epoch *e = &c->epoch;
    const struct block *b = w->block;
    uint32_t number = *(const uint32_t *)(const void *)(w->regs + in->op[1]) & 15;
    uint64_t *since = counters_since(c, w), own = *since;
    *since = 0;
    e->most = own > e->most ? own : e->most;
    e->sum += own;
    e->arrived++;
    uint32_t lanes = b->barriers[number].arrived + (uint32_t)__builtin_popcount(w->mask);
    if (lanes < b->live_lanes)
        return;
    d->counts.n[COUNT_BARRIER_OPENINGS]++;
    d->counts.n[COUNT_BARRIER_WAIT] += e->most * e->arrived - e->sum;
    e->most = e->sum = 0;
    e->arrived = 0;
}

static void barrier(struct counters *c, const struct warp *w, const struct insn *in, struct insn_record *r) {
    struct insn_details *d = counters_details(r);
    uint32_t threads = ((const uint32_t *)(const void *)(w->regs + in->op[2]))[first_lane(w->mask)];
    d->counts.n[COUNT_BARRIERS]++;
    d->counts.n[COUNT_BARRIERS_OF_GROUP] += threads && threads <= WGMMA_WARPS * WARP_SIZE;
    if (c->detailed)
        note_barrier(c, w, in, d);
}

static void memory_and_barriers(struct counters *c, const struct warp *w, const struct insn *in) {
    struct insn_record *r = &c->counted.records[in->index];
    if (c->traits->insns[in->index].shape)
        counters_memory(c, w, in, r);
    if (in->flags & INSN_BARRIER)
        barrier(c, w, in, r);
}

void counters_special(struct counters *c, const struct warp *w, const struct insn *in) {
    if (c->detailed) {
        ++*counters_since(c, w);
        if (counters_drawn(c, w) && !(in->flags & INSN_PSEUDO))
            trace_instruction(c->trace, w, in);
    }
    memory_and_barriers(c, w, in);
}

/* ---- the same for compiled kernels ---- */

/* Counts what compiled code does not: of a predicated instruction everything, of others everything but the
 * execution. */
static void count_beyond_execution(struct counters *c, const struct warp *w, const struct insn *in) {
    uint64_t *since = counters_since(c, w), unpredicated = c->counted.position[in->index + 1];
    if (counted_is_predicated(c->kernel, in->index)) {
        c->counted.records[in->index].executed++;
        c->counted.records[in->index].threads += (unsigned)__builtin_popcount(w->mask);
        ++*since;
    }
    *since += unpredicated; /* is computed from where the warp came from until it leaves the compiled code */
    memory_and_barriers(c, w, in);
    *since -= unpredicated;
}

static void other_of_compiled(struct counted *counted, struct warp *w, const struct insn *in) {
    struct counters *c = (struct counters *)(void *)counted;
    count_beyond_execution(c, w, in);
    if (!(in->flags & INSN_PREDICATE))
        return;
    uint32_t all = w->mask;
    w->mask = counters_unpredicated(w, in);
    if (w->mask)
        count_beyond_execution(c, w, in + 1);
    w->mask = all;
}

static void begin(struct counters *c, const struct launch *launch) {
    c->kernel = launch->kernel;
    c->launch = launch;
    c->traits = traits_of(launch->kernel);
    counted_begin(&c->counted, launch->kernel);
    c->counted.other = other_of_compiled;
    c->detailed = launches_wanted();
    c->arrays = sums_on() && arrays_watched() ? zeroed(1, sizeof *c->arrays) : NULL;
    c->epoch_block = ~(uint64_t)0;
    c->reuse = c->detailed ? reuse_new() : NULL;
    c->trace = c->detailed && output_wants_pictures() ? trace_new() : NULL;
    for (uint32_t i = 0; i < launch->kernel->code.count; i++) /* for waits and pictures: every instruction */
        c->counted.records[i].special = c->detailed || launch->kernel->code.insns[i].flags & INSN_BARRIER
                                            ? SPECIAL_ANYTHING
                                        : c->traits->insns[i].shape ? SPECIAL_MEMORY
                                                                    : 0;
}

/* Drops the instructions that the warps of another block have executed since a barrier. */
static void enter_block(struct counters *c, const struct block *b) {
    c->epoch_block = b->index;
    c->epoch = (struct barrier_epoch){0};
    memset(c->counted.since, 0, sizeof c->counted.since);
}

bool counters_warp(struct counters *c, const struct warp *w) {
    if (!c->counted.records)
        begin(c, w->launch);
    if (c->epoch_block != w->block->index)
        enter_block(c, w->block);
    return counters_drawn(c, w);
}

/* ---- the dispatch loop ---- */

static inline void count(struct counters *c, struct warp *w, const struct insn *in) {
    counters_instruction(c, w, in);
    if (in->flags & INSN_PREDICATE) { /* the predicated instruction is executed by the predicate, not by a loop */
        uint32_t all = w->mask;
        w->mask = counters_unpredicated(w, in);
        if (w->mask)
            counters_instruction(c, w, in + 1);
        w->mask = all;
    }
}

void counters_count(struct counters *c, struct warp *w, const struct insn *in) {
    count(c, w, in);
}

void counters_run(struct warp *w, const struct insn *in) {
    struct counters *c = w->worker->counters;
    while (in) {
        count(c, w, in);
        in = in->handler(w, in);
    }
}

void counters_branch(struct counters *c, const struct insn *in) {
    counters_details(&c->counted.records[in->index])->counts.n[COUNT_BRANCHES]++;
}

void counters_diverged(struct counters *c, const struct insn *in) {
    counters_details(&c->counted.records[in->index])->counts.n[COUNT_DIVERGENT]++;
}

/* ---- sums ---- */

void counters_add(struct counts *to, const struct insn *in, const struct traits *t, const struct insn_record *r) {
    unsigned weight = in->folded + !(in->flags & INSN_PSEUDO), flops = in->flags & INSN_FLOAT_FMA ? 2 : 1;
    to->n[COUNT_INST] += weight * r->executed;
    to->n[COUNT_THREAD_INST] += weight * r->threads;
    if (in->flags & (INSN_FLOAT | INSN_FLOAT_FMA))
        to->n[COUNT_FLOAT_OPERATIONS] += flops * r->threads;
    if (in->effect == EFFECT_BRANCH_IF)
        to->n[COUNT_BRANCHES] += r->executed;
    if (t->insns[in->index].commits)
        to->n[COUNT_COPY_COMMITS] += r->executed;
    if (t->insns[in->index].waits) {
        to->n[COUNT_COPY_WAITS] += r->executed;
        to->n[COUNT_COPY_GROUPS_LEFT] += r->executed * t->insns[in->index].left;
    }
    for (int i = 0; r->details && i < COUNT_END; i++)
        to->n[i] += r->details->counts.n[i];
    if (r->details && t->insns[in->index].polls) {
        to->n[COUNT_POLLS] += r->details->counts.n[COUNT_GLOBAL_LOAD_REQUESTS];
        to->n[COUNT_POLL_SECTORS] += r->details->counts.n[COUNT_GLOBAL_LOAD_SECTORS];
    }
    if (r->details)
        to->n[COUNT_LOADS_TOGETHER] += t->insns[in->index].together * r->details->counts.n[COUNT_GLOBAL_LOAD_REQUESTS];
}

static void add_to_process(const struct counters *c) {
    const struct code *code = &c->kernel->code;
    struct launch_counts counts = c->arrays ? c->arrays->launch : (struct launch_counts){0};
    struct counts own = {{0}};
    for (uint32_t i = 0; i < code->count; i++)
        if (c->counted.records[i].executed)
            counters_add(&own, &code->insns[i], c->traits, &c->counted.records[i]);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < COUNT_END; i++)
        process.n[i] += own.n[i];
    pthread_mutex_unlock(&lock);
    counts.warp_instructions = own.n[COUNT_INST];
    launch_log_count(c->launch->id, &counts);
    if (c->arrays)
        arrays_add(c->arrays->of);
}

void counters_block(struct counters *c, const struct block *b) {
    if (c->arrays)
        array_counts_block(c->arrays, b);
}

static void flush(struct counters *c) {
    struct insn_record *records = c->counted.records;
    counted_add_up(&c->counted, c->kernel);
    for (uint32_t i = 0; i < c->kernel->code.count; i++)
        if (records[i].details)
            counters_settle(&c->kernel->code.insns[i], records[i].details);
    if (sums_on())
        add_to_process(c);
    if (c->detailed)
        launches_add(c); /* takes the trace, if it is worth keeping */
    for (uint32_t i = 0; i < c->kernel->code.count; i++) {
        if (records[i].details)
            patterns_free(records[i].details->patterns);
        free(records[i].details);
    }
    counted_free(&c->counted);
    free(c->arrays);
    reuse_free(c->reuse);
    trace_free(c->trace);
}

void counters_end(struct counters *c) {
    if (c->counted.records)
        flush(c);
    free(c);
}

void counters_launch_done(const struct launch *launch) {
    if (launches_wanted())
        launches_done(launch);
    if (!sums_on())
        return;
    pthread_mutex_lock(&lock);
    process_launches++;
    pthread_mutex_unlock(&lock);
}

/* ---- functions of emulator.h ---- */

static struct emulatorCounters for_programs(const uint64_t *n) {
    return (struct emulatorCounters){
        .launches = process_launches,
        .warp_instructions = n[COUNT_INST],
        .thread_instructions = n[COUNT_THREAD_INST],
        .global_load_requests = n[COUNT_GLOBAL_LOAD_REQUESTS],
        .global_load_sectors = n[COUNT_GLOBAL_LOAD_SECTORS],
        .global_store_requests = n[COUNT_GLOBAL_STORE_REQUESTS],
        .global_store_sectors = n[COUNT_GLOBAL_STORE_SECTORS],
        .global_atomic_requests = n[COUNT_GLOBAL_ATOM_REQUESTS] + n[COUNT_GLOBAL_RED_REQUESTS],
        .global_load_bytes = n[COUNT_GLOBAL_LOAD_BYTES],
        .global_store_bytes = n[COUNT_GLOBAL_STORE_BYTES],
        .shared_load_requests = n[COUNT_SHARED_LOAD_REQUESTS],
        .shared_load_wavefronts = n[COUNT_SHARED_LOAD_WAVEFRONTS],
        .shared_store_requests = n[COUNT_SHARED_STORE_REQUESTS],
        .shared_store_wavefronts = n[COUNT_SHARED_STORE_WAVEFRONTS],
        .shared_atomic_requests = n[COUNT_SHARED_ATOM_REQUESTS],
        .local_requests = n[COUNT_LOCAL_LOAD_REQUESTS] + n[COUNT_LOCAL_STORE_REQUESTS],
        .branches = n[COUNT_BRANCHES],
        .divergent_branches = n[COUNT_DIVERGENT],
        .barriers = n[COUNT_BARRIERS],
        .float_operations = n[COUNT_FLOAT_OPERATIONS],
        .global_atom_sectors = n[COUNT_GLOBAL_ATOM_SECTORS],
        .global_red_sectors = n[COUNT_GLOBAL_RED_SECTORS],
        .texture_requests = n[COUNT_TEXTURE_REQUESTS],
        .texture_sectors = n[COUNT_TEXTURE_SECTORS],
        .surface_load_requests = n[COUNT_SURFACE_LOAD_REQUESTS],
        .surface_load_sectors = n[COUNT_SURFACE_LOAD_SECTORS],
        .surface_store_requests = n[COUNT_SURFACE_STORE_REQUESTS],
        .surface_store_sectors = n[COUNT_SURFACE_STORE_SECTORS],
        .async_copies = n[COUNT_COPIES],
        .async_copy_wavefronts = n[COUNT_COPY_WAVEFRONTS],
        .bulk_copies = n[COUNT_BULK_COPIES],
        .bulk_load_bytes = n[COUNT_BULK_LOADED],
        .bulk_store_bytes = n[COUNT_BULK_STORED],
        .shared_atomic_wavefronts = n[COUNT_SHARED_ATOM_WAVEFRONTS],
        .global_loads_together = n[COUNT_LOADS_TOGETHER],
        .host_waits = host_calls_since_start(HOST_WAIT),
        .async_waits = n[COUNT_COPY_WAITS],
        .async_groups_left = n[COUNT_COPY_GROUPS_LEFT],
        .barriers_of_group = n[COUNT_BARRIERS_OF_GROUP],
        .bulk_places = n[COUNT_BULK_PLACES],
        .product_wavefronts = n[COUNT_PRODUCT_WAVEFRONTS],
        .async_commits = n[COUNT_COPY_COMMITS],
        .bulk_ahead = n[COUNT_BULK_AHEAD],
        .tensor_products = n[COUNT_TENSOR],
    };
}

void counters_start(void) {
    pthread_mutex_lock(&lock);
    memset(&process, 0, sizeof process);
    process_launches = 0;
    host_calls_start();
    host_calls_note(HOST_PREPARE, __func__); /* a host that counts one job after the other does not wait too often */
    pthread_mutex_unlock(&lock);
    atomic_store(&on, true);
}

void counters_stop(struct emulatorCounters *out, size_t size) {
    atomic_store(&on, false);
    pthread_mutex_lock(&lock);
    struct emulatorCounters counted = for_programs(process.n);
    memcpy(out, &counted, size < sizeof counted ? size : sizeof counted);
    pthread_mutex_unlock(&lock);
}
