/* The shadow memory of global memory for racecheck: for each word (or byte) four access records, of its last plain
 * write, its last strong write and two reads.
 *
 * It is kept in chunks of 1 KiB. A chunk that consecutive threads access element after element needs few extents to
 * describe it (check/extents.h); as long as these suffice it has nothing else. Otherwise it is expanded: each word gets
 * a shadow word with separate records. A visit is what one block does between two barriers; the chunk lists its visits,
 * and a record is the number of its visit with what is specific to the thread and the instruction (`packed`). Numbers
 * and `packed` are stored in separate arrays, so that 16 words are compared at once. */
#ifndef SHADOW_MEMORY_H
#define SHADOW_MEMORY_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "check/order.h"

/* An access record of any block of any launch. */
struct full_record {
    uint32_t launch, block; /* launch 0: none */
    struct access_record record;
};
/* What is remembered of 1, 2 or 4 bytes of shared or global memory: the last plain write, the last strong one, and two
 * reads since the plain one. All code but the fast paths sees shadow memory like this, wherever the records are
 * stored. */
struct shadow_word {
    struct full_record write, strong, reads[2];
    uint32_t value; /* in global memory: last written, if value_known; memory may not hold it yet */
    bool value_known;
};

#define CHUNK_SHIFT 10
#define CHUNK_BYTES ((uint64_t)1 << CHUNK_SHIFT)
#define ROW_WORDS   16 /* shadow words that are compared at once; each array is longer by as many */

struct visit {
    uint32_t launch, block, time;
};

/* Values of plain writes that memory may not hold (yet). */
struct chunk_values {
    uint64_t apart[CHUNK_BYTES / 64]; /* a bit for each shadow word with such a value */
    uint64_t known[CHUNK_BYTES / 64]; /* a bit for each of these whose value is in `values` */
    uint32_t values[];
};

/* Bytes [first, last] of a chunk, accessed by consecutive threads: the record of byte i is `record` with i >> shift
 * added to `packed`. */
struct extent {
    struct full_record record; /* extrapolated to byte 0 of the chunk */
    uint16_t first, last;
    uint8_t shift;
};
/* Eight blocks with rows of 32 threads share a chunk, and edges are written by other instructions. */
#define MOST_WRITES     9
#define MOST_READS      4 /* where there are more, they are nearly always logged instead */
#define MOST_EXPANSIONS 2
#define MOST_LOGGED     256

/* Blocks run on several threads of the host. All fields but the read_shared ones need the lock. The size of this
 * struct must be no power of two: the chunks of a matrix's column would share a few lines of the host's cache. */
struct race_chunk {
    /* the fields in most use: one line of the host's cache */
    _Alignas(64) atomic_bool lock;
    bool expanded;       /* false: the extents describe all, and the arrays are not in use */
    uint8_t write_count; /* of extents, which have no strong writes and no second reads */
    uint8_t read_count;
    uint8_t unit_shift; /* of its shadow words: 2, or 0 once parts of words have been accessed */
    bool parts;         /* parts of words have been accessed */
    uint8_t expansions; /* how often; from MOST_EXPANSIONS on it stays expanded, and this counts launches */
    bool apart;         /* values->apart is in use */
    uint32_t newest;    /* the newest launch with a record here; 0: none */
    uint16_t logged, visit_count;
    uint32_t *arrays[SHADOW_SLOTS]; /* `packed` of each shadow word, then the visits' numbers; NULL: no such records */
    struct visit last_visit;        /* the last of `visits` */
    uint32_t newest_write;          /* the newest launch that has written here */

    uint32_t second; /* the second newest launch with a record here */
    /* Read-shared words (FastTrack's state of that name): all of them written, with records of two reads by
     * different blocks of launch read_shared_launch, at most block read_shared_block, and none of a write. A plain
     * read by a later block changes nothing there, and needs no lock. A write conflicts with one of two reads by two
     * blocks, and so takes the slow path, which forgets them (chunk_set_shadow). Other changes cannot make this
     * untrue: records are forgotten only when the launch has ended, and a byte has the records of its word. */
    _Atomic uint32_t read_shared_launch, read_shared_block;
    uint16_t log_room, visit_room;
    struct visit *visits;        /* number 0 is none */
    struct extent *log;          /* reads of launch `newest` not yet propagated to the shadow words: chunk_log() */
    struct chunk_values *values; /* NULL: memory holds all values */
    struct extent reads[MOST_READS], writes[MOST_WRITES]; /* no two of a list overlap */
    _Atomic uint64_t read_shared[CHUNK_BYTES / 4 / 64];   /* a bit for each word */
};

/* The access for which a chunk is opened. */
struct chunk_visitor {
    uint32_t launch;
    uint32_t floor;        /* launches up to this one happen before everything still to come: may be forgotten */
    const uint8_t *memory; /* where the chunk's bytes are */
    bool write;
};

/* Chunks that a host thread keeps locked from one access to the next. It then waits for nothing but a chunk's lock, and
 * before that it releases these chunks: see fast_scattered.c. */
#define MOST_KEPT 32
struct kept_chunks {
    struct race_chunk *chunks; /* the allocation's */
    uint32_t which;            /* a bit for each of number[] that is locked; 0: none is kept */
    uint32_t number[MOST_KEPT];
};
void chunks_keep(struct kept_chunks *k); /* they are locked; the thread keeps no others */
void chunks_let_go(struct kept_chunks *k);

#if defined ASSERT_LOCKED && defined NDEBUG
#error "-DASSERT_LOCKED needs -UNDEBUG: otherwise it asserts nothing"
#endif
/* With -DASSERT_LOCKED (tests/check.test.sh) it aborts if a chunk is read or changed without being locked. */
static inline void chunk_assert_locked(const struct race_chunk *c) {
#ifdef ASSERT_LOCKED
    assert(*(const volatile unsigned char *)(const volatile void *)&c->lock);
#else
    (void)c;
#endif
}

void chunk_lock(struct race_chunk *c); /* alone it is not enough to read records: call chunk_propagate_log(), too */
static inline bool chunk_try_lock(struct race_chunk *c) {
    /* While it is locked, the threads that wait only read the cache line, and do not take it away from the holder. */
    return !atomic_load_explicit(&c->lock, memory_order_relaxed) &&
           !atomic_exchange_explicit(&c->lock, true, memory_order_acquire);
}
/* Forgets the records if all of them happen before everything still to come. */
void chunk_forget(struct race_chunk *c, const struct chunk_visitor *v);
/* Locks the chunk, forgets what need not be remembered (chunk_forget) and notes the launch. */
void chunk_enter(struct race_chunk *c, const struct chunk_visitor *v);
/* Expands a locked chunk to shadow words of at most 1 << unit_shift bytes. False: no memory. */
bool chunk_expand(struct race_chunk *c, unsigned unit_shift);
/* chunk_enter(), chunk_propagate_log() and chunk_expand(). False: no memory, and not locked. */
bool chunk_open(struct race_chunk *c, unsigned unit_shift, const struct chunk_visitor *v);
static inline void chunk_close(struct race_chunk *c) {
    chunk_assert_locked(c);
    atomic_store_explicit(&c->lock, false, memory_order_release);
}
static inline bool chunk_is_used(const struct race_chunk *c) {
    return __atomic_load_n(&c->newest, __ATOMIC_RELAXED) != 0;
}
/* Unlocked peek: may be stale; the caller must recheck under the lock. */
static inline bool chunk_is_expanded(const struct race_chunk *c) {
    return __atomic_load_n(&c->expanded, __ATOMIC_RELAXED);
}
static inline void chunk_note_launch(struct race_chunk *c, uint32_t launch, bool write) {
    chunk_assert_locked(c);
    if (c->newest < launch) {
        c->second = c->newest;
        __atomic_store_n(&c->newest, launch, __ATOMIC_RELAXED);
    } else if (c->newest > launch && c->second < launch) {
        c->second = launch;
    }
    if (write && c->newest_write < launch)
        c->newest_write = launch;
}
/* The size of its shadow words, also before it is expanded. */
static inline unsigned chunk_unit_shift(const struct race_chunk *c) {
    return c->parts ? 0 : 2;
}
void chunk_drop(struct race_chunk *c);

/* `memory` is where the chunk's bytes are; with NULL, value and value_known are not set. */
struct shadow_word chunk_shadow(const struct race_chunk *c, uint64_t i, const uint8_t *memory);
/* Out of memory, the old record is forgotten: a race may be missed, but none is invented. */
void chunk_set_shadow(struct race_chunk *c, uint64_t i, const struct shadow_word *word, uint32_t floor);
void chunk_set_record(struct race_chunk *c, uint64_t i, enum shadow_slot slot, struct full_record m, uint32_t floor);
struct full_record chunk_record(const struct race_chunk *c, uint64_t i, enum shadow_slot slot);

static inline uint64_t chunk_words(const struct race_chunk *c) {
    return CHUNK_BYTES >> c->unit_shift;
}
/* Most memory is read many times before it is written again. As long as every write here, and everything that other
 * launches did here, happens before the reads of a launch, these reads conflict with nothing and are only logged. Code
 * that reads the records, or adds others, first propagates the log to the shadow words (chunk_propagate_log): they are
 * then as if each read had been recorded when it was made. */
bool chunk_log_grows(struct race_chunk *c);
/* Logs a read; the chunk is locked and the launch noted. Launches up to `before` happen before it, and so does what
 * its block did before now->record's time. False: something here does not, or the log is full. */
static inline bool chunk_log(struct race_chunk *c, const struct extent *now, uint32_t before) {
    uint32_t launch = now->record.launch;
    chunk_assert_locked(c);
    /* No other access can have left records here that conflict: this launch is the newest, the second newest and the
     * last that wrote happen before it, and the log is not one of an earlier launch. */
    if (c->newest != launch || c->second > before || c->newest_write > before ||
        (c->logged && c->log[0].record.launch != launch) || c->logged == c->log_room)
        return false;
    c->log[c->logged++] = *now;
    return true;
}
void chunk_propagate_log(struct race_chunk *c);

/* The visits' numbers, stored after `packed` in an array that exists. */
static inline uint16_t *chunk_numbers(const struct race_chunk *c, enum shadow_slot slot) {
    return (uint16_t *)(void *)(c->arrays[slot] + chunk_words(c) + ROW_WORDS);
}
bool chunk_make_array(struct race_chunk *c, enum shadow_slot slot);
/* Makes the array if it does not exist yet. False: no memory. */
static inline bool chunk_need_array(struct race_chunk *c, enum shadow_slot slot) {
    chunk_assert_locked(c);
    return c->arrays[slot] || chunk_make_array(c, slot);
}
static inline bool visit_is(const struct visit *v, const struct full_record *m) {
    return v->block == m->block && v->time == m->record.time && v->launch == m->launch;
}
/* The number of the visit of a record, if it is one of the last four; otherwise 0. */
static inline uint32_t chunk_known_visit(const struct race_chunk *c, const struct full_record *m) {
    enum { LAST = 4 };
    unsigned count = c->visit_count;
    /* A copy of visits[count - 1] in the chunk's own cache line. */
    if (count > 1 && visit_is(&c->last_visit, m))
        return count - 1;
    for (unsigned n = count; n-- > 1 && n + LAST >= count;)
        if (visit_is(&c->visits[n], m))
            return n;
    return 0;
}
/* The number of the visit of a record, a new one if need be; may renumber all others. 0: no memory. */
uint32_t chunk_visit(struct race_chunk *c, const struct full_record *m, uint32_t floor);

/* Memory holds what has been written to shadow words [i, i + n). */
void chunk_values_in_memory(struct race_chunk *c, uint64_t i, uint64_t n);
/* Memory does not hold what has been written to shadow word i; `value` is that, if `known`. */
void chunk_value_apart(struct race_chunk *c, uint64_t i, bool known, uint32_t value);
/* Memory is about to change: copies the values that it holds, except those of launches up to v->floor. */
void chunk_take_values(struct race_chunk *c, const struct chunk_visitor *v);

static inline void chunk_clear_read_shared(struct race_chunk *c) {
    atomic_store_explicit(&c->read_shared_launch, 0, memory_order_release);
}
/* Marks words as read-shared, a bit for each from word i on. block: the larger number of the two blocks. */
void chunk_set_read_shared(struct race_chunk *c, uint32_t launch, uint32_t block, uint64_t i, uint64_t words);

#endif
