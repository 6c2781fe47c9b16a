/* What comes before what: the order that barriers, fences and atomics put between the accesses of a launch.
 *
 * A block has a clock, which goes on at whatever orders something. An access is remembered with the clock's time at
 * which it was made, its warp and its lane. Every warp knows of each other warp of its block the time before which all
 * accesses come before its own (warp_order.known), and the block knows it of all (block_order.base: the last barrier of
 * the whole block). Lanes of one warp are in order after a bar.warp.sync.
 *
 * A variable through which threads talk (a flag, a lock, a counter, an mbarrier) gets a record of what those who
 * released it knew; who acquires it knows that from then on. Between blocks what is known is a set of facts: "of
 * block b, everything before its last barrier, and what warp w did before time t". A set that grows too large becomes
 * the fact that everything is known: then fewer races are found, but none is made up. */
#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/warp.h"

#define MAX_WARPS 32
#define MAX_LANES 32 /* of a warp, whatever WARP_SIZE is: the second tier's text reads these structures, too */

/* One access, as it is remembered. */
struct access_record {
    uint32_t time;   /* of the block's clock; 0: none */
    uint32_t packed; /* MARK_*: who and how */
};

enum {
    RECORD_LANE = 0x1f,
    RECORD_WARP_SHIFT = 5,        /* 5 bits */
    RECORD_STRONG = 1 << 10,      /* volatile, relaxed or atomic */
    RECORD_BLOCK_SCOPE = 1 << 11, /* but only towards the block's own threads */
    RECORD_DIVERGED = 1 << 12,    /* the warp's lanes had parted */
    RECORD_COPY = 1 << 13,        /* by cp.async: done only after a wait */
    RECORD_INSN_SHIFT = 14,       /* 18 bits: the instruction's index */
};
/* What is remembered of each unit of memory: its last plain write, its last strong one, and two reads since the plain one. */
enum shadow_slot { SHADOW_WRITE, SHADOW_STRONG, SHADOW_READ, SHADOW_READ_TOO, SHADOW_SLOTS };
#define RECORD_WARP(packed) ((packed) >> RECORD_WARP_SHIFT & 0x1f)
#define RECORD_INSN(packed) ((packed) >> RECORD_INSN_SHIFT)
/* Bits of a record that tell one warp of a block from others, and one thread. */
#define WARP_BITS   ((uint32_t)0x1f << RECORD_WARP_SHIFT)
#define THREAD_BITS (WARP_BITS | RECORD_LANE)

#define WHOLE_BLOCK MAX_WARPS
struct fact {
    uint32_t block, base, time, warp; /* warp: or WHOLE_BLOCK */
};
struct facts {
    struct fact *items;
    uint32_t count, capacity;
    bool everything;
};

#define MASK_HISTORY 16

struct lane_order {
    uint32_t known[MAX_LANES][MAX_LANES]; /* [l][m]: what lane m did before this time comes before lane l's accesses */
};

struct warp_order {
    uint32_t known[MAX_WARPS];
    uint32_t synced;          /* the same between all lanes of the warp */
    struct lane_order *lanes; /* where only some of them synchronize; NULL at first */
    uint32_t whole;           /* since when the lanes have run together again */
    struct {
        uint32_t time, mask;
    } masks[MASK_HISTORY]; /* who ran together since when: the newest at mask_at */
    uint32_t mask_at;
    bool fenced, dirty; /* it has executed a fence; it has stored to global memory since */
    bool used;          /* what follows may not be as it was at the start, nor what is known; nearly always it is */
    uint32_t fence_base, fence_known[MAX_WARPS];
    uint32_t late_known[MAX_WARPS]; /* the same for their reads only: see order_release_reads */
    struct facts late;
    struct facts learned; /* of other blocks, since the last barrier */
    struct facts pending; /* read, but a fence has to follow */
    uint32_t pending_known[MAX_WARPS];
    uint32_t copies_done[MAX_LANES]; /* a lane's copies that began before this time are done */
    uint32_t commits[MAX_LANES][8];  /* times of a lane's last commit_groups, newest first */
};

struct block_order {
    uint32_t time, start, base; /* start: of the block */
    uint32_t fence_base;        /* accesses before it were followed by a fence, then a barrier */
    bool any_fence;
    uint32_t index; /* of the block */
    uint32_t warp_count;
    struct warp_order *warps;
    struct facts learned, late; /* of other blocks, by all warps */
    struct facts pending;       /* that others have read before the last barrier */
    uint32_t pending_known[MAX_WARPS];
    bool pending_any;
    bool partly; /* something else than barriers of the whole block has ordered its warps, or some of its lanes */
};

/* What those who released a variable knew: of the block that did last, and of the others. */
struct released {
    bool used;
    uint32_t block, base, known[MAX_WARPS];
    struct facts facts;
};

/* A variable through which threads talk. */
struct sync_variable {
    uint64_t key; /* address plus one; 0: free */
    struct released all, reads;
    struct released arrived; /* of an mbarrier: those of the phase that is under way */
};

/* For another block in the same place: records that it left are over. */
void order_start(struct block_order *o, uint32_t index, uint32_t warps);
void order_free(struct block_order *o);

/* Does an access of this block come before what the lane does now? */
bool order_in_block(const struct block_order *o, struct access_record record, uint32_t warp, uint32_t lane);
/* Is this the record of a cp.async that its thread has not waited for? */
bool order_copy_unfinished(const struct block_order *o, struct access_record record);
/* The same for an access of another block of the launch. */
bool order_between_blocks(const struct block_order *o, uint32_t block, struct access_record record, uint32_t warp);
/* Does an access come before a strong read that the lane makes now? What it has learned without a fence counts, too. */
bool order_before_strong_in_block(const struct block_order *o, struct access_record record, uint32_t warp,
                                  uint32_t lane);
bool order_before_strong(const struct block_order *o, uint32_t block, struct access_record record, uint32_t warp);
/* Does a read come before a write that the lane makes now? */
bool order_read_in_block(const struct block_order *o, struct access_record record, uint32_t warp, uint32_t lane);
bool order_read_between_blocks(const struct block_order *o, uint32_t block, struct access_record record, uint32_t warp);
/* Was the access made by lanes that had really parted from this one, and have not met it since? */
bool order_diverged(const struct block_order *o, const struct warp *w, struct access_record record, uint32_t lane);

/* Notices which lanes run together. */
void order_mask(struct block_order *o, const struct warp *w);
void order_lanes_sync(struct block_order *o, uint32_t warp, uint32_t members, bool all);
void order_barrier_whole(struct block_order *o);
void order_fence(struct block_order *o, uint32_t warp);
/* strongly: an instruction that is a release by itself; otherwise a relaxed one, which is when a fence came before. */
void order_release(struct block_order *o, uint32_t warp, struct sync_variable *s, bool strongly);
bool order_may_release(const struct block_order *o);
/* A relaxed store tells nothing of what was written before it. But what it tells was computed from what was read, and
 * who acts upon it writes later than that. */
void order_release_reads(struct block_order *o, uint32_t warp, struct sync_variable *s);
/* An arrival at an mbarrier: who waits knows of it when the phase is over. */
void order_arrive(struct block_order *o, uint32_t warp, struct sync_variable *s);
void order_phase_over(struct sync_variable *s);
void order_acquire(struct block_order *o, uint32_t warp, const struct sync_variable *s, bool strongly);

/* cp.async: a lane's copies so far form a group; all but the newest `left` groups are done. */
void order_copies_commit(struct block_order *o, uint32_t warp, uint32_t mask);
void order_copies_wait(struct block_order *o, uint32_t warp, uint32_t mask, unsigned left);
void order_copies_all_done(struct block_order *o, uint32_t warp, uint32_t mask);

void facts_free(struct facts *f);

#endif
