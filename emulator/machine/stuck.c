#include "machine/stuck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "machine/access.h"
#include "machine/block_cluster.h"
#include "machine/finding.h"
#include "machine/mbarrier_log.h"
#include "isa/instruction.h"

/* ---- lanes of a warp ---- */

/* The instruction at which a split waits. */
static const struct insn *waits_at(const struct warp_split *f) {
    return f->state == SPLIT_AT_BARRIER ? f->pc - 1 : f->pc;
}

/* "lanes 5 to 31" */
static void put_lanes(char *out, size_t size, uint32_t lanes) {
    int first = first_lane(lanes), last = 31 - __builtin_clz(lanes), count = __builtin_popcount(lanes);
    if (count == 1)
        snprintf(out, size, "lane %d", first);
    else if (count == last - first + 1)
        snprintf(out, size, "lanes %d to %d", first, last);
    else
        snprintf(out, size, "%d lanes (mask 0x%08x)", count, lanes);
}

/* The name of the instruction in messages. */
static const char *function_name(const struct warp *w, const struct warp_split *f) {
    const struct ptx_insn *p = w->launch->kernel->code.sources[waits_at(f)->index];
    return p && p->opcode && p->row->spoken ? p->row->spoken : "a *_sync function";
}

/* The place of the lanes that others wait for. */
static const struct warp_split *missing_from(const struct warp *w, const struct warp_split *f) {
    for (unsigned k = 0; k < w->count; k++)
        if (&w->splits[k] != f && w->splits[k].mask & f->sync_mask)
            return &w->splits[k];
    return NULL;
}

/* Of two groups that wait for each other, the one at the lower pc: the others have passed it. */
static const struct warp_split *first_at_sync(const struct warp *w) {
    const struct warp_split *first = NULL;
    for (unsigned k = 0; k < w->count; k++) {
        const struct warp_split *f = &w->splits[k];
        if (f->state == SPLIT_AT_SYNC && (!first || f->pc < first->pc))
            first = f;
    }
    return first;
}

static void lost_lanes(struct warp *w) {
    const struct warp_split *f = first_at_sync(w), *away = missing_from(w, f);
    char here[40], there[80] = "", lanes[40], advice[400];
    put_lanes(here, sizeof here, f->mask);
    if (away) {
        put_lanes(lanes, sizeof lanes, away->mask);
        snprintf(there, sizeof there, "; at %s: %s", function_name(w, away), lanes);
    }
    snprintf(advice, sizeof advice,
             "The mask names lanes that do not reach this call. At %s: %s%s. All lanes named in the mask have to "
             "execute the same function: move it out of the if or the loop that only some of them enter, or name only "
             "the lanes that reach it.",
             function_name(w, f), here, there);
    struct report_side other = {w, away ? waits_at(away) : NULL, away ? away->mask : 0};
    report_sides(w, f->pc, FINDING_LOST_LANE, f->mask, away ? &other : NULL,
                 "Barrier error detected. Divergent thread(s) in warp.", advice);
}

/* ---- barriers of the block ---- */

static void closed_barrier(struct warp *w, const struct warp_split *f) {
    const struct block_barrier *bar = &w->block->barriers[f->barrier];
    char advice[320] = "These threads wait at a __syncthreads() that other threads of the block never reach: every "
                       "thread of the block has to reach it.";
    if (bar->expected)
        snprintf(advice, sizeof advice,
                 "These threads wait forever at a named barrier: barrier %u completes when %u threads have arrived, "
                 "and %u have. Its count has to be the number of threads that execute barrier.sync or barrier.arrive; "
                 "threads that have exited do not count.",
                 f->barrier, bar->expected, block_barrier_arrived(w->block, f->barrier));
    report_insn(w, f->pc - 1, FINDING_DIVERGENT_BARRIER, f->mask,
                "Barrier error detected. Divergent thread(s) in block.", advice);
}

static struct warp_split *split_in(struct warp *w, enum split_state state) {
    for (unsigned k = 0; k < w->count; k++)
        if (w->splits[k].state == state)
            return &w->splits[k];
    return NULL;
}

/* A split of the cluster in this state: that of the first block, in the first warp, that has one. */
static struct warp_split *split_of_cluster(const struct block *first, enum split_state state, struct warp **warp) {
    for (uint32_t r = 0; r < first->launch->cluster_blocks; r++)
        for (uint32_t i = 0; i < first->launch->warps_per_block; i++) {
            *warp = &cluster_block(first, r)->warps[i];
            struct warp_split *f = split_in(*warp, state);
            if (f)
                return f;
        }
    return NULL;
}

/* All other warps wait at this barrier, too, or have exited: some have not arrived. */
static void closed_cluster(struct warp *w, const struct warp_split *f) {
    const struct block *b = w->block;
    uint32_t threads = 0;
    for (uint32_t r = 0; r < w->launch->cluster_blocks && !threads; r++) {
        b = cluster_block(w->block, r);
        for (uint32_t i = 0; i < w->launch->warps_per_block; i++)
            threads += (uint32_t)__builtin_popcount(b->warps[i].live & ~b->cluster.arrived[i]);
    }
    char advice[320];
    snprintf(advice, sizeof advice,
             "These threads wait at the cluster barrier, and %u threads of block (%u,%u,%u), rank %u in the cluster, "
             "wait there without having arrived: barrier.cluster.arrive has to precede each barrier.cluster.wait.",
             threads, b->ctaid[0], b->ctaid[1], b->ctaid[2], b->rank);
    report_insn(w, f->pc, FINDING_DIVERGENT_BARRIER, f->mask, "Barrier error detected. Divergent thread(s) in cluster.",
                advice);
}

/* The cause of other waiting is reported first. */
void stuck_report_cluster(struct block *first) {
    struct warp *w = first->warps;
    const struct warp_split *f;
    if (split_of_cluster(first, SPLIT_AT_SYNC, &w))
        lost_lanes(w);
    else if ((f = split_of_cluster(first, SPLIT_AT_BARRIER, &w)))
        closed_barrier(w, f);
    else if ((f = split_of_cluster(first, SPLIT_AT_CLUSTER, &w)))
        closed_cluster(w, f);
    warp_fault(w, 719);
}

/* ---- the time limit ---- */

/* Blocks that have not begun, because as many as may be unfinished at once wait. */
static void put_not_begun(const struct launch *l, char *out, size_t size) {
    const uint32_t *n = l->config.grid;
    unsigned long long all = (unsigned long long)n[0] * n[1] * n[2],
                       begun = atomic_load(&l->next_block) * l->cluster_blocks;
    *out = '\0';
    if (begun < all)
        snprintf(out, size,
                 "%llu of %llu blocks have not started, because the resident blocks have to exit first: if those wait "
                 "for a block that has not started, the kernel deadlocks. The order in which blocks start is "
                 "unspecified. A block that waits for others has to take a ticket (atomicAdd of a counter) instead of "
                 "its index, and wait for lower tickets only; for a grid-wide barrier, launch no more blocks than can "
                 "be resident, with cudaLaunchCooperativeKernel. ",
                 all - begun, all);
}

/* A thread that runs is in the loop that does not end. Where all are waiting at the moment, they run from one barrier
 * to the next. */
int stuck_report_endless(const struct block *b) {
    /* launchers have their own name for the setting */
    const char *setting = setting_text(SETTING_TIMEOUT_SETTING);
    char advice[1000], not_begun[600];
    put_not_begun(b->launch, not_begun, sizeof not_begun);
    snprintf(advice, sizeof advice,
             "The kernel did not complete within its time limit: it may contain an endless loop, or a loop that waits "
             "for a value that no thread writes. %s%s sets the limit, 0 removes it.",
             not_begun, setting ? setting : settings[SETTING_TIMEOUT_SETTING].fallback);
    struct warp *w = NULL;
    const struct warp_split *f = split_of_cluster(b, SPLIT_READY, &w);
    if (f)
        return report_insn(w, f->pc, FINDING_TIMEOUT, f->mask, "Endless kernel.", advice);
    return report_launch(b->launch->kernel->name, FINDING_TIMEOUT, "Endless kernel", advice);
}

/* ---- mbarriers ---- */

/* A phase of an mbarrier is ended by threads of its cluster. When all of them only test whether it is over, it never
 * will be. A loop may count its tests or read the clock and give up, or also poll a word of another block: hence some
 * patience, unless its registers stay the same from turn to turn and it reads nothing else. */
#define PHASE_SECONDS 2.0
#define PHASE_YIELDS  500

/* The warp to report, where all of them wait this way: a ring of mbarriers stalls because of one of them, namely the
 * one at which some, but not all, has arrived. */
static struct warp *waits_for_phase(struct block *first) {
    struct warp *found = NULL;
    enum mbarrier_progress most = MBARRIER_NOTHING;
    uint32_t warps = first->launch->warps_per_block;
    for (uint32_t i = 0; i < warps * first->launch->cluster_blocks; i++) {
        struct warp *w = &cluster_block(first, i / warps)->warps[i % warps];
        unsigned ready = 0;
        for (unsigned k = 0; k < w->count; k++)
            ready += w->splits[k].state == SPLIT_READY;
        if (!ready)
            continue;
        /* Some warp can do something other than test an mbarrier, which may end the phase. */
        if (ready != 1 || !w->unfinished)
            return NULL;
        enum mbarrier_progress progress = mbarrier_progress(w);
        if (!found || progress > most) {
            found = w;
            most = progress;
        }
    }
    return found;
}

/* The innermost loop around a split, forward to the branch back: does it read no memory, and call nothing, but the
 * test of the mbarrier? */
static bool only_tests(const struct warp *w, const struct warp_split *f) {
    const struct code *code = &w->launch->kernel->code;
    const struct insn *end = code->insns + code->count, *back = f->pc;
    while (back < end && !(back->flags & INSN_TARGET && back->target <= f->pc))
        back++;
    if (back == end)
        return false;
    for (const struct insn *in = back->target; in <= back; in++)
        if (in != w->unfinished &&
            (in->flags & INSN_MEMORY || in->effect == EFFECT_CALL || in->effect == EFFECT_CALL_INDIRECT))
            return false;
    return true;
}

/* Have the registers of all that can run been the same for a turn, and can nothing else end their loops? */
static bool will_wait_for_ever(const struct block *first) {
    uint32_t warps = first->launch->warps_per_block;
    for (uint32_t i = 0; i < warps * first->launch->cluster_blocks && first->turn.waits; i++) {
        struct warp *w = &cluster_block(first, i / warps)->warps[i % warps];
        const struct warp_split *f = split_in(w, SPLIT_READY);
        if (f && !only_tests(w, f))
            return false;
    }
    return first->turn.waits;
}

static bool in_phase(struct block *b, double now) {
    struct warp *w = waits_for_phase(b);
    if (!w) {
        b->phase_yields = 0;
        return false;
    }
    if (b->phase_yields++ == 0)
        b->phase_since = now;
    if (b->phase_yields < PHASE_YIELDS || (now - b->phase_since < PHASE_SECONDS && !will_wait_for_ever(b)))
        return false;
    char advice[1200];
    mbarrier_explain(w, advice, sizeof advice);
    report_insn(w, w->unfinished, FINDING_DIVERGENT_BARRIER, split_in(w, SPLIT_READY)->mask,
                "Barrier error detected. Threads wait for a phase of an mbarrier that never ends.", advice);
    warp_fault(w, 719);
    return true;
}

/* ---- the grid's barrier ---- */

/* Does this load read the grid's barrier, for one of the lanes? */
static bool reads_workspace(const struct warp *w, const struct insn *in, uint32_t lanes) {
    const struct access *a = in->extra;
    uint64_t addresses[WARP_SIZE], workspace = w->launch->workspace;
    if (a->kind != ACCESS_LOAD || (a->space != SPACE_GENERIC && a->space != SPACE_GLOBAL))
        return false;
    access_addresses(w, in, addresses);
    for (int l = 0; l < WARP_SIZE; l++)
        if (lanes >> l & 1 && addresses[l] - workspace < WORKSPACE_BYTES)
            return true;
    return false;
}

/* The loop that contains a split, from there to the branch back: does it read the grid's barrier? */
static bool polls_workspace(const struct warp *w, const struct warp_split *f) {
    const struct code *code = &w->launch->kernel->code;
    for (const struct insn *in = f->pc; in < code->insns + code->count; in++) {
        if (in->flags & INSN_MEMORY && reads_workspace(w, in, f->mask))
            return true;
        if (in->flags & INSN_TARGET && in->target <= f->pc)
            return false;
    }
    return false;
}

/* The warp of the cluster that waits at the grid's barrier, when all others of the cluster wait for it. */
static struct warp *waits_for_grid(struct block *first) {
    struct warp *found = NULL;
    uint32_t warps = first->launch->warps_per_block;
    for (uint32_t i = 0; i < warps * first->launch->cluster_blocks; i++) {
        struct warp *w = &cluster_block(first, i / warps)->warps[i % warps];
        for (unsigned k = 0; k < w->count; k++) {
            if (w->splits[k].state != SPLIT_READY)
                continue;
            if (!polls_workspace(w, &w->splits[k]))
                return NULL;
            found = found ? found : w;
        }
    }
    return found;
}

/* Have all blocks that have not ended tested the barrier in vain since the last atomic operation of any block? Every
 * arrival is an atomic operation, so then no block is left that could arrive. A block counts from its second test on:
 * before the first one the barrier may just have opened. */
static bool all_wait(struct block *b) {
    struct grid_wait *g = &b->launch->grid_wait;
    const uint32_t *n = b->launch->config.grid;
    pthread_mutex_lock(&g->lock);
    uint64_t now = atomic_load(&g->atomics);
    /* An atomic operation since: all tests so far saw an older state, and no longer count. */
    if (g->seen != now) {
        g->seen = now;
        g->waiting = 0;
    }
    if (b->grid_seen != now) {
        b->grid_seen = now;
        b->grid_looks = 0;
    }
    if (++b->grid_looks == 2)
        g->waiting += b->launch->cluster_blocks;
    bool all = g->waiting + g->ended == (uint64_t)n[0] * n[1] * n[2];
    pthread_mutex_unlock(&g->lock);
    return all;
}

static bool in_grid(struct block *b) {
    struct warp *w = waits_for_grid(b);
    if (!w || !all_wait(b))
        return false;
    struct launch *launch = b->launch;
    if (atomic_exchange(&launch->stop, true))
        return true;
    char advice[320];
    unsigned long long waiting = launch->grid_wait.waiting, ended = launch->grid_wait.ended;
    snprintf(advice, sizeof advice,
             "%llu of %llu blocks wait at the grid barrier (grid.sync()), and the others have exited without reaching "
             "it: every block of the grid has to reach it. Do not return before it.",
             waiting, waiting + ended);
    const struct warp_split *f = split_in(w, SPLIT_READY);
    report_insn(w, f->pc, FINDING_DIVERGENT_BARRIER, f->mask, "Barrier error detected. Divergent block(s) in grid.",
                advice);
    warp_fault(w, 719);
    return true;
}

bool stuck_for_ever(struct block *b, double now) {
    return (b->launch->workspace && in_grid(b)) || in_phase(b, now);
}

void stuck_atomic_done(struct launch *launch) {
    if (launch->workspace)
        atomic_fetch_add(&launch->grid_wait.atomics, 1);
}

void stuck_block_ended(struct block *b) {
    struct grid_wait *g = &b->launch->grid_wait;
    if (!b->launch->workspace)
        return;
    pthread_mutex_lock(&g->lock);
    g->ended += b->launch->cluster_blocks;
    pthread_mutex_unlock(&g->lock);
    b->grid_looks = 0; /* its memory may become another block's */
}
