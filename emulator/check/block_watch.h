/* The state that the checks keep for a launch and for a block; for the files of check/ alone. */
#ifndef BLOCK_WATCH_H
#define BLOCK_WATCH_H

#include <stdatomic.h>

#include "check/shadow_memory.h"
#include "base/checks.h"
#include "check/hazards.h"
#include "check/order.h"
#include "check/read_log.h"
#include "check/probes.h"
#include "check/products.h"
#include "check/stream_order.h"
#include "machine/grid.h"
#include "memory/memory.h"

/* Synchronization variables by address. Chains of the hash table never shrink while a launch lasts. */
struct sync_table {
    struct sync_variable *items; /* a power of two of them; NULL: none yet */
    uint32_t count, capacity;
};
struct sync_variable *sync_find(const struct sync_table *t, uint64_t key);
struct sync_variable *sync_make(struct sync_table *t, uint64_t key);
void sync_clear(struct sync_table *t); /* keeps the memory */
void sync_free(struct sync_table *t);

/* The shadow memory of a block's shared memory, a shadow word for each 1, 2 or 4 bytes, as a structure of arrays: the
 * two numbers of each record are in separate arrays, so that adjacent words are compared at once. */
struct shadow_arrays {
    uint32_t *arrays; /* NULL: without racecheck */
    size_t size;      /* words in an array */
};
static inline uint32_t *shadow_times(const struct shadow_arrays *c, enum shadow_slot slot) {
    return c->arrays + 2 * slot * c->size;
}
static inline uint32_t *shadow_packed(const struct shadow_arrays *c, enum shadow_slot slot) {
    return c->arrays + (2 * slot + 1) * c->size;
}
static inline struct access_record shadow_record(const struct shadow_arrays *c, uint64_t i, enum shadow_slot slot) {
    return (struct access_record){shadow_times(c, slot)[i], shadow_packed(c, slot)[i]};
}
static inline void shadow_set_record(const struct shadow_arrays *c, uint64_t i, enum shadow_slot slot,
                                     struct access_record m) {
    shadow_times(c, slot)[i] = m.time;
    shadow_packed(c, slot)[i] = m.packed;
}

struct launch_watch {
    unsigned checks;
    const struct kernel *kernel;
    const struct probes *probes;
    uint32_t unit_shift;     /* log2 of the bytes of a shadow word of shared memory */
    _Atomic uint32_t let_go; /* blocks below this one keep no chunks locked: host threads have contended for one */
    struct operation_order operation;
    uint32_t before; /* operations up to this serial number happen before the launch */
    uint32_t floor;  /* operations up to this one happen before everything still to come */
    struct hazards hazards;
    struct order_launch order;
    struct facts inherited; /* what launches before it have learned of others */
    struct facts learned;   /* what its blocks have learned of other launches; under `lock` */
    pthread_mutex_t lock;
};

/* The instructions that can be reached from `from`, a bit for each. */
struct reachable {
    const struct insn *from;
    uint64_t *bits;
};

/* Lanes that work after a *_sync function at which others wait for them. */
struct skipped_sync {
    const struct insn *sync, *where;
    uint32_t lanes;
};

/* The chunks of the block's last access by lanes far from each other (check/fast_scattered.c). */
struct last_chunks {
    struct kept_chunks kept; /* number: of each lane's chunk */
    uint32_t active, first;  /* lanes; `first`: one for each chunk */
};

/* What synccheck keeps for a block: check/barrier_passing.c, check/skipped_sync.c. */
struct sync_watch {
    uint32_t passed[MAX_WARPS];  /* lanes that went on while others waited at an earlier barrier */
    uint32_t arrived[MAX_WARPS]; /* lanes that have arrived at any barrier */
    uint32_t *visitors;          /* lanes that have arrived at each unavoidable barrier: [barrier][warp] */
    uint32_t first_wait;         /* no thread waits at a barrier before this instruction */
    struct skipped_sync skipped_syncs[MAX_WARPS];
    struct reachable reachable;
};

/* What initcheck keeps for a block: check/written.c. */
struct init_watch {
    uint64_t *shared_written; /* a bit per byte */
    uint32_t written_until;   /* all bytes of shared memory below this one are written; ~0: without initcheck */
    uint8_t *local_written;   /* a bit per byte, lanes one after another */
    uint32_t local_stride;    /* bytes of that bitmap for each lane */
};

struct block_watch {
    struct launch_watch *launch;
    /* a bit for each warp whose lanes all ran together at its last access, or at the start */
    uint32_t whole;

    /* racecheck: what is ordered, ... */
    struct block_order order;
    struct sync_table syncs; /* in shared memory */
    uint32_t phases_over;    /* block.phases_over when it was last read */
    /* ... shared memory, ... */
    struct shadow_arrays shadow;
    /* instead of it where a cluster has several blocks: records may be of any of them */
    struct shadow_word *cluster_shadow;
    struct read_shared {
        uint64_t *words;     /* read by two warps since `base`, and not written: a bit for each shadow word */
        uint32_t base, warp; /* reads by warps with larger numbers than this one change nothing */
    } read_shared;
    struct read_log reads; /* not yet propagated to the shadow words */
    /* ... global memory, ... */
    struct last_chunks last_chunks;
    /* ... and the asynchronous proxy */
    struct products_watch *products[MAX_WARPS]; /* NULL: the kernel has none */
    uint32_t *async_reads;                      /* when that proxy last read 16 bytes: check/async_shared.c */

    struct init_watch init;
    struct follow *follow; /* undefined values in registers; NULL until there is one: check/follow.h */

    struct sync_watch sync;
    struct register_use *registers; /* of each warp; NULL: check/register_use.c has nothing to look at */
};

/* Shadow word i of shared memory. All its records count as this block's: those of blocks before are older. */
static inline struct full_record shared_record(const struct block_watch *b, uint64_t i, enum shadow_slot slot) {
    struct access_record m = shadow_record(&b->shadow, i, slot);
    return (struct full_record){m.time ? b->launch->operation.serial : 0, b->order.index, m};
}
static inline struct shadow_word shared_shadow(const struct block_watch *b, uint64_t i) {
    return (struct shadow_word){.write = shared_record(b, i, SHADOW_WRITE),
                                .strong = shared_record(b, i, SHADOW_STRONG),
                                .reads = {shared_record(b, i, SHADOW_READ), shared_record(b, i, SHADOW_READ_TOO)}};
}
static inline void shared_set_shadow(struct block_watch *b, uint64_t i, const struct shadow_word *word) {
    shadow_set_record(&b->shadow, i, SHADOW_WRITE, word->write.record);
    shadow_set_record(&b->shadow, i, SHADOW_STRONG, word->strong.record);
    shadow_set_record(&b->shadow, i, SHADOW_READ, word->reads[0].record);
    shadow_set_record(&b->shadow, i, SHADOW_READ_TOO, word->reads[1].record);
}

#define ASYNC_PIECE 16 /* bytes that the asynchronous proxy takes at once */

/* The access record of lane 0 of a warp that has not diverged; probe_record: probe.record. */
static inline struct access_record whole_record(const struct block_watch *b, const struct warp *w,
                                                uint32_t probe_record) {
    return (struct access_record){b->order.time, probe_record | (uint32_t)w->index << RECORD_WARP_SHIFT};
}

struct lane_access;
void race_global(struct block_watch *b, const struct lane_access *la);
/* After a launch: looks for races with copies that ran meanwhile. */
void race_with_copies(struct launch *launch);
/* After a copy: looks for races with kernels that may have run meanwhile. */
void race_of_copy(const struct operation_order *order, const struct ran *copy, struct hazards *hazards);
void race_shared(struct block_watch *b, const struct lane_access *la);
/* Records a read of shadow word i of shared memory that conflicts with nothing. */
void race_shared_read(struct block_watch *b, uint64_t i, struct access_record record);

/* check/async_shared.c: accesses of the asynchronous proxy to shared memory. */
struct race;
/* Is a recorded access of that proxy not known to be done where this one is made; was a generic one not fenced? */
bool async_unfinished(const struct race *now, const struct full_record *old, bool write);
bool async_unfenced(const struct race *now, const struct full_record *old);
void async_remember_read(struct block_watch *b, const struct lane_access *la);
/* Which fact about its proxy ends a recorded access. */
enum async_fact async_fact_of(const struct launch_watch *l, bool write, struct access_record record);
/* A read of whole pieces of 16 bytes that conflicts with nothing is recorded. False: the slow path must decide. */
bool async_read_is_fast(struct block_watch *b, const struct lane_access *la);

/* check/barrier_passing.c: lanes that go past a barrier at which others wait, and never arrive at it. */
void barrier_start(struct block_watch *b, uint32_t warps);
void barrier_note_passing(struct block_watch *b, const struct warp *w, const struct insn *in);
void barrier_arrives(struct block_watch *b, const struct warp *w, const struct insn *in);
void barrier_opens(struct block_watch *b, const struct block *block);
void barrier_check_passed(struct block_watch *b, const struct block *block, unsigned barrier);

/* check/register_use.c: setmaxnreg. At a launch's first block, and at each: how many registers a thread has; at the
 * instruction; at the block's end. */
struct register_use;
struct register_use *registers_new(const struct launch *l);
void registers_start(struct block_watch *b, const struct launch *l);
void registers_change(struct block_watch *b, const struct warp *w, const struct insn *in, const struct probe *s);
void registers_end(struct block_watch *b, const struct block *block);

/* check/skipped_sync.c: lanes that go past a *_sync function at which others wait for them. */
void skipped_sync_note(struct block_watch *b, const struct warp *w, const struct insn *in);
void skipped_sync_check(const struct warp *w, const struct insn *in, uint32_t named);

/* Does watch_lanes_come() have nothing to do for a whole warp at this instruction? */
static inline bool watch_whole_comes_to(const struct block_watch *b, const struct warp *w, uint32_t index) {
    bool whole = b->whole >> w->index & 1;
    return whole && (!w->block->awaited || b->sync.arrived[w->index] == 0xffffffffu || index < b->sync.first_wait ||
                     !(b->launch->checks & CHECK_SYNC));
}

/* Lanes are about to access memory together. */
static inline void watch_lanes_come(struct block_watch *b, const struct warp *w, const struct insn *in) {
    const struct warp_order *o = &b->order.warps[w->index];
    if (w->mask == FULL_MASK && watch_whole_comes_to(b, w, in->index))
        return;
    b->whole &= ~(1u << w->index);
    b->whole |= (uint32_t)(w->mask == FULL_MASK) << w->index;
    b->reads.easy &= b->whole;
    b->reads.ready &= b->whole;
    if (o->masks[o->mask_at].mask != w->mask)
        order_mask(&b->order, w);
    if (w->block->awaited && b->launch->checks & CHECK_SYNC && (w->count > 1 || w->mask & ~b->sync.arrived[w->index]))
        barrier_note_passing(b, w, in);
    if (w->count > 1 && b->launch->checks & CHECK_SYNC)
        skipped_sync_note(b, w, in);
}

struct ptx_variable;
void report_outside_variable(struct warp *w, const struct insn *in, const struct ptx_variable *v, uint32_t lanes,
                             uint64_t address, uint32_t bytes);

void written_start(struct block_watch *b, const struct block *block);
/* Moves written_until over what has been written since, from the beginning of shared memory on. */
void written_extend(struct block_watch *b, uint32_t shared_bytes);
void written_shared(const struct lane_access *la);
void written_local(struct block_watch *b, const struct lane_access *la);
void written_global(struct block_watch *b, const struct lane_access *la);

#endif
