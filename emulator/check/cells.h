/* What racecheck remembers of global memory: for each word (or byte) its last plain write, its last strong one, and two reads.
 *
 * Memory is remembered in chunks. What threads one after the other do to words one after the other is an extent: as long as a few of
 * them say all there is to say of a chunk, it has nothing else (check/extents.h). Otherwise it is expanded. Then 16 neighbours are a
 * group, and what a warp does to them all at once is one mark for the group: lane after lane. Only where neighbours were accessed
 * differently has each cell a mark of its own; such marks lie in planes, one for each number in them, so that 16 are looked at
 * together. */
#ifndef CELLS_H
#define CELLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "check/order.h"

struct global_mark {
    uint32_t launch, block; /* launch 0: none */
    struct access_mark mark;
};
struct global_cell {
    struct global_mark write, strong, reads[2]; /* as in shared memory: struct shared_cell */
    uint32_t value;                             /* that was written, when value_known: memory may not hold it yet */
    bool value_known;
};

#define CHUNK_SHIFT  10
#define CHUNK_BYTES  ((uint64_t)1 << CHUNK_SHIFT)
#define GROUP_CELLS  16
#define CHUNK_GROUPS (CHUNK_BYTES / 4 / GROUP_CELLS)

/* Marks of a group, as they are of its cell 0. Most memory has no others than these two ... */
struct cell_group {
    struct global_mark write, read;
};
/* ... and here is what else there may be. */
struct chunk_details {
    struct {
        struct global_mark strong, read;
    } groups[CHUNK_GROUPS];
    uint8_t shift[CELL_MARKS][CHUNK_GROUPS]; /* cell i was accessed by lane i >> shift behind that of cell 0 */
    uint64_t known[CHUNK_BYTES / 64];        /* a bit for each cell whose value is known */
    uint32_t *planes, *values;               /* made when needed */
};

/* Words [first, last] of a chunk, which threads one after the other have accessed: word i has the mark's `packed` plus i >> shift. */
struct extent {
    struct global_mark mark; /* as it would be of word 0 */
    uint8_t first, last, shift;
};
#define MOST_EXTENTS    4
#define MOST_EXPANSIONS 2

/* Blocks run on several threads of the host: whoever looks at more than `settled` holds the lock. */
struct race_chunk {
    _Alignas(64) atomic_flag lock;
    bool expanded;       /* otherwise there are the extents, and nothing of what stands between them and this */
    uint8_t write_count; /* of extents; there are no strong writes, and no second reads */
    uint8_t read_count;
    uint8_t unit_shift; /* of its cells: 2, or 0 when parts of words are accessed: then there are no groups */
    uint8_t expansions; /* how often it has been expanded, up to MOST_EXPANSIONS: then it stays so */
    uint16_t detailed;  /* a bit for each group that has a mark in the details */
    uint32_t newest;    /* launch that has left a mark here; 0: none has */
    /* Words of which two reads by different blocks of a launch, up to settled_block, are remembered, and no write: nothing changes
     * there while other blocks only read. All of them have been written. */
    _Atomic uint32_t settled_launch, settled_block;
    uint64_t parted;  /* by mark, a bit for each group: its marks are in the planes */
    uint64_t shifted; /* the same: its shift is in the details, and not 0 */
    struct cell_group *groups;
    struct chunk_details *details;
    struct extent writes[MOST_EXTENTS], reads[MOST_EXTENTS];
    _Atomic uint64_t settled[CHUNK_BYTES / 4 / 64]; /* a bit for each word */
};

/* Who comes to a chunk to leave a mark. */
struct chunk_visitor {
    uint32_t launch;
    uint32_t floor;        /* launches up to this one are over for all that is to come: their marks may be forgotten */
    const uint8_t *memory; /* where the chunk's bytes are: what a plain write in an extent has written is there */
};

enum cell_field { CELL_LAUNCH, CELL_BLOCK, CELL_TIME, CELL_PACKED, CELL_FIELDS };

void chunk_lock(struct race_chunk *c);
static inline bool chunk_try_lock(struct race_chunk *c) {
    return !atomic_flag_test_and_set_explicit(&c->lock, memory_order_acquire);
}
/* Locks it for a visitor. */
void chunk_enter(struct race_chunk *c, const struct chunk_visitor *v);
/* Gives a chunk that is locked cells of at most 1 << unit_shift bytes. False: no memory. */
bool chunk_expand(struct race_chunk *c, unsigned unit_shift, const struct chunk_visitor *v);
/* All of this; it is locked if there is memory for it. */
bool chunk_open(struct race_chunk *c, unsigned unit_shift, const struct chunk_visitor *v);
static inline void chunk_close(struct race_chunk *c) {
    atomic_flag_clear_explicit(&c->lock, memory_order_release);
}
static inline bool chunk_is_used(const struct race_chunk *c) {
    return __atomic_load_n(&c->newest, __ATOMIC_RELAXED) != 0;
}
/* With a hurry and no lock: then it may be wrong. */
static inline bool chunk_is_expanded(const struct race_chunk *c) {
    return __atomic_load_n(&c->expanded, __ATOMIC_RELAXED);
}
static inline void chunk_note_launch(struct race_chunk *c, uint32_t launch) {
    if (c->newest < launch)
        __atomic_store_n(&c->newest, launch, __ATOMIC_RELAXED);
}
static inline unsigned chunk_unit_shift(const struct race_chunk *c) {
    return c->expanded ? c->unit_shift : 2;
}
void chunk_drop(struct race_chunk *c);

/* Of a chunk that is not expanded without the value. */
struct global_cell chunk_cell(const struct race_chunk *c, uint64_t i);
/* Where there is no memory for it, what was known of the group is forgotten. */
void chunk_set_cell(struct race_chunk *c, uint64_t i, const struct global_cell *cell);
void chunk_set_mark(struct race_chunk *c, uint64_t i, enum cell_mark mark, struct global_mark m);

static inline uint32_t *chunk_plane(const struct race_chunk *c, enum cell_mark mark, enum cell_field field) {
    return c->details->planes + ((uint64_t)(mark * CELL_FIELDS + field) << (CHUNK_SHIFT - c->unit_shift));
}

static inline uint64_t chunk_bit(uint64_t group, enum cell_mark mark) {
    return (uint64_t)1 << (mark * CHUNK_GROUPS + group);
}
static inline bool chunk_is_parted(const struct race_chunk *c, uint64_t group, enum cell_mark mark) {
    return c->unit_shift != 2 || c->parted & chunk_bit(group, mark);
}
/* Has any mark been parted? */
static inline bool chunk_is_plain(const struct race_chunk *c, uint64_t group) {
    if (c->unit_shift != 2)
        return false;
    uint64_t any = chunk_bit(group, CELL_WRITE) | chunk_bit(group, CELL_STRONG) | chunk_bit(group, CELL_READ) |
                   chunk_bit(group, CELL_READ_TOO);
    return !(c->parted & any);
}

/* The mark of cell 0 of a group that is not parted, and the shift. */
static inline struct global_mark chunk_record(const struct race_chunk *c, uint64_t group, enum cell_mark mark) {
    const struct global_mark none = {0};
    if (mark == CELL_WRITE || mark == CELL_READ)
        return mark == CELL_WRITE ? c->groups[group].write : c->groups[group].read;
    if (!(c->detailed >> group & 1))
        return none;
    return mark == CELL_STRONG ? c->details->groups[group].strong : c->details->groups[group].read;
}
static inline unsigned chunk_shift(const struct race_chunk *c, uint64_t group, enum cell_mark mark) {
    return c->shifted & chunk_bit(group, mark) ? c->details->shift[mark][group] : 0;
}
/* A cell's mark. */
struct global_mark chunk_mark_in_extents(const struct race_chunk *c, uint64_t i, enum cell_mark mark);
static inline struct global_mark chunk_mark(const struct race_chunk *c, uint64_t i, enum cell_mark mark) {
    uint64_t g = i / GROUP_CELLS;
    if (!c->expanded)
        return chunk_mark_in_extents(c, i, mark);
    if (chunk_is_parted(c, g, mark)) {
        const uint32_t *launch = chunk_plane(c, mark, CELL_LAUNCH) + i;
        uint64_t plane = CHUNK_BYTES >> c->unit_shift;
        return (struct global_mark){launch[0], launch[plane], {launch[2 * plane], launch[3 * plane]}};
    }
    struct global_mark m = chunk_record(c, g, mark);
    if (m.launch)
        m.mark.packed += (uint32_t)(i % GROUP_CELLS) >> chunk_shift(c, g, mark);
    return m;
}
/* Of all cells of a group, which need not be parted any more. */
void chunk_set_record(struct race_chunk *c, uint64_t group, enum cell_mark mark, const struct global_mark *m,
                      unsigned shift);
/* Gives the cells of a group marks of their own. False: no memory, and they are forgotten. */
bool chunk_part(struct race_chunk *c, uint64_t group, enum cell_mark mark);
/* NULL when there is no memory. */
uint32_t *chunk_values(struct race_chunk *c);

static inline void chunk_unsettle(struct race_chunk *c) {
    atomic_store_explicit(&c->settled_launch, 0, memory_order_release);
}
/* Notes that word i has been settled by a launch: block is the larger number of the two blocks. */
void chunk_settle(struct race_chunk *c, uint32_t launch, uint32_t block, uint64_t i, uint64_t words);

#endif
