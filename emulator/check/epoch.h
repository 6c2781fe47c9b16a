/* Happens-before as far as the fast paths can decide it themselves: a cache of race_happens_before() (race.h).
 *
 * Every warp's vector clock has three numbers that answer nearly all queries: `before`, the launches that happen before
 * this one, `base`, the last barrier of the whole block, and `synced`, the last time when all lanes of the warp
 * synchronized. They are copied for each access of a warp, and stay true until it is done: order_barrier_whole() and
 * order_lanes_sync() advance them, between the accesses of a block, and `before` is fixed when a launch begins.
 *
 * Where the answer is yes, it is final: order.c only adds to what these numbers state. Only a cp.async that may be
 * unfinished happens before nothing. Where it is no, there may be further information: the records that order the warps
 * of a block in part (block_order.partly), facts about other blocks, and the order between streams. So an access that
 * finds a no is left to the slow path, and so is a read that finds one where `partly` holds or the record is of another
 * launch (epoch_must_ask): which of two reads it replaces depends on the answer. */
#ifndef EPOCH_H
#define EPOCH_H

#include "check/block_watch.h"

/* An access, and what happens before it. */
struct access_epoch {
    struct full_record record; /* lane 0's of the warp */
    uint32_t before;           /* launches up to this one happen before */
    uint32_t base, synced;     /* what its block did before `base`, and its warp before `synced`, happens before */
};

/* `record` is lane 0's. */
static inline struct access_epoch epoch_of(const struct block_watch *b, struct access_record record) {
    return (struct access_epoch){.record = {b->launch->operation.serial, b->order.index, record},
                                 .before = b->launch->before,
                                 .base = b->order.base,
                                 .synced = b->order.warps[RECORD_WARP(record.packed)].synced};
}

/* Has nothing ordered the warp since the last barrier of the whole block? */
static inline bool epoch_is_fresh(const struct access_epoch *q) {
    return q->record.record.time == q->base && q->synced <= q->base;
}

static inline bool epoch_same_warp(uint32_t packed, uint32_t other) {
    return !((packed ^ other) & WARP_BITS);
}
static inline bool epoch_same_thread(uint32_t packed, uint32_t other) {
    return !((packed ^ other) & THREAD_BITS);
}
static inline bool epoch_is_own_block(const struct access_epoch *q, const struct full_record *old) {
    return old->launch == q->record.launch && old->block == q->record.block;
}
static inline bool epoch_must_ask(const struct access_epoch *q, const struct full_record *old, bool partly) {
    return old->launch != q->record.launch || partly;
}

/* Of the block's accesses at a given time, which happen before this one: all, those of its warp alone, or none? */
enum epoch_scope { EPOCH_NOBODY, EPOCH_WARP, EPOCH_ALL };
static inline enum epoch_scope epoch_scope(const struct access_epoch *q, uint32_t time) {
    return time < q->base ? EPOCH_ALL : time < q->synced ? EPOCH_WARP : EPOCH_NOBODY;
}

/* Does a recorded access of the block happen before this one, made by the thread of `packed`? The caller knows that it
 * is no cp.async. */
static inline bool epoch_in_block(const struct access_epoch *q, struct access_record old, uint32_t packed) {
    return old.time < q->base || (old.time < q->synced && epoch_same_warp(old.packed, packed));
}

/* The same of any recorded access. */
static inline bool epoch_happens_before(const struct access_epoch *q, const struct full_record *old, uint32_t packed) {
    /* An empty record has launch 0, which is before everything. */
    return old->launch <= q->before || (epoch_is_own_block(q, old) && !(old->record.packed & RECORD_COPY) &&
                                        epoch_in_block(q, old->record, packed));
}

#endif
