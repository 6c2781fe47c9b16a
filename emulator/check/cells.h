/* What racecheck remembers of global memory: for each word (or byte) its last plain write, its last strong one, and two reads.
 *
 * Memory is remembered in chunks. What threads one after the other do to elements one after the other is an extent: as long as a few
 * of them say all there is to say of a chunk, it has nothing else (check/extents.h). Otherwise it is expanded: each cell has marks of
 * its own. A block's accesses between two barriers are one visit, of which the chunk keeps a list; so a mark is the visit's number
 * and what is the thread's and the instruction's own. These lie in planes, so that 16 neighbours are looked at together. */
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

#define CHUNK_SHIFT 10
#define CHUNK_BYTES ((uint64_t)1 << CHUNK_SHIFT)
#define ROW_CELLS   16 /* cells that are looked at together: a plane has as many more than it needs */

struct visit {
    uint32_t launch, block, time;
};

/* What the plain writes have left of which it is not known that memory holds it. */
struct chunk_values {
    uint64_t apart[CHUNK_BYTES / 64]; /* a bit for each cell that is one of those ... */
    uint64_t known[CHUNK_BYTES / 64]; /* ... and for each of these whose value is here */
    uint32_t values[];
};

/* Bytes [first, last] of a chunk, which threads one after the other have accessed: byte i has the mark's `packed` plus i >> shift. */
struct extent {
    struct global_mark mark; /* as it would be of byte 0 */
    uint16_t first, last;
    uint8_t shift;
};
/* Eight blocks with rows of 32 threads share a chunk, and edges are other instructions. */
#define MOST_WRITES     9
#define MOST_READS      4 /* more of them are logged, nearly always */
#define MOST_EXPANSIONS 2
#define MOST_LOGGED     256

/* Blocks run on several threads of the host: whoever looks at more than `settled` holds the lock. Its size must be no power of two: the
 * chunks of a matrix's column would share a few lines of the host's cache. */
struct race_chunk {
    /* what is looked at most: one line of the host's cache */
    _Alignas(64) atomic_flag lock;
    bool expanded;       /* otherwise there are the extents, and nothing of what stands between them and this */
    uint8_t write_count; /* of extents; there are no strong writes, and no second reads */
    uint8_t read_count;
    uint8_t unit_shift; /* of its cells: 2, or 0 when parts of words are accessed ... */
    bool parts;         /* ... as they have been */
    uint8_t expansions; /* how often it has been expanded, up to MOST_EXPANSIONS: then it stays so */
    bool apart;         /* some values may not be in memory */
    uint32_t newest;    /* launch that has left a mark here; 0: none has */
    uint16_t logged, visit_count;
    uint32_t *planes[CELL_MARKS]; /* of each cell `packed`, then the visits' numbers; NULL: no cell has such a mark */
    struct visit last_visit;      /* as in the list */
    uint32_t newest_write;        /* the newest launch that has written here */

    uint32_t second; /* the newest launch but the one above */
    /* Words of which two reads by different blocks of a launch, up to settled_block, are remembered, and no write: nothing changes
     * there while other blocks only read. All of them have been written. */
    _Atomic uint32_t settled_launch, settled_block;
    uint16_t log_room, visit_room;
    struct visit *visits;        /* number 0 is none */
    struct extent *log;          /* reads of launch `newest` that its marks have not been told of: see chunk_log() */
    struct chunk_values *values; /* NULL: memory holds them all */
    struct extent reads[MOST_READS], writes[MOST_WRITES];
    _Atomic uint64_t settled[CHUNK_BYTES / 4 / 64]; /* a bit for each word */
};

/* Who comes to a chunk to leave a mark. */
struct chunk_visitor {
    uint32_t launch;
    uint32_t floor;        /* launches up to this one are over for all that is to come: their marks may be forgotten */
    const uint8_t *memory; /* where the chunk's bytes are */
    bool write;
};

void chunk_lock(
    struct race_chunk *c); /* who does so and nothing more must call chunk_tell() before it looks at marks */
static inline bool chunk_try_lock(struct race_chunk *c) {
    return !atomic_flag_test_and_set_explicit(&c->lock, memory_order_acquire);
}
/* What is over for all that is to come. */
void chunk_forget(struct race_chunk *c, const struct chunk_visitor *v);
/* Locks it for a visitor. */
void chunk_enter(struct race_chunk *c, const struct chunk_visitor *v);
/* Gives a chunk that is locked cells of at most 1 << unit_shift bytes. False: no memory. */
bool chunk_expand(struct race_chunk *c, unsigned unit_shift);
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
static inline void chunk_note_launch(struct race_chunk *c, uint32_t launch, bool write) {
    if (c->newest < launch) {
        c->second = c->newest;
        __atomic_store_n(&c->newest, launch, __ATOMIC_RELAXED);
    } else if (c->newest > launch && c->second < launch) {
        c->second = launch;
    }
    if (write && c->newest_write < launch)
        c->newest_write = launch;
}
/* Of its cells, or of what will be. */
static inline unsigned chunk_unit_shift(const struct race_chunk *c) {
    return c->parts ? 0 : 2;
}
void chunk_drop(struct race_chunk *c);

/* memory: where the chunk's bytes are; NULL: values are not asked for. */
struct global_cell chunk_cell(const struct race_chunk *c, uint64_t i, const uint8_t *memory);
/* Where there is no memory for it, what was known of the cell is forgotten. */
void chunk_set_cell(struct race_chunk *c, uint64_t i, const struct global_cell *cell, uint32_t floor);
void chunk_set_mark(struct race_chunk *c, uint64_t i, enum cell_mark mark, struct global_mark m, uint32_t floor);
struct global_mark chunk_mark(const struct race_chunk *c, uint64_t i, enum cell_mark mark);

static inline uint64_t chunk_cells(const struct race_chunk *c) {
    return CHUNK_BYTES >> c->unit_shift;
}
/* Most memory is read again and again and not written before the kernel is over. As long as all that has been written there, and all that
 * other launches have done, is over for who reads, the read is only noted. Whoever looks at the marks, or adds to them in another way,
 * first lets the log tell them (chunk_tell): they are then as if each read had gone there when it was made. */
bool chunk_log_grows(struct race_chunk *c);
/* The chunk is locked, and the launch noted. Launches up to `before` are over; what a block did before now->mark's time is, too. False:
 * it must not be noted, or the log is full. */
static inline bool chunk_log(struct race_chunk *c, const struct extent *now, uint32_t before) {
    uint32_t launch = now->mark.launch;
    if (c->newest != launch || c->second > before || c->newest_write > before ||
        (c->logged && c->log[0].mark.launch != launch) || c->logged == c->log_room)
        return false;
    c->log[c->logged++] = *now;
    return true;
}
void chunk_tell(struct race_chunk *c);

/* The numbers of the visits, in a plane that is there. */
static inline uint16_t *chunk_numbers(const struct race_chunk *c, enum cell_mark mark) {
    return (uint16_t *)(void *)(c->planes[mark] + chunk_cells(c) + ROW_CELLS);
}
bool chunk_make_plane(struct race_chunk *c, enum cell_mark mark);
/* Makes a plane that is not there yet. False: no memory. */
static inline bool chunk_need_plane(struct race_chunk *c, enum cell_mark mark) {
    return c->planes[mark] || chunk_make_plane(c, mark);
}
static inline bool visit_is(const struct visit *v, const struct global_mark *m) {
    return v->block == m->block && v->time == m->mark.time && v->launch == m->launch;
}
/* The number of the visit that a mark tells of, if it is one of the last; 0: it is not. */
static inline uint32_t chunk_known_visit(const struct race_chunk *c, const struct global_mark *m) {
    enum { LAST = 4 };
    unsigned count = c->visit_count;
    if (count > 1 && visit_is(&c->last_visit, m))
        return count - 1;
    for (unsigned n = count; n-- > 1 && n + LAST >= count;)
        if (visit_is(&c->visits[n], m))
            return n;
    return 0;
}
/* That number; may renumber all others. 0: no memory. */
uint32_t chunk_visit(struct race_chunk *c, const struct global_mark *m, uint32_t floor);

/* Memory holds what has been written to cells [i, i + n). */
void chunk_values_in_memory(struct race_chunk *c, uint64_t i, uint64_t n);
/* It does not; the value is known, or not. */
void chunk_value_apart(struct race_chunk *c, uint64_t i, bool known, uint32_t value);
/* All values that are in memory, and not of launches up to v->floor, are taken down: memory is about to change. */
void chunk_take_values(struct race_chunk *c, const struct chunk_visitor *v);

static inline void chunk_unsettle(struct race_chunk *c) {
    atomic_store_explicit(&c->settled_launch, 0, memory_order_release);
}
/* Notes that word i has been settled by a launch: block is the larger number of the two blocks. */
void chunk_settle(struct race_chunk *c, uint32_t launch, uint32_t block, uint64_t i, uint64_t words);

#endif
