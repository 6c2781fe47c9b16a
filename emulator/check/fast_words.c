/* For a row of 16 shadow words, happens-before is decided once for each visit that left records there, not for each
 * word: epoch_scope() depends on nothing but the visit. The records are those that race_with_word() would leave. */
#include "check/fast_words.h"

#include "check/fast_path.h"
#include "machine/simd.h"

/* An access to shadow words [i, i + 16): to those whose bit in `on` is set. */
struct row {
    struct race_chunk *chunk;
    uint64_t i;
    uint32_t on;
    shadow_row packed;
};

/* the records of a row */

typedef uint16_t row_numbers __attribute__((vector_size(32), aligned(2), may_alias));
typedef int16_t row_holds __attribute__((vector_size(32), may_alias));
static const shadow_row count = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const row_numbers count_numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

SIMD_COMPARISON(equal_numbers, row_numbers, uint16_t, ==)
static inline uint32_t which_number(const uint16_t *numbers, uint16_t n) {
    row_numbers equal = equal_numbers(*(const row_numbers *)(const void *)numbers, n - (row_numbers){0});
    return simd_bits32(__builtin_convertvector((row_holds)equal, simd_i32));
}

static inline uint32_t which_warp(const uint32_t *packed, shadow_row now) {
    return row_where_zero((ROW_AT(packed, 0) ^ now) & WARP_BITS);
}

static inline uint32_t which_copy(const uint32_t *packed) {
    return ROW_ALL & ~row_where_zero(ROW_AT(packed, 0) & RECORD_COPY);
}

/* Records of one kind in a row: bits of the shadow words whose record ... */
struct past {
    uint32_t none;    /* is none, or of a launch that happens before this access */
    uint32_t ordered; /* happens before this access, for this or another reason */
    uint32_t thread;  /* is by the accessing thread */
    uint32_t mine;    /* is by its block */
    uint32_t launch;  /* is by its launch */
};

/* Adds the records of one visit, which are those in `where`. */
static inline void note_visit(const struct fast_path *q, const struct visit *v, const uint32_t *packed, shadow_row now,
                              uint32_t where, struct past *p) {
    /* The launch happens before this one as a whole: as good as no record. */
    if (v->launch <= q->by.before) {
        p->none |= where;
        p->ordered |= where;
        return;
    }
    p->launch |= v->launch == q->by.record.launch ? where : 0;
    /* By another block, or another launch that runs at the same time: only the slow path can decide whether it is
     * ordered. */
    if (v->launch != q->by.record.launch || v->block != q->by.record.block)
        return;
    p->mine |= where;
    /* Program order, unless it is a cp.async: that may be unfinished, for the thread itself, too. */
    p->thread |= where & row_where_zero((ROW_AT(packed, 0) ^ now) & (THREAD_BITS | RECORD_COPY));
    enum epoch_scope scope = epoch_scope(&q->by, v->time);
    if (scope != EPOCH_NOBODY)
        p->ordered |= where & (scope == EPOCH_ALL ? ROW_ALL : which_warp(packed, now)) & ~which_copy(packed);
}

static inline struct past past_of(const struct fast_path *q, const struct row *r, enum shadow_slot slot) {
    const struct race_chunk *c = r->chunk;
    if (!c->arrays[slot])
        return (struct past){.none = ROW_ALL, .ordered = ROW_ALL};
    const uint16_t *numbers = chunk_numbers(c, slot) + r->i;
    const uint32_t *packed = c->arrays[slot] + r->i, none = which_number(numbers, 0);
    struct past p = {.none = none, .ordered = none};
    /* One iteration for each visit in the row, of which there are nearly always one or two: the first word not yet
     * classified has the number `n`, and all words with that number are classified with it. */
    for (uint32_t rest = r->on & ~none; rest;) {
        uint16_t n = numbers[__builtin_ctz(rest)];
        uint32_t where = rest & which_number(numbers, n);
        note_visit(q, &c->visits[n], packed, r->packed, where, &p);
        rest &= ~where;
    }
    return p;
}

static inline uint32_t safe(const struct fast_path *q, const struct past *p) {
    return q->alone ? p->ordered | p->thread : p->ordered;
}

/* updates */

static inline void put(uint32_t *array, uint32_t where, shadow_row new) {
    shadow_row old = ROW_AT(array, 0), bits = -(where >> count & 1);
    ROW_SET(array, 0) = (new &bits) | (old & ~bits);
}

static inline void put_number(uint16_t *numbers, uint32_t where, uint16_t n) {
    row_numbers *at = (row_numbers *)(void *)numbers, new = n - (row_numbers){0};
    row_numbers bits = -((uint16_t)where >> count_numbers & 1);
    *at = (new &bits) | (*at & ~bits);
}

/* Records the access in the words `where`. May renumber the chunk's visits. Out of memory, nothing is recorded. */
static inline void set_where(struct fast_path *q, const struct row *r, enum shadow_slot slot, uint32_t where) {
    struct race_chunk *c = r->chunk;
    if (!chunk_need_array(c, slot))
        return;
    /* chunk_visit() may renumber the visits, so no number may be held across this call: struct past holds masks. Out of
     * memory the number is 0, which is "no record". */
    if (!q->number)
        q->number = chunk_visit(c, &q->by.record, q->floor);
    put(c->arrays[slot] + r->i, where, r->packed);
    put_number(chunk_numbers(c, slot) + r->i, where, (uint16_t)q->number);
}

/* Marks words as read-shared by two blocks. */
static void set_read_shared(const struct fast_path *q, const struct row *r, uint64_t words, uint32_t one,
                            uint32_t other) {
    uint32_t launch = q->by.record.launch, block = one > other ? one : other;
    /* The bitmap has a bit for each word, not for each byte. And read-shared words are not examined again, so initcheck
     * must have nothing to report on them: all bytes have been written. */
    if (r->chunk->unit_shift != 2 || !q->written || !words)
        return;
    chunk_set_read_shared(r->chunk, launch, block, r->i, words);
    /* A row need not begin at a multiple of 16: it may straddle two words of the bitmap. */
    if (r->i % 64 + ROW_WORDS > 64 && words >> (64 - r->i % 64))
        chunk_set_read_shared(r->chunk, launch, block, (r->i / 64 + 1) * 64, words >> (64 - r->i % 64));
}

/* For words `rest`, whose two read records both stay: if both are by one block, the second is replaced, because
 * reads by two blocks find more races than two by one. Otherwise the words become read-shared, if no write is
 * recorded. */
static void read_again(struct fast_path *q, const struct row *r, uint32_t rest, uint32_t both_mine, uint32_t may_set) {
    const struct race_chunk *c = r->chunk;
    const uint16_t *one = chunk_numbers(c, SHADOW_READ) + r->i, *other = chunk_numbers(c, SHADOW_READ_TOO) + r->i;
    uint32_t replaced = rest & both_mine;
    /* As in past_of(), all words with the same pair of visits at once. */
    for (uint32_t left = rest & ~both_mine; left;) {
        unsigned at = (unsigned)__builtin_ctz(left);
        uint32_t where = left & which_number(one, one[at]) & which_number(other, other[at]);
        uint32_t first = c->visits[one[at]].block, second = c->visits[other[at]].block;
        if (first == second)
            replaced |= where;
        else
            set_read_shared(q, r, where & may_set, first, second);
        left &= ~where;
    }
    if (replaced)
        set_where(q, r, SHADOW_READ_TOO, replaced);
}

static bool read_any(struct fast_path *q, const struct row *r) {
    struct past write = past_of(q, r, SHADOW_WRITE), strong = past_of(q, r, SHADOW_STRONG);
    if (r->on & ~(safe(q, &write) & safe(q, &strong)))
        return false;
    uint32_t rest = r->on, both_mine = ROW_ALL;
    /* As race_remember_read() does for one word: the first of the two records that happens before this read, or is by
     * its thread, is replaced. `rest` are the words that have not found a slot yet. */
    for (enum shadow_slot k = SHADOW_READ; k <= SHADOW_READ_TOO && rest; k++) {
        struct past read = past_of(q, r, k);
        uint32_t taken = rest & (read.ordered | read.thread);
        if (taken)
            set_where(q, r, k, taken);
        rest &= ~taken;
        both_mine &= read.mine;
        /* only the slow path can decide happens-before between launches, and between blocks that something orders */
        if (rest && (q->partly || rest & ~read.launch))
            return false;
    }
    if (rest)
        read_again(q, r, rest, both_mine, write.none & strong.none);
    return true;
}

static inline bool is_empty(const struct row *r, enum shadow_slot slot) {
    uint64_t some[4];
    if (!r->chunk->arrays[slot])
        return true;
    memcpy(some, chunk_numbers(r->chunk, slot) + r->i, sizeof some);
    return !(some[0] | some[1] | some[2] | some[3]);
}

static inline shadow_row numbers_of(const struct row *r, enum shadow_slot slot) {
    const row_numbers *numbers = (const row_numbers *)(const void *)(chunk_numbers(r->chunk, slot) + r->i);
    return __builtin_convertvector(*numbers, shadow_row);
}

/* The usual case: words without a write record, read by the accessing block alone. Returns all other words. */
static inline uint32_t read_mine(struct fast_path *q, const struct row *r) {
    struct race_chunk *c = r->chunk;
    if (!is_empty(r, SHADOW_WRITE) || !is_empty(r, SHADOW_STRONG) || !chunk_need_array(c, SHADOW_READ) ||
        !chunk_need_array(c, SHADOW_READ_TOO))
        return r->on;
    /* Numbers are compared instead of epochs: a record by this visit has this access's epoch, so it is not ordered
     * before it, and its block is the same. ~0u equals no number of 16 bits. */
    if (!q->number)
        q->number = chunk_known_visit(c, &q->by.record);
    uint32_t number = q->number ? q->number : ~0u;
    shadow_row one = numbers_of(r, SHADOW_READ), other = numbers_of(r, SHADOW_READ_TOO);
    uint32_t mine = row_where_equal(one, number - (shadow_row){0}), none = row_where_zero(one);
    uint32_t thread = row_where_zero((ROW_AT(c->arrays[SHADOW_READ] + r->i, 0) ^ r->packed) & THREAD_BITS);
    uint32_t free = row_where_zero(other) | row_where_equal(other, number - (shadow_row){0});
    /* The first record is replaced where there is none, or where it is this thread's. Otherwise it is another
     * thread's, and the second one is replaced where there is none or it is of this visit, too: either the same
     * thread's, or two by one block, of which read_again() would replace the second. */
    uint32_t first = r->on & (none | (mine & thread)), second = r->on & mine & free & ~first;
    if (first)
        set_where(q, r, SHADOW_READ, first);
    if (second)
        set_where(q, r, SHADOW_READ_TOO, second);
    return r->on & ~(first | second);
}

static bool read_one(struct fast_path *q, const struct row *r, uint64_t i);

static inline bool read_row(struct fast_path *q, const struct row *r) {
    struct row rest = *r;
    rest.on = read_mine(q, r);
    if (rest.on & (rest.on - 1))
        return read_any(q, &rest);
    return !rest.on || read_one(q, &rest, r->i + (uint64_t)__builtin_ctz(rest.on));
}

static bool write_row(struct fast_path *q, const struct row *r) {
    uint32_t good = r->on;
    bool empty[SHADOW_SLOTS];
    for (enum shadow_slot k = SHADOW_WRITE; k < SHADOW_SLOTS; k++) {
        if ((empty[k] = is_empty(r, k)))
            continue;
        struct past p = past_of(q, r, k);
        good &= safe(q, &p);
    }
    if (good != r->on)
        return false;
    /* A plain write replaces all four records. The others are removed by their number alone, and slots that are empty
     * already are not written to: most rows have no strong writes, and their cache lines are not needed. */
    set_where(q, r, SHADOW_WRITE, r->on);
    for (enum shadow_slot k = SHADOW_STRONG; k < SHADOW_SLOTS; k++)
        if (!empty[k])
            put_number(chunk_numbers(r->chunk, k) + r->i, r->on, 0);
    return true;
}

/* ---- a single shadow word ---- */

static inline bool is_thread(const struct fast_path *q, const struct full_record *m, uint32_t packed) {
    return epoch_is_own_block(&q->by, m) && epoch_same_thread(m->record.packed, packed) &&
           !(m->record.packed & RECORD_COPY);
}

static inline struct full_record record_at(const struct race_chunk *c, uint64_t i, enum shadow_slot slot) {
    unsigned n = c->arrays[slot] ? chunk_numbers(c, slot)[i] : 0;
    if (!n)
        return (struct full_record){0};
    const struct visit *v = &c->visits[n];
    return (struct full_record){v->launch, v->block, {v->time, c->arrays[slot][i]}};
}

/* As race_remember_read(). False: the slow path must decide. */
static bool remember(struct fast_path *q, const struct row *r, uint64_t i, uint32_t packed, bool no_write) {
    struct full_record reads[2];
    for (int k = 0; k < 2; k++) {
        reads[k] = record_at(r->chunk, i, SHADOW_READ + k);
        if (epoch_happens_before(&q->by, &reads[k], packed) || is_thread(q, &reads[k], packed)) {
            fast_set_at(q, r->chunk, i, SHADOW_READ + k, packed);
            return true;
        }
        if (epoch_must_ask(&q->by, &reads[k], q->partly))
            return false;
    }
    if (reads[0].block == reads[1].block)
        fast_set_at(q, r->chunk, i, SHADOW_READ_TOO, packed);
    else if (no_write)
        set_read_shared(q, r, (uint64_t)1 << (i - r->i), reads[0].block, reads[1].block);
    return true;
}

/* Several lanes read one word: the same records as if they had read it one after the other. */
static bool remember_all(struct fast_path *q, const struct row *r, uint64_t i, bool no_write) {
    uint32_t warp = q->by.record.record.packed;
    uint32_t first = warp + (uint32_t)__builtin_ctz(q->lanes), last = warp + 31u - (uint32_t)__builtin_clz(q->lanes);
    /* Both slots are free: the first lane takes one, the second lane the other, and each further lane replaces the
     * second, since both are by one block. The first and the last remain. */
    if (record_at(r->chunk, i, SHADOW_READ).launch <= q->by.before &&
        record_at(r->chunk, i, SHADOW_READ_TOO).launch <= q->by.before) {
        fast_set_at(q, r->chunk, i, SHADOW_READ, first);
        fast_set_at(q, r->chunk, i, SHADOW_READ_TOO, last);
        return true;
    }
    /* Otherwise: the first lane; then those that have a record there already, and renew it; then the last, which
     * replaces what the lanes between would have left. */
    if (!remember(q, r, i, first, no_write))
        return false;
    for (enum shadow_slot k = SHADOW_READ; k <= SHADOW_READ_TOO; k++) {
        struct full_record old = record_at(r->chunk, i, k);
        uint32_t lane = old.record.packed & RECORD_LANE;
        if (q->lanes >> lane & 1 && is_thread(q, &old, warp + lane) && !epoch_happens_before(&q->by, &old, warp + lane))
            fast_set_at(q, r->chunk, i, k, warp + lane);
    }
    return remember(q, r, i, last, no_write);
}

static bool read_one(struct fast_path *q, const struct row *r, uint64_t i) {
    uint32_t packed = r->packed[i - r->i];
    bool no_write = true;
    for (enum shadow_slot k = SHADOW_WRITE; k <= SHADOW_STRONG; k++) {
        struct full_record m = record_at(r->chunk, i, k);
        no_write &= m.launch <= q->by.before;
        /* Where several lanes read the word (not alone), a write by one of them is no excuse for the others. */
        if (!epoch_happens_before(&q->by, &m, packed) && !(q->alone && is_thread(q, &m, packed)))
            return false;
    }
    return q->alone ? remember(q, r, i, packed, no_write) : remember_all(q, r, i, no_write);
}

static bool read_one_by_one(struct fast_path *q, const struct row *r) {
    for (uint32_t rest = r->on; rest; rest &= rest - 1)
        if (!read_one(q, r, r->i + (uint64_t)__builtin_ctz(rest)))
            return false;
    return true;
}

static bool write_one(struct fast_path *q, const struct row *r) {
    uint32_t packed = r->packed[0];
    for (enum shadow_slot k = SHADOW_WRITE; k < SHADOW_SLOTS; k++) {
        struct full_record m = record_at(r->chunk, r->i, k);
        if (!epoch_happens_before(&q->by, &m, packed) && !is_thread(q, &m, packed))
            return false;
    }
    fast_set_at(q, r->chunk, r->i, SHADOW_WRITE, packed);
    for (enum shadow_slot k = SHADOW_STRONG; k < SHADOW_SLOTS; k++)
        if (r->chunk->arrays[k])
            chunk_numbers(r->chunk, k)[r->i] = 0;
    return true;
}

static inline bool row_is_fast(struct fast_path *q, const struct row *r) {
    if (q->write)
        return r->on == 1 && q->alone ? write_one(q, r) : write_row(q, r);
    return q->alone && r->on != 1 ? read_row(q, r) : read_one_by_one(q, r);
}

bool fast_words_access(struct fast_path *q, struct race_chunk *c, uint64_t i, uint64_t n, uint64_t begin,
                       uint32_t lane) {
    uint32_t packed = q->by.record.record.packed + lane;
    chunk_assert_locked(c);
    for (uint64_t k = 0; k < n; k += ROW_WORDS) {
        /* The last row may be shorter; arrays are longer by a row, so that it can be read in whole. */
        uint32_t on = n - k < ROW_WORDS ? ROW_ALL >> (ROW_WORDS - (n - k)) : ROW_ALL;
        struct row r = {c, i + k, on, packed + ((count + (uint32_t)(begin + k)) >> q->shift)};
        if (!row_is_fast(q, &r))
            return false;
    }
    return true;
}

/* propagating the log */

void chunk_propagate_log(struct race_chunk *c) {
    uint32_t logged = c->logged;
    chunk_assert_locked(c);
    c->logged = 0;
    if (!logged || !chunk_expand(c, 2))
        return;
    for (const struct extent *e = c->log; e < c->log + logged; e++) {
        /* The clock that these reads had: chunk_log() took only reads that all other launches happen before, and
         * epoch_is_fresh() only those at the time of the last barrier, by warps that nothing has ordered since. */
        uint32_t base = e->record.record.time;
        struct fast_path q = {.by = {e->record, e->record.launch - 1, base, base}, .alone = true, .written = true};
        q.shift = e->shift - c->unit_shift;
        /* The extent's record is extrapolated to byte 0 of the chunk, so its first element is that many lanes
         * further. */
        fast_words_access(&q, c, e->first >> c->unit_shift, (e->last + 1u - e->first) >> c->unit_shift, 0,
                          e->first >> e->shift);
    }
}
