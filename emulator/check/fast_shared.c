/* The fast path of the checks for shared and local memory. A block's shadow words are used by its worker alone.
 * Read-shared marks are valid until any marked word is written, or a barrier of the whole block opens:
 * read_shared.base. A write conflicts with one of two reads by two warps, and so takes the slow path, which forgets the
 * marks (race_shared.c). */
#include "check/epoch.h"
#include "check/fast_path.h"
#include "check/watch_parts.h"
#include "check/follow.h"
#include "check/probed_shared.h"
#include "machine/simd.h"

struct shared_path {
    struct block_watch *b;
    struct access_epoch by;
    struct access_record record; /* of lane 0, as in `by` */
    uint32_t bytes;              /* of a lane */
    bool write;
    uint32_t shift;  /* a lane has 1 << shift shadow words */
    uint32_t thread; /* Bits of `packed` that differ between threads; all ones if several lanes access one word */
};

/* ---- one shadow word ---- */

/* The record happens before this access, or was made by the same thread, which accesses the word alone. */
static inline bool is_safe(const struct shared_path *q, struct access_record old, uint32_t packed) {
    return epoch_in_block(&q->by, old, packed) || !((old.packed ^ packed) & q->thread);
}

static inline bool happens_before_all(const struct shared_path *q, uint64_t i, enum shadow_slot slot) {
    return shadow_times(&q->b->shadow, slot)[i] < q->by.base;
}

/* Marks words as read-shared by two warps: reads by warps with larger numbers change nothing there. */
static inline void set_read_shared(const struct shared_path *q, uint64_t i, uint64_t words, uint32_t one,
                                   uint32_t other) {
    struct read_shared *s = &q->b->read_shared;
    uint32_t warp = one > other ? one : other;
    /* Read-shared is true until the next barrier of the whole block; the first word after that clears the map. */
    if (s->base != q->by.base) {
        memset(s->words, 0, q->b->shadow.size / 8 + 8);
        s->base = q->by.base;
        s->warp = 0;
    }
    /* One bound for all words: it makes the condition stricter than it need be, never weaker. */
    s->warp = warp > s->warp ? warp : s->warp;
    s->words[i / 64] |= words << i % 64;
    /* A row of 16 words that begins after bit 48 straddles two words of the map. */
    if (i % 64 > 48)
        s->words[i / 64 + 1] |= words >> (64 - i % 64);
}

static inline bool is_read_shared(const struct shared_path *q, uint64_t i, uint64_t end) {
    const struct read_shared *s = &q->b->read_shared;
    /* Only later warps are sure to change nothing: the two recorded reads are by warps up to s->warp, so neither is by
     * this one. Where more than barriers orders warps, a recorded read may happen before this one, and would be
     * replaced. */
    if (s->base != q->by.base || RECORD_WARP(q->record.packed) <= s->warp || q->b->order.partly)
        return false;
    while (i < end) {
        uint64_t n = end - i < 64 - i % 64 ? end - i : 64 - i % 64, wanted = ~(uint64_t)0 >> (64 - n) << i % 64;
        if ((s->words[i / 64] & wanted) != wanted)
            return false;
        i += n;
    }
    return true;
}

/* As race_remember_read(). False: the slow path must decide, because more than barriers orders the warps. */
static bool remember(const struct shared_path *q, uint64_t i, struct access_record new) {
    const struct shadow_arrays *c = &q->b->shadow;
    struct access_record reads[2];
    for (int k = 0; k < 2; k++) {
        reads[k] = shadow_record(c, i, SHADOW_READ + k);
        if (epoch_in_block(&q->by, reads[k], new.packed) || epoch_same_thread(reads[k].packed, new.packed)) {
            shadow_set_record(c, i, SHADOW_READ + k, new);
            return true;
        }
        if (q->b->order.partly)
            return false;
    }
    /* Two reads by one warp: the second is replaced, since reads by two warps find more races. Two warps have read
     * it: with no write since the last barrier, reads by further warps change nothing from now on. */
    if (epoch_same_warp(reads[0].packed, reads[1].packed))
        shadow_set_record(c, i, SHADOW_READ_TOO, new);
    else if (happens_before_all(q, i, SHADOW_WRITE) && happens_before_all(q, i, SHADOW_STRONG))
        set_read_shared(q, i, 1, RECORD_WARP(reads[0].packed), RECORD_WARP(reads[1].packed));
    return true;
}

/* Several lanes read one word: the same records as if they had read it one after the other. */
static bool remember_all(const struct shared_path *q, uint64_t i, uint32_t lanes) {
    const struct shadow_arrays *c = &q->b->shadow;
    struct access_record new = q->record;
    struct access_record reads[] = {shadow_record(c, i, SHADOW_READ), shadow_record(c, i, SHADOW_READ_TOO)};
    uint32_t first = (uint32_t)__builtin_ctz(lanes), last = 31u - (uint32_t)__builtin_clz(lanes);
    new.packed += first;
    /* As in fast_words.c: the first lane and the last remain, or, where a slot is taken, the first, renewed records,
     * the last. */
    if (epoch_in_block(&q->by, reads[0], new.packed) && epoch_in_block(&q->by, reads[1], new.packed)) {
        shadow_set_record(c, i, SHADOW_READ, new);
        new.packed = q->record.packed + last;
        shadow_set_record(c, i, SHADOW_READ_TOO, new);
        return true;
    }
    if (!remember(q, i, new))
        return false;
    for (enum shadow_slot k = SHADOW_READ; k <= SHADOW_READ_TOO; k++) {
        struct access_record old = shadow_record(c, i, k);
        if (!epoch_in_block(&q->by, old, new.packed) && epoch_same_warp(old.packed, new.packed) &&
            lanes >> (old.packed & RECORD_LANE) & 1)
            shadow_set_record(c, i, k, (struct access_record){new.time, q->record.packed + (old.packed & RECORD_LANE)});
    }
    new.packed = q->record.packed + last;
    return remember(q, i, new);
}

static bool read_word(const struct shared_path *q, uint64_t i, struct access_record new, uint32_t lanes) {
    const struct shadow_arrays *c = &q->b->shadow;
    struct access_record write = shadow_record(c, i, SHADOW_WRITE);
    /* Data of a cp.async is valid only after a wait, however old the record is: the slow path checks for that. */
    if (write.packed & RECORD_COPY || !is_safe(q, write, new.packed) ||
        !is_safe(q, shadow_record(c, i, SHADOW_STRONG), new.packed))
        return false;
    return lanes & (lanes - 1) ? remember_all(q, i, lanes) : remember(q, i, new);
}

static bool write_word(const struct shared_path *q, uint64_t i, struct access_record new) {
    const struct shadow_arrays *c = &q->b->shadow;
    if (shadow_packed(c, SHADOW_WRITE)[i] & RECORD_COPY)
        return false;
    for (enum shadow_slot k = SHADOW_WRITE; k < SHADOW_SLOTS; k++)
        if (!is_safe(q, shadow_record(c, i, k), new.packed))
            return false;
    shadow_set_record(c, i, SHADOW_WRITE, new);
    /* Time 0: no record. */
    for (enum shadow_slot k = SHADOW_STRONG; k < SHADOW_SLOTS; k++)
        shadow_times(c, k)[i] = 0;
    return true;
}

/* rows of 16 shadow words, if they can be handled alike */

static inline uint32_t which_before(const struct shared_path *q, uint64_t i, enum shadow_slot slot, uint32_t time) {
    return row_where_less(ROW_AT(shadow_times(&q->b->shadow, slot), i), time - (shadow_row){0});
}

static inline uint32_t which_equal(const struct shared_path *q, uint64_t i, enum shadow_slot slot, shadow_row packed,
                                   uint32_t bits) {
    return row_where_zero((ROW_AT(shadow_packed(&q->b->shadow, slot), i) ^ packed) & bits);
}

/* epoch_in_block() of each word. */
static inline uint32_t which_happen_before(const struct shared_path *q, uint64_t i, enum shadow_slot slot,
                                           shadow_row packed) {
    uint32_t ordered = which_before(q, i, slot, q->by.base);
    /* The second comparison is needed only where the warp has synchronized since the last barrier of the block. */
    if (ordered == ROW_ALL || q->by.synced <= q->by.base)
        return ordered;
    return ordered | (which_before(q, i, slot, q->by.synced) & which_equal(q, i, slot, packed, WARP_BITS));
}

static inline uint32_t which_are_safe(const struct shared_path *q, uint64_t i, enum shadow_slot slot,
                                      shadow_row packed) {
    uint32_t ordered = which_happen_before(q, i, slot, packed);
    return ordered == ROW_ALL ? ordered : ordered | which_equal(q, i, slot, packed, q->thread);
}

static inline void set_records(const struct shared_path *q, uint64_t i, enum shadow_slot slot, shadow_row packed) {
    static const shadow_row none;
    ROW_SET(shadow_times(&q->b->shadow, slot), i) = none + q->record.time;
    ROW_SET(shadow_packed(&q->b->shadow, slot), i) = packed;
}

static inline bool any_copies(const struct shared_path *q, uint64_t i) {
    return row_where_zero(ROW_AT(shadow_packed(&q->b->shadow, SHADOW_WRITE), i) & RECORD_COPY) != ROW_ALL;
}

/* False: the words must be handled one by one. */
static bool read_row(const struct shared_path *q, uint64_t i, shadow_row packed) {
    if ((which_are_safe(q, i, SHADOW_WRITE, packed) & which_are_safe(q, i, SHADOW_STRONG, packed)) != ROW_ALL ||
        any_copies(q, i))
        return false;
    for (enum shadow_slot k = SHADOW_READ; k <= SHADOW_READ_TOO; k++) {
        /* All 16 words must take the record in the same slot. If only some would, they cannot be handled as a row, but
         * only one by one. */
        uint32_t taken = which_happen_before(q, i, k, packed);
        taken |= taken == ROW_ALL ? 0 : which_equal(q, i, k, packed, THREAD_BITS);
        if (taken == ROW_ALL)
            set_records(q, i, k, packed);
        if (taken)
            return taken == ROW_ALL;
        if (q->b->order.partly)
            return false;
    }
    const uint32_t *one = shadow_packed(&q->b->shadow, SHADOW_READ),
                   *other = shadow_packed(&q->b->shadow, SHADOW_READ_TOO);
    /* Both records stay in all words: as remember(), with all words alike again. */
    uint32_t one_warp = which_equal(q, i, SHADOW_READ, ROW_AT(other, i), WARP_BITS);
    if (one_warp == ROW_ALL)
        set_records(q, i, SHADOW_READ_TOO, packed);
    if (one_warp)
        return one_warp == ROW_ALL;
    if ((which_before(q, i, SHADOW_WRITE, q->by.base) & which_before(q, i, SHADOW_STRONG, q->by.base)) == ROW_ALL &&
        which_equal(q, i, SHADOW_READ, (shadow_row){0} + one[i], WARP_BITS) == ROW_ALL &&
        which_equal(q, i, SHADOW_READ_TOO, (shadow_row){0} + other[i], WARP_BITS) == ROW_ALL)
        set_read_shared(q, i, ROW_ALL, RECORD_WARP(one[i]), RECORD_WARP(other[i]));
    return true;
}

static bool write_row(const struct shared_path *q, uint64_t i, shadow_row packed) {
    static const shadow_row none;
    uint32_t good = ROW_ALL, ordered = ROW_ALL;
    /* `good`: may this write be recorded without a race? `ordered`: are all records older than the last barrier? Then
     * they may stay, because every later access is ordered with them as well; clearing them would cost three stores
     * more. */
    for (enum shadow_slot k = SHADOW_WRITE; k < SHADOW_SLOTS; k++) {
        good &= which_are_safe(q, i, k, packed);
        ordered &= which_before(q, i, k, q->by.base);
    }
    if (good != ROW_ALL || any_copies(q, i))
        return false;
    set_records(q, i, SHADOW_WRITE, packed);
    for (enum shadow_slot k = SHADOW_STRONG; ordered != ROW_ALL && k < SHADOW_SLOTS;
         k++) /* records that happen before may stay */
        ROW_SET(shadow_times(&q->b->shadow, k), i) = none;
    return true;
}

/* ---- spans ---- */

static bool words_one_by_one(const struct shared_path *q, const struct span *s, uint64_t word, uint64_t i,
                             uint64_t end) {
    bool alone = span_is_exclusive(s, q->bytes);
    for (; i < end; i++) {
        struct access_record new = {q->record.time, q->record.packed + s->lane + (uint32_t)(i >> q->shift)};
        if (!(q->write ? write_word(q, word + i, new) : read_word(q, word + i, new, alone ? 1 : s->lanes)))
            return false;
    }
    return true;
}

/* False at the first word that needs the slow path, which then handles all of them again. */
static bool span_is_fast(const struct shared_path *q, const struct span *s) {
    unsigned unit = q->b->launch->unit_shift;
    uint64_t word = (s->at & 0xffffffffu) >> unit, n = s->bytes >> unit, i = 0;
    struct access_record first = {q->record.time, q->record.packed + s->lane};
    if (!q->write && is_read_shared(q, word, word + n))
        return true;
    /* Rows of 16 as long as each word is accessed by a single lane. Where several lanes read one word there are few
     * words. */
    for (; i + ROW_WORDS <= n && span_is_exclusive(s, q->bytes); i += ROW_WORDS) {
        shadow_row packed = row_packed(first, i, q->shift);
        bool fast = q->write ? write_row(q, word + i, packed) : read_row(q, word + i, packed);
        if (!fast && !words_one_by_one(q, s, word, i, i + ROW_WORDS))
            return false;
    }
    return words_one_by_one(q, s, word, i, n);
}

static void set_bits(uint64_t *bits, uint64_t at, uint64_t bytes) {
    for (uint64_t end = at + bytes; at < end;) {
        uint64_t place = at % 64, n = end - at < 64 - place ? end - at : 64 - place;
        bits[at / 64] |= ~(uint64_t)0 >> (64 - n) << place;
        at += n;
    }
}

/* Marks the bytes of a span as written by a store; for a load: have all of them been written? */
static bool written_is_fast(const struct block_watch *b, uint32_t at, uint32_t bytes, bool write) {
    if (!b->init.shared_written)
        return true;
    if (!write)
        return probed_bits(b->init.shared_written, at, bytes);
    set_bits(b->init.shared_written, at, bytes);
    return true;
}

static inline struct shared_path shared_path_of(struct block_watch *b, struct access_record record, uint32_t bytes,
                                                bool write) {
    return (struct shared_path){.b = b,
                                .by = epoch_of(b, record),
                                .record = record,
                                .bytes = bytes,
                                .write = write,
                                .shift = (unsigned)__builtin_ctz(bytes) - b->launch->unit_shift};
}

void fast_shared_read(struct block_watch *b, struct access_record record, const struct span *s, uint32_t bytes) {
    struct shared_path q = shared_path_of(b, record, bytes, false);
    uint64_t word = (s->at & 0xffffffffu) >> b->launch->unit_shift, words = bytes >> b->launch->unit_shift;
    bool exclusive = span_is_exclusive(s, bytes);
    q.thread = exclusive ? THREAD_BITS : ~0u;
    if (span_is_fast(&q, s))
        return;
    /* Only race_remember_read() for each lane and word: a logged read conflicts with nothing. Where all lanes read
     * one element, each of them has read the same words (skip 0). */
    for (uint32_t rest = s->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), skip = exclusive ? (lane - s->lane) * (uint32_t)words : 0;
        for (uint64_t i = 0; i < words; i++)
            race_shared_read(b, word + skip + i, (struct access_record){record.time, record.packed + lane});
    }
}

/* The lanes left to the slow path. A span whose address is no multiple of `align` is. */
static inline __attribute__((always_inline)) uint32_t left_by_fast_path(struct block_watch *b,
                                                                        const struct lane_access *la,
                                                                        const struct span *spans, unsigned count,
                                                                        uint32_t align) {
    const struct launch *l = la->warp->launch;
    unsigned unit = b->launch->unit_shift;
    uint32_t left = 0;
    if (la->bytes >> unit == 0 || !fast_path_can(b, la))
        return la->warp->mask;
    struct shared_path q = shared_path_of(b, lane_access_record(b, la), la->bytes, la->write);
    /* Logged reads must be among the records before any record is examined. And a write closes the log until the next
     * barrier. */
    read_log_propagate(b);
    if (la->write)
        read_log_shut(b, la->probe->record & RECORD_COPY);
    for (const struct span *s = spans; s < spans + count; s++) {
        uint64_t at = s->at & 0xffffffffu;
        bool inside = !(at & (align - 1)) && at + s->bytes <= l->shared_bytes && at >= l->kernel->reserved_shared;
        q.thread = span_is_exclusive(s, la->bytes) ? THREAD_BITS : ~0u;
        /* As in global memory, from the first span that is left on all are left. */
        bool fast = !left && inside && (!b->shadow.arrays || span_is_fast(&q, s)) &&
                    written_is_fast(b, (uint32_t)at, s->bytes, la->write);
        left |= fast ? 0 : s->lanes;
    }
    return left;
}

/* Lanes whose address has left the shared variable that it was computed from. */
static void report_outside(const struct lane_access *la) {
    const struct ptx_variable *v = la->probe->variable;
    struct warp *w = la->warp;
    uint64_t addresses[WARP_SIZE];
    uint32_t outside = 0;
    access_addresses(w, la->in, addresses);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint64_t at = shared_offset(w->block, addresses[l]);
        if (at + la->bytes <= w->launch->shared_bytes && (at < v->address || at + la->bytes > v->address + v->size))
            outside |= 1u << l;
    }
    if (outside)
        report_outside_variable(w, la->in, v, outside, shared_offset(w->block, addresses[first_lane(outside)]),
                                la->bytes);
}

static inline void check_variable(const struct block_watch *b, const struct lane_access *la, const struct span *spans,
                                  unsigned count) {
    const struct ptx_variable *v = la->probe->variable;
    bool outside = false;
    if (!v || !(b->launch->checks & CHECK_MEMORY))
        return;
    for (const struct span *s = spans; s < spans + count; s++) {
        uint64_t at = shared_offset(la->warp->block, s->at);
        outside |= at < v->address || at + s->bytes > v->address + v->size;
    }
    if (outside)
        report_outside(la);
}

/* Tried for whole warps, before single lanes are examined: to note the read and nothing more. First for regular
 * patterns, ... */
static bool note_halves(const struct warp *w, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    uint32_t at[2];
    return probed_look(w, a->address_reg, (uint32_t)in->imm, s->constants, at) != PATTERN_NONE;
}

/* Have the bytes that lanes read been written? A lane's are in one word of the bits. */
static bool each_written(const struct block_watch *b, const uint32_t address[MAX_LANES], uint32_t bytes) {
    const uint32_t *bits = (const uint32_t *)(const void *)b->init.shared_written,
                   wanted = (uint32_t)((1u << bytes) - 1);
    uint32_t missing = 0;
    for (int l = 0; l < MAX_LANES; l++)
        /* Its bytes are aligned to their size, so that they never straddle two of the bitmap's 32-bit words. */
        missing |= ~(bits[address[l] / 32] >> address[l] % 32) & wanted;
    return !missing;
}

/* ... then for any addresses. */
static bool note_each(struct block_watch *b, const struct warp *w, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    const struct probed_access x = s->constants;
    const uint32_t *base = (const uint32_t *)(const void *)(w->regs + a->address_reg);
    uint32_t address[MAX_LANES], low = ~0u, high = 0, odd = 0, end = w->launch->shared_bytes;
    end = x.end < end ? x.end : end;
    /* A loop without branches, which the compiler turns into vector code: bounds and alignment of all lanes
     * together. */
    for (int l = 0; l < MAX_LANES; l++) {
        address[l] = base[l] + (uint32_t)in->imm;
        low = address[l] < low ? address[l] : low;
        high = address[l] > high ? address[l] : high;
        odd |= address[l] & (x.bytes - 1);
    }
    if (odd || low < x.begin || (uint64_t)high + x.bytes > end)
        return false;
    if (high + x.bytes > b->init.written_until && !each_written(b, address, x.bytes))
        return false;
    return read_log_add_each(b, whole_record(b, w, x.record), address);
}

static bool note_read(struct block_watch *b, const struct warp *w, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    if (w->mask != FULL_MASK || a->kind != ACCESS_LOAD || a->address_bits != 32)
        return false;
    if (note_halves(w, in, s))
        return true;
    /* It did not work: perhaps only because the warp was not known to run as a whole, or the log was not open to it. */
    watch_lanes_come(b, w, in);
    read_log_expect(b, w->index);
    if (!(b->reads.ready >> w->index & 1))
        return false;
    if (b->init.shared_written)
        /* The bytes up to written_until are all written: a comparison, where otherwise the bitmap must be looked at.
         * Without initcheck that is true of all bytes. */
        written_extend(b, w->launch->shared_bytes);
    else
        b->init.written_until = ~0u;
    return note_halves(w, in, s) || note_each(b, w, in, s);
}

const struct insn *probed_shared(struct warp *w, const struct insn *in) {
    struct block_watch *b = w->block->watch;
    const struct probe *s = &b->launch->probes->items[in->index];
    if (note_read(b, w, in, s))
        return s->handler(w, in);
    struct span spans[WARP_SIZE];
    struct lane_access la = lane_access_of(w, in, s);
    unsigned count = spans_find(w, in, spans);
    watch_lanes_come(b, w, in);
    check_variable(b, &la, spans, count);
    uint32_t left = left_by_fast_path(b, &la, spans, count, la.bytes);
    if (left)
        watch_lanes(b, &la, left);
    bool loaded = !left && fast_load(&la, spans, count, (uintptr_t)w->block->shared, 0xffffffffu);
    return loaded ? in + 1 : warp_hand_on(w, s->handler(w, in));
}

uint32_t fast_shared_spans(struct block_watch *b, const struct lane_access *la, const struct span *spans,
                           unsigned count) {
    return left_by_fast_path(b, la, spans, count, 1u << b->launch->unit_shift);
}

uint32_t fast_shared(struct block_watch *b, struct lane_access *la) {
    struct span spans[WARP_SIZE];
    unsigned count = spans_find(la->warp, la->in, spans);
    check_variable(b, la, spans, count);
    return left_by_fast_path(b, la, spans, count, la->bytes);
}

/* ---- atomic operations ---- */

/* Strong accesses conflict with plain ones only. */
static bool is_safe_for_strong(const struct shared_path *q, struct access_record old, uint32_t packed) {
    return old.packed & RECORD_STRONG || is_safe(q, old, packed);
}

static bool update_is_fast(const struct shared_path *q, const struct warp *w, uint64_t at, uint32_t packed) {
    const struct block_watch *b = q->b;
    const struct shadow_arrays *c = &b->shadow;
    unsigned unit = b->launch->unit_shift;
    if (at & (q->bytes - 1) || at + q->bytes > w->launch->shared_bytes || at < w->launch->kernel->reserved_shared ||
        (b->init.shared_written && !probed_bits(b->init.shared_written, (uint32_t)at, q->bytes)))
        return false;
    for (uint64_t i = at >> unit; c->arrays && i < (at + q->bytes) >> unit; i++) {
        if (shadow_packed(c, SHADOW_WRITE)[i] & RECORD_COPY)
            return false;
        for (enum shadow_slot k = SHADOW_WRITE; k < SHADOW_SLOTS; k++)
            /* Two strong accesses never conflict, so that slot need not be looked at; a strong read may be in the
             * others. */
            if (k != SHADOW_STRONG && !is_safe_for_strong(q, shadow_record(c, i, k), packed))
                return false;
    }
    return true;
}

static void remember_update(const struct shared_path *q, uint64_t at, uint32_t packed) {
    unsigned unit = q->b->launch->unit_shift;
    for (uint64_t i = at >> unit; i < (at + q->bytes) >> unit; i++)
        shadow_set_record(&q->b->shadow, i, SHADOW_STRONG, (struct access_record){q->record.time, packed});
}

/* Are the words of a whole warp there, and written? */
static bool updates_are_inside(const struct block_watch *b, const struct warp *w, const uint32_t at[MAX_LANES],
                               uint32_t bytes) {
    uint32_t low = ~0u, high = 0, odd = 0;
    for (int l = 0; l < MAX_LANES; l++) {
        low = at[l] < low ? at[l] : low;
        high = at[l] > high ? at[l] : high;
        odd |= at[l] & (bytes - 1);
    }
    return !odd && low >= w->launch->kernel->reserved_shared && (uint64_t)high + bytes <= w->launch->shared_bytes &&
           (!b->init.shared_written || high + bytes <= b->init.written_until || each_written(b, at, bytes));
}

/* Have only atomics accessed them since the last barrier of the whole block, as is nearly always so? Then no other test
 * is needed. */
static bool updates_are_alone(const struct shared_path *q, const struct warp *w, const uint64_t addresses[MAX_LANES]) {
    const struct shadow_arrays *c = &q->b->shadow;
    const uint32_t *write = shadow_times(c, SHADOW_WRITE), *copy = shadow_packed(c, SHADOW_WRITE);
    const uint32_t *read = shadow_times(c, SHADOW_READ), *read_too = shadow_times(c, SHADOW_READ_TOO);
    const uint32_t unit = q->b->launch->unit_shift, words = q->bytes >> unit;
    uint32_t at[MAX_LANES], young = 0, copies = 0;
    for (int l = 0; l < MAX_LANES; l++)
        at[l] = (uint32_t)addresses[l];
    if (w->mask != FULL_MASK || !c->arrays || !updates_are_inside(q->b, w, at, q->bytes))
        return false;
    /* No branches: the loads of all lanes are gathers. Records that are older than the last barrier happen before. */
    for (uint32_t k = 0; k < words; k++)
        for (int l = 0; l < MAX_LANES; l++) {
            uint32_t i = (at[l] >> unit) + k;
            young |= (uint32_t)(write[i] >= q->by.base) | (uint32_t)(read[i] >= q->by.base) |
                     (uint32_t)(read_too[i] >= q->by.base);
            copies |= copy[i];
        }
    return !young && !(copies & RECORD_COPY);
}

static bool updates_are_fast(const struct shared_path *q, const struct warp *w, const uint64_t addresses[MAX_LANES]) {
    if (updates_are_alone(q, w, addresses))
        return true;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        if (!update_is_fast(q, w, addresses[l] & 0xffffffffu, q->record.packed + (uint32_t)l))
            return false;
    }
    return true;
}

uint32_t fast_shared_atomic(struct block_watch *b, const struct lane_access *la) {
    const struct warp *w = la->warp;
    uint64_t addresses[WARP_SIZE];
    /* With acquire or release, or after a fence by any warp of the block, it may order something, which the slow path
     * determines. */
    bool talks = la->probe->flags & (PROBE_RELEASE | PROBE_ACQUIRE) || order_may_release(&b->order);
    if (talks || !fast_path_can(b, la) || la->bytes >> b->launch->unit_shift == 0)
        return w->mask;
    access_addresses(w, la->in, addresses);
    read_log_propagate(b);
    read_log_shut(b, false);
    struct shared_path q = shared_path_of(b, lane_access_record(b, la), la->bytes, true);
    q.thread = THREAD_BITS;
    if (!updates_are_fast(&q, w, addresses))
        return w->mask;
    /* All have been found harmless before the first is recorded: if one is not, the slow path finds none recorded. */
    for (uint32_t rest = b->shadow.arrays ? w->mask : 0; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        remember_update(&q, addresses[l] & 0xffffffffu, q.record.packed + (uint32_t)l);
    }
    return 0;
}

/* ---- local memory: each lane has its own ---- */

uint32_t fast_local(struct block_watch *b, const struct lane_access *la) {
    uint64_t addresses[WARP_SIZE];
    uint32_t left = 0;
    if (!b->init.local_written)
        return 0;
    if (!fast_path_can(b, la))
        return la->warp->mask;
    access_addresses(la->warp, la->in, addresses);
    for (uint32_t rest = la->warp->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t at = addresses[lane];
        uint8_t *bits = b->init.local_written + (la->warp->index * (size_t)WARP_SIZE + lane) * b->init.local_stride;
        uint32_t wanted = (1u << la->bytes) - 1, word;
        if (la->bytes > 16 || at & (la->bytes - 1) || at + la->bytes > la->warp->launch->local_bytes) {
            left |= 1u << lane;
            continue;
        }
        /* 16 bits from a bit that is a multiple of la->bytes are in 4 bytes of the bitmap; its stride has room for
         * them. */
        memcpy(&word, bits + at / 8, sizeof word);
        if (la->write) {
            word |= wanted << at % 8;
            memcpy(bits + at / 8, &word, sizeof word);
        } else if ((word >> at % 8 & wanted) != wanted) {
            left |= 1u << lane;
        }
    }
    return left;
}
