/* What the files watch*.c share. Each of them does one job for the handlers of probes in watch.c: watch_accesses.c
 * takes instructions apart into accesses of single lanes, lane_access.c passes those to the checks, watch_variables.c
 * follows flags and mbarriers, watch_barriers.c barriers, fences and groups. watch_launch.c makes and frees what all of
 * them use. */
#ifndef WATCH_PARTS_H
#define WATCH_PARTS_H

#include "check/block_watch.h"

struct lane_access;

/* watch_accesses.c: before an instruction that accesses memory (PROBE_ACCESS to PROBE_PIECES). */
void watch_access(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s);
/* The slow path: checks a load, store or atomic lane by lane, for these lanes. */
void watch_lanes(struct block_watch *b, struct lane_access *la, uint32_t lanes);
/* Checks a lane's access at an address and, with .multicast::cluster, at the same place in the blocks of the lane's
 * mask, which is in the frame at `ranks`; ~0u: there is none. */
void check_targets(struct block_watch *b, struct lane_access *la, uint64_t address, uint32_t ranks);

/* watch_variables.c */
static inline bool probe_is_arrival(const struct probe *s) {
    return s->kind == PROBE_MBARRIER_ARRIVE || s->kind == PROBE_MBARRIER_MULTICAST || s->kind == PROBE_MBARRIER_COPIES;
}
/* Before a strong write: leaves at its address what the thread releases. */
void variable_before(struct block_watch *b, const struct lane_access *la);
/* After a strong read, or a wait for an mbarrier, by the lanes in `mask`: acquires what others have released there. */
void watch_acquire(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s, uint32_t mask);
/* Before an instruction on an mbarrier; after an arrival: ends the phases whose last arrival it was. */
void watch_mbarrier(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s);
void watch_phases(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s, uint32_t mask);

/* watch_barriers.c: before an arrival at a barrier of the block, a fence, and what has to do with groups; after lanes
 * have synchronized, and after a wait for products. */
void watch_barrier(struct block_watch *b, struct warp *w, const struct insn *in);
void watch_fence(struct block_watch *b, const struct warp *w, const struct probe *s);
void watch_groups(struct block_watch *b, const struct warp *w, const struct insn *in, const struct probe *s);
void synchronize_lanes(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s);
void products_wait_after(struct block_watch *b, const struct warp *w, const struct probe *s);
/* The synchronization variable of the cluster's barrier. */
struct sync_variable *cluster_variable(const struct block *b);

#endif
