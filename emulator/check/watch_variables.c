/* Synchronization variables, the words of memory through which threads communicate: flags, locks and counters, which
 * are accessed strongly, and mbarriers. What a release leaves there, and what an acquire takes from there. */
#include "check/lane_access.h"
#include "check/launch_order.h"
#include "check/watch_parts.h"
#include "machine/block_cluster.h"

/* ---- strong accesses ---- */

/* The synchronization variable at the accessed address, locked if it is in global memory. NULL: there is none, and
 * none is to be made. */
static struct sync_variable *variable_open(const struct lane_access *la, bool make) {
    struct sync_table *table = la->allocation ? launch_order_variables(la->address) : &la->target->watch->syncs;
    struct sync_variable *s = make ? sync_make(table, la->address) : sync_find(table, la->address);
    if (s)
        s->global = la->allocation != NULL;
    return s;
}

static void variable_close(const struct lane_access *la) {
    if (la->allocation)
        launch_order_variables_close(la->address);
}

/* A release is recorded before the access is made and an acquire after it, so that a thread that sees the value also
 * sees the release. */
void variable_before(struct block_watch *b, const struct lane_access *la) {
    if (!la->write || !(la->probe->flags & PROBE_STRONG))
        return;
    /* `now`: the instruction is a release itself. A relaxed write releases what a fence covers; that fence may be
     * another warp's, before a barrier (order_may_release: some warp of the block has executed one). */
    bool now = (la->probe->flags & PROBE_RELEASE) != 0, fenced = now || order_may_release(&b->order);
    if (!fenced && la->atomic)
        return;
    struct sync_variable *s = variable_open(la, true);
    /* The release of an arrival takes effect only when the phase is over, together with all its other arrivals. */
    if (probe_is_arrival(la->probe))
        order_arrive(&b->order, la->warp->index, s,
                     la->probe->flags & PROBE_PROXY ? (int)la->target->rank : ARRIVES_ITSELF);
    else if (fenced)
        order_release(&b->order, la->warp->index, s, now);
    /* A store also releases the reads before it, whatever its strength (order_release_reads). */
    if (!la->atomic)
        order_release_reads(&b->order, la->warp->index, s);
    variable_close(la);
}

static void variable_after(struct block_watch *b, const struct lane_access *la) {
    if ((la->write && !la->atomic) || !(la->probe->flags & PROBE_STRONG))
        return;
    const struct sync_variable *s = variable_open(la, false);
    if (s)
        order_acquire(&b->order, la->warp->index, s, (la->probe->flags & PROBE_ACQUIRE) != 0);
    variable_close(la);
}

void watch_acquire(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s, uint32_t mask) {
    uint64_t addresses[WARP_SIZE];
    struct lane_access la = lane_access_of(w, in, s);
    if (((const struct access *)in->extra)->space == SPACE_SHARED && !b->syncs.count)
        return; /* nothing has been released */
    /* A test reads the mbarrier, and changes nothing. */
    if (s->kind == PROBE_MBARRIER_WAIT)
        la.write = false;
    access_addresses(w, in, addresses);
    for (; mask; mask &= mask - 1) {
        la.lane = first_lane(mask);
        la.address = addresses[la.lane];
        enum ptx_space space = access_space(in->extra, la.address);
        if (space == SPACE_SHARED) {
            la.allocation = NULL;
            if (lane_access_find_target(&la))
                variable_after(b, &la);
        } else if (space == SPACE_GLOBAL && lane_access_find_allocation(&la)) {
            variable_after(b, &la);
        }
    }
}

/* ---- mbarriers ---- */

static uint32_t multicast_ranks(const struct insn *in, const struct probe *s) {
    return s->kind == PROBE_MBARRIER_MULTICAST ? in->op[2] : ~0u;
}

/* Copies are done at once here. On a GPU, the previous phase may not be over when a thread arrives that has not
 * observed its end. */
static void arrival_is_in_time(const struct block_watch *b, const struct lane_access *la, const struct insn *in,
                               uint64_t address) {
    uint32_t offset;
    const struct block *owner = cluster_find(la->warp->block, (uint32_t)address, sizeof(uint64_t), &offset);
    const struct sync_variable *s = owner ? sync_find(&owner->watch->syncs, offset) : NULL;
    if (s && !order_knows_copies(&b->order, la->warp->index, s))
        report_insn(la->warp, in, FINDING_RACE, 1u << la->lane,
                    "A thread arrives at an mbarrier whose previous phase may not be complete.",
                    "The bytes of that phase may still be in flight, and then this arrival is counted in the wrong "
                    "phase. The thread first has to wait for the end of that phase, or for a thread that has waited "
                    "for it: the producer of a pipeline waits until the stage is empty, and then calls expect_tx.");
}

/* mbarrier.init is a plain write that must happen before all use; every other instruction on it is atomic. */
void watch_mbarrier(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    uint64_t addresses[WARP_SIZE];
    struct lane_access la = lane_access_of(w, in, s);
    la.atomic = la.write = true;
    access_addresses(w, in, addresses);
    /* cp.async.mbarrier.arrive: the arrival counts when the lane's earlier copies are done, so they are done for every
     * thread that waits for the phase. */
    if (s->kind == PROBE_MBARRIER_COPIES)
        order_copies_all_done(&b->order, w->index, w->mask);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        la.lane = first_lane(rest);
        if (s->kind == PROBE_MBARRIER_INIT)
            la.atomic = false;
        if (s->kind == PROBE_MBARRIER_WAIT)
            la.write = false;
        if (s->kind == PROBE_MBARRIER_ARRIVE && !(s->flags & PROBE_PROXY) && b->order.async &&
            b->launch->checks & CHECK_RACE)
            arrival_is_in_time(b, &la, in, addresses[la.lane]);
        check_targets(b, &la, addresses[la.lane], multicast_ranks(in, s));
    }
}

static void phase_over_at(struct warp *w, uint32_t address) {
    uint32_t offset;
    const struct block *owner = cluster_find(w->block, address, sizeof(uint64_t), &offset);
    struct sync_variable *s = owner ? sync_find(&owner->watch->syncs, offset) : NULL;
    if (s)
        order_phase_over(s);
}

/* Ends the phase of mbarriers whose last arrival this was. */
void watch_phases(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s, uint32_t mask) {
    uint64_t addresses[WARP_SIZE];
    uint32_t slot = multicast_ranks(in, s);
    /* The machine counts the phases that a block's instructions end. Unless the count has changed, this was not the
     * last arrival. */
    if (b->phases_over == w->block->phases_over)
        return;
    b->phases_over = w->block->phases_over;
    access_addresses(w, in, addresses);
    for (; mask; mask &= mask - 1) {
        uint32_t address = (uint32_t)addresses[first_lane(mask)];
        uint32_t ranks = slot == ~0u ? 0 : ((const uint16_t *)(const void *)(w->regs + slot))[first_lane(mask)];
        if (slot == ~0u)
            phase_over_at(w, address);
        for (; ranks; ranks &= ranks - 1)
            phase_over_at(w, cluster_address((uint32_t)__builtin_ctz(ranks), address));
    }
}
