/* Expanding, reading, updating and forgetting chunks of shadow memory. All but read_shared is done with the chunk's
 * lock held. */
#include "check/shadow_memory.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check/extents.h"
#include "check/shadow_pool.h"

static size_t array_bytes(unsigned unit_shift) {
    return ((CHUNK_BYTES >> unit_shift) + ROW_WORDS) * (sizeof(uint32_t) + sizeof(uint16_t));
}
static size_t values_bytes(unsigned unit_shift) {
    return sizeof(struct chunk_values) + (CHUNK_BYTES >> unit_shift) * sizeof(uint32_t);
}

bool chunk_make_array(struct race_chunk *c, enum shadow_slot slot) {
    c->arrays[slot] = shadow_pool_take(array_bytes(c->unit_shift));
    return c->arrays[slot];
}

/* ---- visits ---- */

#define FIRST_ROOM    16
#define WORTH_LOOKING 64 /* from this many visits on, unused ones are searched for first */

/* Drops visits that no record refers to, and those of launches up to `floor`, and renumbers the rest. */
static void forget_visits(struct race_chunk *c, uint32_t floor) {
    uint16_t renumbered[c->visit_room], count = 1;
    memset(renumbered, 0, sizeof renumbered);
    for (enum shadow_slot k = 0; k < SHADOW_SLOTS; k++)
        for (uint64_t i = 0; c->arrays[k] && i < chunk_words(c); i++)
            renumbered[chunk_numbers(c, k)[i]] = 1;
    /* renumbered[] is first "is it used", then the new number. Since count <= n, what is overwritten has been copied
     * or dropped. Number 0 stays 0: none. */
    for (unsigned n = 0; n < c->visit_count; n++) {
        bool kept = n && renumbered[n] && c->visits[n].launch > floor;
        c->visits[count] = kept ? c->visits[n] : c->visits[count];
        renumbered[n] = kept ? count++ : 0;
    }
    for (enum shadow_slot k = 0; k < SHADOW_SLOTS; k++)
        for (uint64_t i = 0; c->arrays[k] && i < chunk_words(c); i++)
            chunk_numbers(c, k)[i] = renumbered[chunk_numbers(c, k)[i]];
    c->visit_count = count;
    c->last_visit = c->visits[count - 1];
}

static bool make_visit_room(struct race_chunk *c, uint32_t floor) {
    if (c->visit_room >= WORTH_LOOKING)
        forget_visits(c, floor);
    /* Forgetting is worth its cost only where it frees half of the room; otherwise it would be tried again soon. */
    if (c->visit_room && c->visit_count <= c->visit_room / 2)
        return true;
    size_t room = c->visit_room ? 2 * (size_t)c->visit_room : FIRST_ROOM;
    struct visit *visits = shadow_pool_take(room * sizeof *visits);
    /* No memory: what forgetting has freed must suffice. If it freed none, chunk_visit() returns 0. */
    if (!visits)
        return c->visit_count < c->visit_room;
    if (c->visits)
        memcpy(visits, c->visits, c->visit_count * sizeof *visits);
    shadow_pool_give(c->visits, c->visit_room * sizeof *visits);
    c->visits = visits;
    c->visit_room = (uint16_t)room;
    return true;
}

uint32_t chunk_visit(struct race_chunk *c, const struct full_record *m, uint32_t floor) {
    uint32_t known = chunk_known_visit(c, m);
    if (known)
        return known;
    if (c->visit_count == c->visit_room && !make_visit_room(c, floor))
        return 0;
    c->visits[c->visit_count] = c->last_visit = (struct visit){m->launch, m->block, m->record.time};
    return c->visit_count++;
}

/* ---- one shadow word ---- */

static struct full_record record_in_extents(const struct race_chunk *c, uint64_t i, enum shadow_slot slot) {
    unsigned byte = (unsigned)i << chunk_unit_shift(c);
    return slot == SHADOW_WRITE  ? extents_record(c->writes, c->write_count, byte)
           : slot == SHADOW_READ ? extents_record(c->reads, c->read_count, byte)
                                 : (struct full_record){0};
}

struct full_record chunk_record(const struct race_chunk *c, uint64_t i, enum shadow_slot slot) {
    chunk_assert_locked(c);
    if (!c->expanded)
        return record_in_extents(c, i, slot);
    unsigned n = c->arrays[slot] ? chunk_numbers(c, slot)[i] : 0;
    if (!n)
        return (struct full_record){0};
    const struct visit *v = &c->visits[n];
    return (struct full_record){v->launch, v->block, {v->time, c->arrays[slot][i]}};
}

void chunk_set_record(struct race_chunk *c, uint64_t i, enum shadow_slot slot, struct full_record m, uint32_t floor) {
    uint32_t n = m.launch && chunk_need_array(c, slot) ? chunk_visit(c, &m, floor) : 0;
    if (!c->arrays[slot])
        return;
    c->arrays[slot][i] = m.record.packed;
    chunk_numbers(c, slot)[i] = (uint16_t)n;
}

static bool is_apart(const struct race_chunk *c, uint64_t i) {
    return c->apart && c->values->apart[i / 64] >> i % 64 & 1;
}

static uint32_t value_in_memory(const struct race_chunk *c, uint64_t i, const uint8_t *memory) {
    uint32_t value = 0;
    memcpy(&value, memory + (i << c->unit_shift), (size_t)1 << c->unit_shift);
    return value;
}

struct shadow_word chunk_shadow(const struct race_chunk *c, uint64_t i, const uint8_t *memory) {
    struct shadow_word word = {.write = chunk_record(c, i, SHADOW_WRITE),
                               .strong = chunk_record(c, i, SHADOW_STRONG),
                               .reads = {chunk_record(c, i, SHADOW_READ), chunk_record(c, i, SHADOW_READ_TOO)}};
    /* Values of extents are never requested: code that compares values has expanded the chunk. A value that is not
     * apart is in memory, because a plain store that the fast path has recorded is made before the chunk is
     * unlocked. */
    if (!memory || !c->expanded || !word.write.launch)
        return word;
    bool apart = is_apart(c, i);
    word.value_known = !apart || c->values->known[i / 64] >> i % 64 & 1;
    word.value = apart ? c->values->values[i] : value_in_memory(c, i, memory);
    return word;
}

void chunk_set_shadow(struct race_chunk *c, uint64_t i, const struct shadow_word *word, uint32_t floor) {
    /* Before the first change: an unlocked reader must not find a word read-shared that has a write. */
    chunk_clear_read_shared(c);
    chunk_set_record(c, i, SHADOW_WRITE, word->write, floor);
    chunk_set_record(c, i, SHADOW_STRONG, word->strong, floor);
    chunk_set_record(c, i, SHADOW_READ, word->reads[0], floor);
    chunk_set_record(c, i, SHADOW_READ_TOO, word->reads[1], floor);
    if (word->write.launch)
        chunk_value_apart(c, i, word->value_known, word->value);
}

/* ---- values ---- */

void chunk_values_in_memory(struct race_chunk *c, uint64_t i, uint64_t n) {
    for (uint64_t end = i + n; c->apart && i < end; i++)
        c->values->apart[i / 64] &= ~((uint64_t)1 << i % 64);
}

void chunk_value_apart(struct race_chunk *c, uint64_t i, bool known, uint32_t value) {
    const struct full_record none = {0};
    uint64_t bit = (uint64_t)1 << i % 64;
    if (!c->values && !(c->values = shadow_pool_take(values_bytes(c->unit_shift)))) {
        /* A write whose value is not kept would race with one that writes the same: rather no record at all. */
        chunk_set_record(c, i, SHADOW_WRITE, none, 0);
        return;
    }
    c->apart = true;
    c->values->apart[i / 64] |= bit;
    c->values->known[i / 64] = known ? c->values->known[i / 64] | bit : c->values->known[i / 64] & ~bit;
    c->values->values[i] = value;
}

void chunk_take_values(struct race_chunk *c, const struct chunk_visitor *v) {
    chunk_propagate_log(c);
    if (c->newest <= v->floor || !(c->expanded ? c->arrays[SHADOW_WRITE] != NULL : c->write_count) ||
        !chunk_expand(c, 2))
        return;
    /* Only where a write is recorded that some access to come can race with: the values of others are never needed. */
    for (uint64_t i = 0; i < chunk_words(c); i++)
        if (chunk_record(c, i, SHADOW_WRITE).launch > v->floor && !is_apart(c, i))
            chunk_value_apart(c, i, true, value_in_memory(c, i, v->memory));
}

/* ---- the log ---- */

bool chunk_log_grows(struct race_chunk *c) {
    size_t room = c->log_room ? 2 * (size_t)c->log_room : FIRST_ROOM;
    struct extent *log = room <= MOST_LOGGED ? shadow_pool_take(room * sizeof *log) : NULL;
    if (!log)
        return false;
    if (c->log)
        memcpy(log, c->log, c->logged * sizeof *log);
    shadow_pool_give(c->log, c->log_room * sizeof *log);
    c->log = log;
    c->log_room = (uint16_t)room;
    return true;
}

/* ---- chunks ---- */

static void drop_words(struct race_chunk *c) {
    for (enum shadow_slot k = 0; k < SHADOW_SLOTS; k++) {
        shadow_pool_give(c->arrays[k], c->arrays[k] ? array_bytes(c->unit_shift) : 0);
        c->arrays[k] = NULL;
    }
    shadow_pool_give(c->values, c->values ? values_bytes(c->unit_shift) : 0);
    c->values = NULL;
    c->apart = false;
}

void chunk_drop(struct race_chunk *c) {
    drop_words(c);
    shadow_pool_give(c->visits, c->visit_room * sizeof *c->visits);
    shadow_pool_give(c->log, c->log_room * sizeof *c->log);
    c->visits = NULL;
    c->log = NULL;
    c->visit_room = c->log_room = c->logged = 0;
}

/* Shadow words without any record. Their memory is kept from the last time: a chunk that needed it once will need it
 * again. */
static bool make_words(struct race_chunk *c, unsigned unit_shift) {
    if (c->unit_shift != unit_shift)
        drop_words(c);
    c->unit_shift = (uint8_t)unit_shift;
    for (enum shadow_slot k = 0; k < SHADOW_SLOTS; k++)
        if (c->arrays[k])
            memset(chunk_numbers(c, k), 0, chunk_words(c) * sizeof(uint16_t));
    if (c->apart)
        memset(c->values->apart, 0, sizeof c->values->apart);
    c->apart = false;
    c->visit_count = 1;
    __atomic_store_n(&c->expanded, true, __ATOMIC_RELAXED);
    return c->visits || make_visit_room(c, 0);
}

/* Changes to a shadow word for each byte. Each byte takes over the records of its word. */
static bool split_words(struct race_chunk *c) {
    struct race_chunk words = *c;
    c->unit_shift = 0;
    c->parts = true;
    /* The local copy `words` keeps the old arrays, from which those of the bytes are filled. */
    c->values = NULL;
    c->apart = false;
    memset(c->arrays, 0, sizeof c->arrays);
    bool good = true;
    for (enum shadow_slot k = 0; k < SHADOW_SLOTS; k++) {
        good &= !words.arrays[k] || chunk_need_array(c, k);
        for (uint64_t i = 0; good && words.arrays[k] && i < CHUNK_BYTES; i++) {
            c->arrays[k][i] = words.arrays[k][i / 4];
            chunk_numbers(c, k)[i] = chunk_numbers(&words, k)[i / 4];
        }
    }
    for (uint64_t i = 0; good && i < CHUNK_BYTES; i++)
        if (is_apart(&words, i / 4))
            /* Byte i % 4 of the word's value; known[] has 64 words in each element, which are 256 bytes. */
            chunk_value_apart(c, i, words.values->known[i / 256] >> i / 4 % 64 & 1,
                              words.values->values[i / 4] >> 8 * (i % 4) & 0xff);
    drop_words(&words);
    return good;
}

/* Back to a chunk without records. */
static void forget_records(struct race_chunk *c) {
    enum { TRY_AGAIN = MOST_EXPANSIONS + 2 }; /* another kernel may access it in another way */
    /* Expanding a chunk costs more than keeping it expanded: a chunk that was expanded MOST_EXPANSIONS times is
     * accessed without a pattern, and stays so. After a few more launches, which are counted in `expansions`, extents
     * are tried again. */
    bool stays = c->expanded && c->expansions >= MOST_EXPANSIONS && c->unit_shift == 2;
    if (stays && c->expansions++ == TRY_AGAIN) {
        c->expansions = MOST_EXPANSIONS - 1;
        stays = false;
    }
    c->write_count = c->read_count = 0;
    c->parts = false;
    c->logged = 0;
    if (stays && make_words(c, 2))
        return;
    __atomic_store_n(&c->expanded, false, __ATOMIC_RELAXED);
}

static bool expand_records(struct race_chunk *c, const struct extent *e, enum shadow_slot slot) {
    uint32_t n = chunk_need_array(c, slot) ? chunk_visit(c, &e->record, 0) : 0;
    for (uint64_t i = e->first >> c->unit_shift; n && i <= (uint64_t)e->last >> c->unit_shift; i++) {
        /* Thread and lane of the element to which the word's first byte belongs: (byte >> shift) threads after byte
         * 0's. */
        c->arrays[slot][i] = e->record.record.packed + (uint32_t)(i << c->unit_shift >> e->shift);
        chunk_numbers(c, slot)[i] = (uint16_t)n;
    }
    return n;
}

bool chunk_expand(struct race_chunk *c, unsigned unit_shift) {
    chunk_assert_locked(c);
    if (c->expanded)
        return unit_shift >= c->unit_shift || split_words(c);
    c->parts |= !unit_shift;
    bool good = make_words(c, chunk_unit_shift(c));
    c->expansions += c->expansions < MOST_EXPANSIONS;
    for (unsigned i = 0; good && i < c->write_count; i++)
        good = expand_records(c, &c->writes[i], SHADOW_WRITE);
    for (unsigned i = 0; good && i < c->read_count; i++)
        good = expand_records(c, &c->reads[i], SHADOW_READ);
    /* Half of the records would be worse than none: a write without the reads after it. */
    if (!good)
        forget_records(c);
    return good;
}

static _Thread_local struct kept_chunks *kept; /* by this host thread; NULL: none */

void chunks_keep(struct kept_chunks *k) {
    kept = k;
}

void chunks_let_go(struct kept_chunks *k) {
    if (!k->which)
        return;
    for (uint32_t rest = k->which; rest; rest &= rest - 1)
        chunk_close(&k->chunks[k->number[__builtin_ctz(rest)]]);
    k->which = 0;
    kept = NULL;
}

/* The processor's hint for a loop that waits: it leaves the core to the other hardware thread. */
static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void chunk_lock(struct race_chunk *c) {
    /* Exponential backoff: of n threads that see the lock free at once, one gets it, and the others' attempts only
     * delay its next unlock. */
    for (unsigned turns = 1; !chunk_try_lock(c); turns *= 2) {
        if (kept) /* it may be among these, or be held by a thread that waits for these */
            chunks_let_go(kept);
        for (unsigned i = 0; i < turns; i++)
            relax();
        /* The holder may have been descheduled: there may be more host threads than processors. */
        if (turns > 64) {
            sched_yield();
            turns = 32;
        }
    }
}

void chunk_forget(struct race_chunk *c, const struct chunk_visitor *v) {
    chunk_assert_locked(c);
    if (c->newest && c->newest <= v->floor)
        forget_records(c);
}

void chunk_enter(struct race_chunk *c, const struct chunk_visitor *v) {
    chunk_lock(c);
    chunk_forget(c, v);
    chunk_note_launch(c, v->launch, v->write);
}

bool chunk_open(struct race_chunk *c, unsigned unit_shift, const struct chunk_visitor *v) {
    chunk_enter(c, v);
    chunk_propagate_log(c);
    if (chunk_expand(c, unit_shift))
        return true;
    chunk_close(c);
    return false;
}

/* read-shared words */

void chunk_set_read_shared(struct race_chunk *c, uint32_t launch, uint32_t block, uint64_t i, uint64_t words) {
    /* Unlocked readers trust the bits if they see this launch before and after (probed_is_read_shared). So for another
     * launch: first no launch, then the bits cleared, then the bound of blocks, and the launch last. */
    if (atomic_load_explicit(&c->read_shared_launch, memory_order_relaxed) != launch) {
        chunk_clear_read_shared(c);
        for (size_t k = 0; k < sizeof c->read_shared / sizeof *c->read_shared; k++)
            atomic_store_explicit(&c->read_shared[k], 0, memory_order_release);
        atomic_store_explicit(&c->read_shared_block, block, memory_order_release);
        atomic_store_explicit(&c->read_shared_launch, launch, memory_order_release);
    }
    /* The bound before the bits, too: a reader that sees a bit also sees that its block must be later than these
     * two. */
    if (block > atomic_load_explicit(&c->read_shared_block, memory_order_relaxed))
        atomic_store_explicit(&c->read_shared_block, block, memory_order_release);
    uint64_t set = atomic_load_explicit(&c->read_shared[i / 64], memory_order_relaxed) | words << i % 64;
    atomic_store_explicit(&c->read_shared[i / 64], set, memory_order_release);
}
