/* What the checks remember of a launch and of a block; shared by the files of check/. */
#ifndef BLOCK_WATCH_H
#define BLOCK_WATCH_H

#include <stdatomic.h>

#include "check/cells.h"
#include "base/checks.h"
#include "check/hazards.h"
#include "check/order.h"
#include "check/read_log.h"
#include "check/sites.h"
#include "check/stream_order.h"
#include "machine/grid.h"
#include "memory/memory.h"

/* Variables through which threads talk, by address. Chains never shrink while a launch lasts. */
struct sync_table {
    struct sync_variable *items; /* a power of two of them, or NULL */
    uint32_t count, capacity;
};
struct sync_variable *sync_find(const struct sync_table *t, uint64_t key);
struct sync_variable *sync_make(struct sync_table *t, uint64_t key);
void sync_clear(struct sync_table *t); /* keeps the memory */
void sync_free(struct sync_table *t);

#define SYNC_STRIPES 16

/* What is remembered of a unit of memory: the last plain write, the last strong one, and two reads since the plain one. */
struct shared_cell {
    struct access_mark write, strong, reads[2];
};

/* The cells of a block's shared memory, a plane for each number in them: neighbours are looked at together. */
struct shared_cells {
    uint32_t *planes; /* NULL: races are not looked for */
    size_t size;      /* of a plane */
};
static inline uint32_t *cells_times(const struct shared_cells *c, enum cell_mark mark) {
    return c->planes + 2 * mark * c->size;
}
static inline uint32_t *cells_packed(const struct shared_cells *c, enum cell_mark mark) {
    return c->planes + (2 * mark + 1) * c->size;
}
static inline struct access_mark cells_mark(const struct shared_cells *c, uint64_t i, enum cell_mark mark) {
    return (struct access_mark){cells_times(c, mark)[i], cells_packed(c, mark)[i]};
}
static inline void cells_set_mark(const struct shared_cells *c, uint64_t i, enum cell_mark mark, struct access_mark m) {
    cells_times(c, mark)[i] = m.time;
    cells_packed(c, mark)[i] = m.packed;
}

struct launch_watch {
    unsigned checks;
    const struct kernel *kernel;
    const struct sites *sites;
    uint32_t unit_shift; /* of shared cells */
    struct operation_order operation;
    uint32_t before; /* every operation up to this serial came before */
    uint32_t floor;  /* and up to this one before all that is still to come */
    struct hazards hazards;
    pthread_mutex_t atomics; /* on global memory: one at a time */
    struct sync_stripe {
        pthread_mutex_t lock;
        struct sync_table table;
    } syncs[SYNC_STRIPES]; /* in global memory, by address */
};

/* The instructions that may come after one. */
struct reachable {
    const struct insn *from;
    uint64_t *bits;
};

/* Lanes that work behind a *_sync function at which others wait for them. */
struct gone_around {
    const struct insn *sync, *where;
    uint32_t lanes;
};

struct block_watch {
    struct launch_watch *launch;
    struct block_order order;
    struct shared_cells cells;
    struct settled {
        uint64_t *cells;     /* a bit for each: two warps have read it since the base, and nobody has written it: ... */
        uint32_t base, warp; /* reads by warps behind this one leave nothing */
    } settled;
    struct read_log reads;       /* that the cells have not been told of */
    uint64_t *shared_written;    /* a bit per byte */
    uint32_t written_until;      /* all bytes of shared memory below this one have been; or nobody asks */
    uint8_t *local_written;      /* a bit per byte, lane after lane */
    uint32_t local_stride;       /* bytes of bits per lane */
    struct follow *follow;       /* undefined values in registers; NULL as long as there were none: check/follow.h */
    struct sync_table syncs;     /* in shared memory */
    uint32_t phases_over;        /* as in the block, when it was last looked at */
    uint32_t passed[MAX_WARPS];  /* lanes that went on while others waited at a barrier before */
    uint32_t arrived[MAX_WARPS]; /* lanes that have been at a barrier */
    struct gone_around gone_around[MAX_WARPS];
    struct reachable reachable;
    uint32_t *visitors;  /* lanes that have been at each that nobody can avoid: barrier after barrier, by warp */
    uint32_t first_wait; /* nobody waits at a barrier before this instruction */
    uint32_t whole;      /* a bit for each warp that ran whole when it was last looked at, or begins so */
};

/* One lane's part of an instruction. */
struct touch {
    struct warp *warp;
    const struct insn *in;
    const struct site *site;
    int lane;
    uint32_t bytes;
    uint64_t address; /* in its space: an offset in shared and local memory */
    bool write, atomic;
    const struct allocation *allocation; /* of global memory */
};

static inline struct touch touch_of(struct warp *w, const struct insn *in, const struct site *s) {
    const struct access *a = in->extra;
    return (struct touch){.warp = w,
                          .in = in,
                          .site = s,
                          .bytes = (uint32_t)a->bytes * a->count,
                          .write = a->kind != ACCESS_LOAD,
                          .atomic = a->kind == ACCESS_ATOMIC};
}
/* The mark that this access leaves. */
static inline struct access_mark touch_mark(const struct block_watch *b, const struct touch *t) {
    uint32_t who = (uint32_t)t->lane | (uint32_t)t->warp->index << MARK_WARP_SHIFT;
    uint32_t parted = t->warp->mask != t->warp->live ? MARK_PARTED : 0;
    return (struct access_mark){b->order.time, t->site->mark | parted | who};
}
/* That of lane 0 of a warp that has not parted; site_mark: site.mark. */
static inline struct access_mark whole_mark(const struct block_watch *b, const struct warp *w, uint32_t site_mark) {
    return (struct access_mark){b->order.time, site_mark | (uint32_t)w->index << MARK_WARP_SHIFT};
}
/* The careful way, for some lanes of a load, a store or an atomic. */
void watch_lanes(struct block_watch *b, struct touch *t, uint32_t lanes);
/* Bytes of one of its elements. */
static inline uint32_t touch_element(const struct touch *t) {
    uint32_t bytes = ((const struct access *)t->in->extra)->bytes;
    return bytes && bytes < t->bytes ? bytes : t->bytes;
}
/* What a lane's plain store or cp.async brings: `bytes` of it. False when that is not known. */
bool touch_stored(const struct touch *t, int lane, uint8_t *out);
/* Do the lane's store and the bytes at `now` hold the same? */
bool touch_same_value(const struct touch *t, const uint8_t *now);
/* The same for two lanes of one store. */
bool touch_same_values(const struct touch *t, int other);

/* Of two accesses by one warp: its lanes ran together and are still in order, though nothing says that they must. */
bool race_only_warns(const struct block_watch *b, const struct touch *t, struct access_mark old);

/* Who comes to leave a mark in the chunk with that byte of an allocation. */
static inline struct chunk_visitor visitor_at(const struct touch *t, const struct allocation *a, uint64_t offset) {
    const struct launch_watch *l = t->warp->launch->watch;
    const uint8_t *memory = a->host + (offset & ~(CHUNK_BYTES - 1));
    return (struct chunk_visitor){l->operation.serial, l->floor, memory, t->write};
}

void race_global(struct block_watch *b, const struct touch *t);
/* After a launch: against the copies that ran meanwhile. */
void race_with_copies(struct launch *launch);
/* Of a copy that is done: against kernels that may have run meanwhile. */
void race_of_copy(const struct operation_order *order, const struct ran *copy, struct hazards *hazards);
void race_shared(struct block_watch *b, const struct touch *t);
/* A lane reads cell i, and that conflicts with nothing. */
void race_shared_read(struct block_watch *b, uint64_t i, struct access_mark mark);

/* check/passing.c: lanes that go past a barrier at which others wait, and never come to it. */
void barrier_start(struct block_watch *b, uint32_t warps);
void barrier_note_passing(struct block_watch *b, const struct warp *w, const struct insn *in);
void barrier_arrives(struct block_watch *b, const struct warp *w, const struct insn *in);
void barrier_opens(struct block_watch *b, const struct block *block);
void barrier_check_passed(struct block_watch *b, const struct block *block, unsigned barrier);

/* check/gone_around.c: lanes that go past a *_sync function at which others wait for them, and then all who take part are there. */
void gone_around_note(struct block_watch *b, const struct warp *w, const struct insn *in);
void gone_around_check(const struct warp *w, const struct insn *in, uint32_t named);

/* Would watch_lanes_come() have nothing to do for a whole warp at this instruction? */
static inline bool watch_whole_comes_to(const struct block_watch *b, const struct warp *w, uint32_t index) {
    bool whole = b->whole >> w->index & 1;
    return whole && (!w->block->awaited || b->arrived[w->index] == 0xffffffffu || index < b->first_wait ||
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
    if (w->block->awaited && b->launch->checks & CHECK_SYNC && (w->count > 1 || w->mask & ~b->arrived[w->index]))
        barrier_note_passing(b, w, in);
    if (w->count > 1 && b->launch->checks & CHECK_SYNC)
        gone_around_note(b, w, in);
}

/* Where the address of a generic access is; its space, otherwise. */
enum ptx_space touch_space(const struct access *a, uint64_t address);

struct ptx_variable;
void report_outside_variable(struct warp *w, const struct insn *in, const struct ptx_variable *v, uint32_t lanes,
                             uint64_t address, uint32_t bytes);

void written_start(struct block_watch *b, const struct block *block);
/* Has more of shared memory been written, from its beginning on? Makes the first bytes of it known that have. */
void written_extend(struct block_watch *b, uint32_t shared_bytes);
void written_shared(struct block_watch *b, const struct touch *t);
void written_local(struct block_watch *b, const struct touch *t);
void written_global(struct block_watch *b, const struct touch *t);

#endif
