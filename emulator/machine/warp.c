/* How the lanes of a warp diverge and reconverge. */
#include "machine/warp.h"

#include <assert.h>

#include "machine/block_cluster.h"
#include "machine/compiled.h"
#include "machine/observer.h"

void warp_start(struct warp *w, const struct insn *entry, uint32_t threads) {
    w->threads = w->live = w->mask = threads;
    w->count = 1;
    w->current = 0;
    w->turns = SPLIT_TURNS;
    w->state = WARP_READY;
    w->hand_on = false;
    w->shadow = NULL;
    w->product_groups = w->product_looks = 0;
    w->splits[0] = (struct warp_split){.pc = entry, .mask = threads};
}

static struct warp_split *running(struct warp *w) {
    return &w->splits[w->current];
}

#define NO_RIVAL ((const struct insn *)UINTPTR_MAX)

static const struct insn *find_rival(const struct warp *w) {
    const struct insn *lowest = NO_RIVAL;
    for (unsigned i = 0; i < w->count; i++) {
        const struct warp_split *f = &w->splits[i];
        /* A deeper split would run itself, and a shallower one waits for this one to return: only those as deep
         * compete. */
        if (i != w->current && f->state == SPLIT_READY && f->depth == w->splits[w->current].depth && f->pc < lowest)
            lowest = f->pc;
    }
    return lowest;
}

#ifndef NDEBUG
/* The splits share out the live lanes: each lane is in one of them. */
static bool splits_hold(const struct warp *w) {
    uint32_t seen = 0;
    for (unsigned i = 0; i < w->count; i++) {
        if (!w->splits[i].mask || w->splits[i].mask & seen)
            return false;
        seen |= w->splits[i].mask;
    }
    return seen == w->live && !(w->live & ~w->threads);
}
#endif

static const struct insn *run_split(struct warp *w, unsigned i) {
    assert(i < w->count && w->splits[i].state == SPLIT_READY && splits_hold(w));
    w->current = (uint16_t)i;
    w->mask = w->splits[i].mask;
    w->rival = w->count > 1 ? find_rival(w) : NO_RIVAL;
    return w->splits[i].pc;
}

static void remove_split(struct warp *w, unsigned i) {
    w->splits[i] = w->splits[--w->count];
    if (w->current == w->count)
        w->current = (uint16_t)i;
}

/* The deepest in calls goes first, then the lowest pc. */
static bool goes_first(const struct warp_split *a, const struct warp_split *b) {
    return a->depth != b->depth ? a->depth > b->depth : a->pc < b->pc;
}

/* Reconverges split i with every ready split at the same place. */
static void merge_into(struct warp *w, unsigned *i) {
    for (unsigned k = 0; k < w->count; k++) {
        struct warp_split *f = &w->splits[k], *into = &w->splits[*i];
        if (k == *i || f->state != SPLIT_READY || f->pc != into->pc || f->depth != into->depth)
            continue;
        into->mask |= f->mask;
        /* Removing a split moves the last one into its place. That may be split i itself; and the one that has moved to
         * k has not been examined yet. */
        unsigned last = w->count - 1u;
        remove_split(w, k);
        if (*i == last)
            *i = k;
        k--;
    }
}

/* Chooses the split to run; NULL when none can. */
static const struct insn *choose(struct warp *w) {
    unsigned best = WARP_SIZE;
    for (unsigned i = 0; i < w->count; i++)
        if (w->splits[i].state == SPLIT_READY && (best == WARP_SIZE || goes_first(&w->splits[i], &w->splits[best])))
            best = i;
    if (best == WARP_SIZE) {
        w->state = WARP_WAITING;
        return NULL;
    }
    /* Min-PC scheduling: it runs until it reaches the others, and all continue together from there. */
    merge_into(w, &best);
    return run_split(w, best);
}

/* One split has been chosen again and again: it may be waiting for another one. */
static const struct insn *rotate(struct warp *w) {
    w->turns = SPLIT_TURNS;
    for (unsigned k = 1; k <= w->count; k++) { /* from the last one on: so that every split gets a turn eventually */
        unsigned i = (w->rotated + k) % w->count;
        if (i != w->current && w->splits[i].state == SPLIT_READY) {
            w->rotated = (uint16_t)i;
            return run_split(w, i);
        }
    }
    return choose(w);
}

void warp_diverge(struct warp *w, uint32_t keep, const struct insn *other_pc) {
    assert(w->count < WARP_SIZE && running(w)->mask & keep && running(w)->mask & ~keep);
    struct warp_split *f = running(w), *other = &w->splits[w->count++];
    *other = *f;
    other->mask = f->mask & ~keep;
    other->pc = other_pc;
    f->mask &= keep;
    w->mask = f->mask;
    /* Not known: warp_goes_on() then returns false, and the next label or jump chooses. */
    w->rival = NULL;
}

const struct insn *warp_branch(struct warp *w, const struct insn *taken_pc, uint32_t taken,
                               const struct insn *other_pc) {
    warp_diverge(w, taken, other_pc);
    running(w)->pc = taken_pc;
    return choose(w);
}

const struct insn *warp_reconverge(struct warp *w, const struct insn *label) {
    running(w)->pc = label;
    if (--w->turns == 0)
        return rotate(w);
    return choose(w);
}

const struct insn *warp_yield(struct warp *w, const struct insn *next) {
    running(w)->pc = next;
    w->fuel = 0;
    return NULL;
}

const struct insn *warp_spin(struct warp *w, const struct insn *next) {
    running(w)->pc = next;
    /* A failed test is worth many branches: after sixteen of them the warp yields to the others of its block. */
    w->fuel -= WARP_FUEL / 16;
    if (w->count == 1 || w->fuel <= 0)
        return NULL;
    return rotate(w);
}

const struct insn *warp_exit_lanes(struct warp *w) {
    uint32_t leaving = w->mask;
    struct block *b = w->block;
    w->live &= ~leaving;
    b->live_lanes -= (uint32_t)__builtin_popcount(leaving);
    if (!b->live_lanes && b->watch)
        observer.block_exits(b);
    remove_split(w, w->current);
    for (unsigned i = 0; i < w->count; i++) /* splits that waited for these lanes test again */
        if (w->splits[i].state == SPLIT_AT_SYNC)
            w->splits[i].state = SPLIT_READY;
    /* Barriers may have waited for these lanes alone: lanes that have exited count as arrived. */
    for (uint32_t awaited = b->awaited; awaited; awaited &= awaited - 1)
        block_check_barrier(b, (unsigned)__builtin_ctz(awaited));
    if (b->cluster.awaited)
        cluster_check_barrier(b);
    if (w->count)
        return choose(w);
    w->state = WARP_DONE;
    return NULL;
}

/* ---- block barriers ---- */

/* The lanes of a warp must come to an aligned barrier together; at two of them, they would wait for each other
 * forever. */
static const struct insn *check_divergent(struct warp *w, const struct insn *next, unsigned barrier) {
    for (unsigned i = 0; i < w->count; i++) {
        const struct warp_split *f = &w->splits[i];
        if (i == w->current || f->state != SPLIT_AT_BARRIER || f->barrier != barrier || f->pc == next ||
            ((f->pc - 1)->kind & BARRIER_UNALIGNED))
            continue;
        report_insn(w, next - 1, FINDING_DIVERGENT_BARRIER, w->mask,
                    "Barrier error detected. Divergent thread(s) in warp.",
                    "Threads of one warp wait at two different __syncthreads(), or at one in different iterations of a "
                    "loop; every thread of the block has to reach the same barriers equally often: move it out of the "
                    "if or the loop.");
        return warp_fault(w, 719);
    }
    return next;
}

const struct insn *warp_wait_barrier(struct warp *w, const struct insn *next, unsigned barrier) {
    struct block *b = w->block;
    bool whole = w->count == 1; /* the usual case: the whole warp arrives, and waits or opens the barrier for all */
    if (!whole && !check_divergent(w, next, barrier))
        return NULL;
    struct warp_split *f = running(w);
    f->pc = next;
    f->state = SPLIT_AT_BARRIER;
    f->barrier = (uint8_t)barrier;
    /* Before the barrier is checked: if it opens now, warp_release() makes the state ready again. */
    w->state = whole ? WARP_WAITING : w->state;
    struct block_barrier *bar = &b->barriers[barrier];
    bar->arrived += (uint32_t)__builtin_popcount(w->mask);
    if (!bar->expected && bar->arrived < b->live_lanes) /* most will wait */
        b->awaited |= 1u << barrier;
    else
        block_check_barrier(b, barrier);
    return !whole ? choose(w) : w->state == WARP_READY ? next : NULL;
}

const struct insn *warp_wait_cluster(struct warp *w, const struct insn *in) {
    struct warp_split *f = running(w);
    f->pc = in;
    f->state = SPLIT_AT_CLUSTER;
    return choose(w);
}

void warp_release(struct warp *w, unsigned barrier) {
    w->rival = NULL;
    for (unsigned i = 0; i < w->count; i++)
        if (w->splits[i].state == SPLIT_AT_BARRIER && w->splits[i].barrier == barrier) {
            w->splits[i].state = SPLIT_READY;
            w->state = WARP_READY;
        }
}

/* ---- *.sync ---- */

bool warp_sync_ready(struct warp *w, const struct insn *in, uint32_t members, const struct insn **next) {
    uint32_t wanted = members & w->live;
    if (!(wanted & ~w->mask))
        return true;
    struct warp_split *f = running(w);
    /* Not all are in this split. Those that wait at the same instruction are merged into it, and counted again. */
    f->pc = in;
    f->state = SPLIT_READY;
    for (unsigned i = 0; i < w->count; i++) /* lanes that wait at this very instruction have arrived */
        if (w->splits[i].state == SPLIT_AT_SYNC && w->splits[i].pc == in)
            w->splits[i].state = SPLIT_READY;
    unsigned i = w->current;
    merge_into(w, &i);
    run_split(w, i);
    if (!(wanted & ~w->mask))
        return true;
    f = running(w);
    /* Some are still missing: it waits, and the last of them to arrive here takes all along. */
    f->state = SPLIT_AT_SYNC;
    f->sync_mask = wanted;
    *next = choose(w);
    return false;
}

const struct insn *warp_fault(struct warp *w, int cuda_error) {
    int none = 0;
    atomic_compare_exchange_strong(&w->launch->error, &none, cuda_error);
    atomic_store(&w->launch->stop, true);
    w->state = WARP_DONE;
    return NULL;
}

/* ---- the dispatch loops ---- */

static void run_interpreted(struct warp *w, const struct insn *in) {
    while (in)
        in = in->handler(w, in);
}

static void run(struct warp *w) {
    /* A warp with one split need not choose: it continues where it stopped. */
    const struct insn *in = w->count == 1 ? run_split(w, 0) : choose(w);
    if (!in)
        return;
    const struct kernel *k = w->launch->kernel;
    struct counters *c = w->worker->counters;
    tier_kernel compiled = atomic_load_explicit(&(c ? k->counted_tier : k->tier)->run, memory_order_acquire);
    bool drawn = c && observer.count_warp(c, w);
    if (w->shadow)
        observer.run_followed(w, in);
    else if (compiled && !drawn)
        compiled(w, in, k->code.insns);
    else if (c)
        observer.run_counted(w, in);
    else
        run_interpreted(w, in);
}

void warp_run(struct warp *w) {
    w->fuel = w->block->turn.fuel;
    if (w->shadow)
        observer.follow_on(w);
    run(w);
    /* A handler has found an undefined value and stopped the loop (warp_hand_on): the rest of the turn is run by the
     * other one. */
    bool again = w->hand_on && w->state == WARP_READY;
    w->hand_on = false;
    if (again)
        run(w);
}
