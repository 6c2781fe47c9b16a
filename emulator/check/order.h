/* Happens-before: the order that barriers, fences and atomics make between the accesses of a launch.
 *
 * A block has a clock, which advances at whatever orders something. The epoch of an access is the clock's time when it
 * was made and its warp; its lane is recorded, too. Every warp has a vector clock (warp_order.known): for each other
 * warp of its block the time before which all accesses happen before its own. The block has one time for all of them
 * (block_order.base: the last barrier of the whole block). Lanes of one warp are ordered by bar.warp.sync.
 *
 * A synchronization variable (a flag, a lock, a counter, an mbarrier) receives the vector clock of each warp that
 * releases it; a warp that acquires it joins that to its own. Between blocks clocks are a set of facts: "of block b,
 * everything before its last barrier, and what warp w did before time t". A set that grows too large becomes the fact
 * that everything is known: then fewer races are found, but none is invented.
 *
 * Kernels that run at the same time, on several devices or in several streams, communicate through variables in global
 * memory, too. So the facts name the launch of a block, and a set has a vector clock of streams: what happens before a
 * launch by the order of streams happens before all that its releases order. What a launch has learned of others stays
 * true for everything after it in its stream (check/launch_order.h). */
#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "check/async_order.h"
#include "check/stream_order.h"
#include "machine/warp.h"

#define MAX_WARPS 32
#define MAX_LANES 32 /* of a warp, whatever WARP_SIZE is: the second tier's code reads these structures, too */

/* An access record: the epoch of an access, and how it was made. */
struct access_record {
    uint32_t time;   /* of the block's clock; 0: no access */
    uint32_t packed; /* RECORD_*: by which thread and how */
};

enum {
    RECORD_LANE = 0x1f,
    RECORD_WARP_SHIFT = 5,        /* 5 bits */
    RECORD_STRONG = 1 << 10,      /* volatile, relaxed or atomic */
    RECORD_BLOCK_SCOPE = 1 << 11, /* strong only towards the block's own threads */
    RECORD_DIVERGED = 1 << 12,    /* the warp had diverged */
    RECORD_COPY = 1 << 13,        /* by cp.async or the asynchronous proxy: finished only after a wait */
    RECORD_INSN_SHIFT = 14,       /* 18 bits: the instruction's index */
};
/* A shadow word's records: the last plain write, the last strong one, and two reads since the plain one. */
enum shadow_slot { SHADOW_WRITE, SHADOW_STRONG, SHADOW_READ, SHADOW_READ_TOO, SHADOW_SLOTS };
#define RECORD_WARP(packed) ((packed) >> RECORD_WARP_SHIFT & 0x1f)
#define RECORD_INSN(packed) ((packed) >> RECORD_INSN_SHIFT)
/* Bits of a record that differ between the warps of a block, and between its threads. */
#define WARP_BITS   ((uint32_t)0x1f << RECORD_WARP_SHIFT)
#define THREAD_BITS (WARP_BITS | RECORD_LANE)

/* A block of some launch. `number` is that of the launch in its stream; ~0: never in a vector clock of streams. */
struct block_id {
    uint64_t block; /* the launch's serial number, and the block's index; 0: none */
    uint32_t stream, number;
};

#define WHOLE_BLOCK MAX_WARPS
struct fact {
    struct block_id id;
    uint32_t base, time, warp; /* warp: or WHOLE_BLOCK */
    uint32_t written, writer;  /* bulk copies into global memory by warp `writer` from that time on may not be done */
};
struct facts {
    struct fact *items;
    uint32_t count, capacity;
    bool everything;
    struct stream_clock *clock; /* of launches and copies that happen before as a whole; NULL: of none */
};

/* A launch, as the clocks of its blocks see it. */
struct order_launch {
    uint32_t serial, stream, number;
    const struct stream_clock *before;
    const struct facts *inherited; /* what launches before it have learned */
    _Atomic bool meets;            /* it has acquired what a launch that runs at the same time has released */
};

#define MASK_HISTORY 16
#define ACQUIRED     4

struct lane_order {
    uint32_t known[MAX_LANES]
                  [MAX_LANES]; /* [l][m]: what lane m did before this time happens before lane l's accesses */
};

struct warp_order {
    uint32_t known[MAX_WARPS];
    uint32_t synced;          /* what any lane did before this time happens before all lanes' accesses */
    struct lane_order *lanes; /* only where some lanes synchronize without the others; NULL at first */
    uint32_t whole;           /* the time when its lanes last reconverged */
    struct {
        uint32_t time, mask;
    } masks[MASK_HISTORY]; /* which lanes ran together from when on; the newest is at mask_at */
    uint32_t mask_at;
    bool fenced, dirty; /* it has executed a fence; it has stored to global memory after the last one */
    bool used;          /* the fields below, or `known`, may have changed since the start; rarely set */
    uint32_t fence_base, fence_known[MAX_WARPS];
    uint32_t late_known[MAX_WARPS]; /* vector clock of reads only: see order_release_reads */
    struct facts late;
    struct facts learned; /* of other blocks, since the last barrier */
    struct facts pending; /* acquired by relaxed reads: they count after a fence */
    uint32_t pending_known[MAX_WARPS];
    uint32_t copies_done[MAX_LANES]; /* a lane's copies that began before this time are finished */
    uint32_t commits[MAX_LANES][8];  /* times of a lane's last commit_groups, newest first */
    struct {
        uint64_t change;
        bool strongly;
    } acquired[ACQUIRED]; /* the last variables that it has acquired, as they were then; by address */
};

struct block_order {
    uint32_t time, start, base; /* `start`: when the block began */
    uint32_t fence_base;        /* accesses before it were followed by a fence, then a barrier */
    bool any_fence;
    uint32_t index; /* of the block */
    struct order_launch *launch;
    uint32_t warp_count;
    struct warp_order *warps;
    struct facts learned, late; /* of other blocks, by all warps */
    struct facts pending;       /* acquired by relaxed reads of any warp before the last barrier */
    uint32_t pending_known[MAX_WARPS];
    bool pending_any;
    bool partly;               /* more than barriers of the whole block has ordered its warps, or some of its lanes */
    struct async_order *async; /* NULL where the kernel does not use the asynchronous proxy */
};

/* The clocks released to a variable: that of the block that released it last, and those of other blocks. */
struct released {
    bool used;
    uint64_t block;
    uint32_t base, known[MAX_WARPS];
    struct async_clock *async; /* what they know of the asynchronous proxy; NULL: nothing */
    struct facts facts;
};
void released_free(struct released *r);

/* A synchronization variable. */
struct sync_variable {
    uint64_t key; /* address plus one; 0: free */
    struct released all, reads;
    struct released arrived; /* of an mbarrier: the arrivals of the current phase */
    bool global;             /* in global memory: between launches, too */
    uint64_t change;         /* the number of the last release, among those of all variables */
    struct stream_clock who; /* the launches that have released it, if it is */
};

/* Begins with another block: records of the one before happen before all of its accesses. */
void order_start(struct block_order *o, struct order_launch *launch, uint32_t index, uint32_t warps);
void order_free(struct block_order *o);

/* Does a recorded access of this block happen before what the lane does now? */
bool order_in_block(const struct block_order *o, struct access_record record, uint32_t warp, uint32_t lane);
/* Is this the record of a cp.async that its thread has not waited for? */
bool order_copy_unfinished(const struct block_order *o, struct access_record record);
/* Does a recorded access of another block, of this launch or of another, happen before what the warp does now? */
bool order_between_blocks(const struct block_order *o, struct block_id by, struct access_record record, uint32_t warp);
/* Does it happen before a strong read that the lane makes now? What was acquired without a fence counts, too. */
bool order_before_strong_in_block(const struct block_order *o, struct access_record record, uint32_t warp,
                                  uint32_t lane);
bool order_before_strong(const struct block_order *o, struct block_id by, struct access_record record, uint32_t warp);
/* Does a recorded read happen before a write that the lane makes now? */
bool order_read_in_block(const struct block_order *o, struct access_record record, uint32_t warp, uint32_t lane);
bool order_read_between_blocks(const struct block_order *o, struct block_id by, struct access_record record,
                               uint32_t warp);
/* Was the access made by a lane that had diverged from this one, and has not reconverged with it since? */
bool order_diverged(const struct block_order *o, const struct warp *w, struct access_record record, uint32_t lane);

/* Notes which lanes of the warp run together now. */
void order_mask(struct block_order *o, const struct warp *w);
void order_lanes_sync(struct block_order *o, uint32_t warp, uint32_t members, bool all);
void order_barrier_whole(struct block_order *o);
void order_fence(struct block_order *o, uint32_t warp);
/* The warp has waited for other launches, of which all this is true. */
void order_learn(struct block_order *o, uint32_t warp, const struct facts *facts);
/* strongly: the instruction itself is a release; otherwise it is relaxed, and releases what an earlier fence covers. */
void order_release(struct block_order *o, uint32_t warp, struct sync_variable *s, bool strongly);
bool order_may_release(const struct block_order *o);
/* A relaxed store does not release earlier writes. But its value was computed from earlier reads, and a write that
 * depends on that value is made after them. */
void order_release_reads(struct block_order *o, uint32_t warp, struct sync_variable *s);
/* An arrival at an mbarrier: acquired by the waiting threads when the phase is over. copied: of bytes that a bulk copy
 * has written to the block of that rank. */
#define ARRIVES_ITSELF (-1)
void order_arrive(struct block_order *o, uint32_t warp, struct sync_variable *s, int copied);
void order_phase_over(struct sync_variable *s);
void order_acquire(struct block_order *o, uint32_t warp, const struct sync_variable *s, bool strongly);

/* cp.async: a lane's copies so far become a group; all but the newest `left` groups are finished. */
void order_copies_commit(struct block_order *o, uint32_t warp, uint32_t mask);
void order_copies_wait(struct block_order *o, uint32_t warp, uint32_t mask, unsigned left);
void order_copies_all_done(struct block_order *o, uint32_t warp, uint32_t mask);

/* What the block has learned of launches, by all warps. */
void order_harvest(const struct block_order *o, struct facts *to);

/* Does the warp know that the copies are done whose bytes the mbarrier's earlier phases waited for? For a block that
 * forms a cluster alone; otherwise true. */
bool order_knows_copies(const struct block_order *o, uint32_t warp, const struct sync_variable *s);

/* The asynchronous proxy's groups and its fence (async_order.h). */
void order_products_commit(struct block_order *o, uint32_t warp);
void order_stores_commit(struct block_order *o, uint32_t warp, uint32_t lanes);
void order_proxy_fence(struct block_order *o, uint32_t warp);

static inline struct block_id block_id(uint32_t serial, uint32_t index, uint32_t stream, uint32_t number) {
    return (struct block_id){(uint64_t)serial << 32 | index, stream, number};
}
bool facts_cover(const struct facts *f, struct block_id by, struct access_record record);
void facts_join(struct facts *to, const struct facts *from);
void facts_free(struct facts *f);

#endif
