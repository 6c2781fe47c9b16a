/* The fast path of the checks for global memory. It changes a chunk only with its lock held, and keeps records that the
 * chunk's extents or log cannot express in shadow words (chunk_propagate_log, chunk_expand), before it resorts to the
 * slow path. */
#include "check/follow.h"
#include "check/fast_path.h"
#include "check/fast_words.h"
#include "check/watch_parts.h"
#include "machine/simd.h"

/* ---- spans ---- */

/* The values that the lanes of a span store, one for each shadow word. */
struct values {
    uint32_t of_words[WARP_SIZE * FAST_BYTES / 4], of_bytes[WARP_SIZE * FAST_BYTES];
};

static const uint32_t *find_values(struct values *v, const struct lane_access *la, const struct span *s,
                                   unsigned unit_shift) {
    const struct access *a = la->in->extra;
    unsigned lanes = s->bytes / la->bytes;
    /* The registers are vectors of lanes already: what a scalar store writes need not be copied. Of a vector store
     * (v2, v4) lane l's element k belongs at l * count + k, for a register has element k of all lanes. */
    if (a->bytes == 4 && a->reg_bits == 32 && unit_shift == 2) { /* the usual store */
        for (unsigned k = 0; k < a->count; k++) {
            const uint32_t *stored = (const uint32_t *)(const void *)(la->warp->regs + a->regs[k]) + s->lane;
            if (a->count == 1)
                return stored;
            for (unsigned l = 0; l < lanes; l++)
                v->of_words[l * a->count + k] = stored[l];
        }
        return v->of_words;
    }
    for (unsigned l = 0; l < lanes; l++)
        if (!lane_access_stored(la, (int)(s->lane + l), (uint8_t *)v->of_words + l * la->bytes))
            return NULL;
    for (unsigned i = 0; unit_shift == 0 && i < s->bytes; i++)
        v->of_bytes[i] = ((const uint8_t *)v->of_words)[i];
    return unit_shift ? v->of_words : v->of_bytes;
}

/* ---- a chunk that is not expanded ---- */

/* Bytes [from, to) of a span, all of them in one chunk. */
struct piece {
    const struct allocation *allocation;
    struct race_chunk *chunk;
    const struct span *span;
    uint64_t from, to;
    uint64_t in_chunk; /* where it begins there */
};

/* Stores a piece now, before the chunk is closed, so that memory holds the values of the plain writes and no copy of
 * them is needed. */
static bool store_at_once(struct fast_path *q, const struct piece *p) {
    uint64_t bytes = p->to - p->from;
    const struct access *x = q->access->in->extra;
    struct values v;
    if (x->kind != ACCESS_STORE || !allocation_keeps_values(p->allocation))
        return false;
    const uint32_t *values = find_values(&v, q->access, p->span, 2);
    if (!values)
        return false;
    memcpy(memory_store_at(p->allocation, p->span->at + p->from, bytes), (const uint8_t *)values + p->from, bytes);
    q->stored += (uint32_t)bytes;
    return true;
}

/* The extent of a piece of which each element belongs to one thread. */
static inline struct extent extent_of_piece(const struct fast_path *q, const struct piece *p) {
    uint32_t each = q->access->bytes;
    return extent_of(&q->by, p->in_chunk, p->to - p->from, each, p->span->lane + (uint32_t)(p->from / each));
}

/* Records a piece by its chunk's extents. False: the chunk must be expanded. */
static bool piece_is_simple(struct fast_path *q, const struct piece *p) {
    struct race_chunk *c = p->chunk;
    uint32_t bytes = q->access->bytes;
    chunk_assert_locked(c);
    /* In an extent each element belongs to one thread, and begins at a multiple of its size. */
    if (!q->alone || (p->in_chunk | p->from) & (bytes - 1))
        return false;
    struct extent now = extent_of_piece(q, p);
    if (!extents_are_harmless(&q->by, c->writes, c->write_count, &now) ||
        !extents_are_harmless(&q->by, c->reads, c->read_count, &now))
        return false;
    c->parts |= bytes < 4;
    if (!q->write)
        return extents_put(c->reads, &c->read_count, MOST_READS, &now);
    /* A write replaces the reads of its bytes. It is stored now, because extents hold no values: a second write of the
     * same value is recognized by what memory holds. */
    return extents_put(c->writes, &c->write_count, MOST_WRITES, &now) &&
           extents_remove(c->reads, &c->read_count, MOST_READS, &now) && store_at_once(q, p);
}

/* an expanded chunk */

/* Stores what a piece writes, or keeps a copy of the values. */
static void keep_piece_values(struct fast_path *q, const struct piece *p) {
    struct race_chunk *c = p->chunk;
    uint64_t first = p->in_chunk >> c->unit_shift, words = (p->to - p->from) >> c->unit_shift;
    struct values v;
    if (store_at_once(q, p)) {
        chunk_values_in_memory(c, first, words);
        return;
    }
    /* Memory that does not guarantee this (the host may write there), or a copy: the values are kept separately. */
    const uint32_t *values = find_values(&v, q->access, p->span, c->unit_shift);
    for (uint64_t i = 0; i < words; i++)
        chunk_value_apart(c, first + i, values, values ? values[(p->from >> c->unit_shift) + i] : 0);
}

/* Records a piece by its shadow words. False: the slow path must decide. */
static bool piece_is_fast(struct fast_path *q, const struct piece *p) {
    unsigned unit = p->chunk->unit_shift;
    if (q->access->bytes >> unit == 0)
        return false;
    q->shift = (unsigned)__builtin_ctz(q->access->bytes) - unit;
    q->number = 0;
    uint64_t first = p->in_chunk >> unit, words = (p->to - p->from) >> unit;
    if (!fast_words_access(q, p->chunk, first, words, p->from >> unit, p->span->lane))
        return false;
    if (q->write)
        keep_piece_values(q, p);
    return true;
}

/* Are all bytes read-shared, so that the chunk need not even be locked? */
static bool piece_is_read_shared(const struct fast_path *q, const struct race_chunk *c, uint64_t in_chunk,
                                 uint64_t bytes) {
    enum { PIECE = 64 * 4 }; /* bytes covered by one word of the bitmap */
    if (q->partly)
        return false;
    /* Piece by piece of the bitmap, as probed_is_read_shared() demands. With more than barriers to order warps
     * (partly) a read may replace a record, so that read-shared words cannot be skipped. */
    for (uint64_t at = in_chunk, end = in_chunk + bytes, next; at < end; at = next) {
        next = at / PIECE * PIECE + PIECE < end ? at / PIECE * PIECE + PIECE : end;
        if (!probed_is_read_shared(c, &q->by, at, (uint32_t)(next - at)))
            return false;
    }
    return true;
}

static inline bool spans_are_read_shared(const struct fast_path *q, const struct allocation *a,
                                         const struct span *spans, unsigned n) {
    for (const struct span *s = spans; s < spans + n; s++) {
        uint64_t in_chunk = (s->at - a->base) & (CHUNK_BYTES - 1);
        const struct race_chunk *c =
            memory_at(a, s->at, s->bytes) && !(s->at & (q->access->bytes - 1)) && in_chunk + s->bytes <= CHUNK_BYTES
                ? allocation_chunk(a, s->at)
                : NULL;
        if (!c || !piece_is_read_shared(q, c, in_chunk, s->bytes))
            return false;
    }
    return true;
}

/* Logs a piece of a read, if the log will do. False: nothing is done. */
static bool piece_is_logged(const struct fast_path *q, const struct piece *p) {
    enum { LEAST = 16 }; /* words, or parts of words, for which it is worth the while ... */
    enum {
        FEW_SMALL = 32
    }; /* ... but where shadow words would have to be made for less, as at the edge of a picture */
    struct race_chunk *c = p->chunk;
    uint64_t bytes = q->access->bytes;
    bool small = p->to - p->from < LEAST * (bytes < 4 ? bytes : 4);
    if (q->write || !q->alone || q->partly || !epoch_is_fresh(&q->by) || p->from & (bytes - 1) ||
        (small && (c->expanded || c->logged >= FEW_SMALL)))
        return false;
    /* Where the log is full it may grow, up to MOST_LOGGED; beyond that shadow words are cheaper. */
    struct extent now = extent_of_piece(q, p);
    return probed_log(c, &q->by, &now) ||
           (c->logged == c->log_room && chunk_log_grows(c) && probed_log(c, &q->by, &now));
}

/* *open: the chunk that is locked. It stays so for the next piece. */
static bool span_is_fast(struct fast_path *q, const struct allocation *a, const struct span *s,
                         struct race_chunk **open) {
    unsigned unit = q->access->bytes < 4 ? 0 : 2;
    q->alone = span_is_exclusive(s, q->access->bytes);
    q->lanes = s->lanes;
    for (uint64_t from = 0, to; from < s->bytes; from = to) {
        uint64_t offset = s->at + from - a->base, in_chunk = offset & (CHUNK_BYTES - 1), left = CHUNK_BYTES - in_chunk;
        /* One chunk after the other: the lock is changed only where the span reaches the next one. */
        to = s->bytes - from < left ? s->bytes : from + left;
        struct race_chunk *c = allocation_chunk(a, s->at + from);
        if (c && !q->write && piece_is_read_shared(q, c, in_chunk, to - from))
            continue;
        struct chunk_visitor v = visitor_at(q->access, a, offset);
        if (c != *open && *open)
            chunk_close(*open);
        if (c != *open && c)
            chunk_enter(c, &v);
        *open = c;
        /* The forms of shadow memory, the cheapest first: the log, extents, shadow words. */
        struct piece p = {a, c, s, from, to, in_chunk};
        if (c && piece_is_logged(q, &p))
            continue;
        if (c)
            chunk_propagate_log(c);
        if (c && !c->expanded && piece_is_simple(q, &p))
            continue;
        if (!c || !chunk_expand(c, unit) || !piece_is_fast(q, &p))
            return false;
    }
    return true;
}

static uint32_t fast_races(struct fast_path *q, const struct allocation *a, const struct span *spans, unsigned n) {
    struct race_chunk *open = NULL;
    uint32_t left = 0, bytes = q->access->bytes;
    for (const struct span *s = spans; s < spans + n; s++)
        /* From the first span that is left on, all are left: the slow path handles lanes in order, and the records that
         * it leaves in a shadow word depend on that. */
        if (left || s->at & (bytes - 1) || !memory_at(a, s->at, s->bytes) || !span_is_fast(q, a, s, &open))
            left |= s->lanes;
    if (open)
        chunk_close(open);
    return left;
}

static uint32_t fast_written(const struct lane_access *la, const struct allocation *a, const struct span *spans,
                             unsigned n) {
    uint32_t left = 0;
    uint64_t where;
    for (const struct span *s = spans; s < spans + n; s++)
        /* A read of what is not written yet is left to the slow path. A write that is left there as well, for a race,
         * has marked its bytes already: the slow path does the same. */
        if (!memory_at(a, s->at, s->bytes))
            left |= s->lanes;
        else if (allocation_is_written(a, s->at, s->bytes))
            continue;
        else if (la->write)
            allocation_written(a, s->at, s->bytes);
        else if (allocation_find_unwritten(a, s->at, s->bytes, &where))
            left |= s->lanes;
    return left;
}

/* The lanes left to the slow path. access->allocation is where the spans probably are; *stored: bytes already stored to
 * memory. */
static inline __attribute__((always_inline)) uint32_t left_by_fast_path(struct block_watch *b,
                                                                        const struct lane_access *la,
                                                                        const struct span *spans, unsigned n,
                                                                        uint32_t *stored) {
    const struct allocation *a = la->allocation;
    struct fast_path q = {.access = la,
                          .by = epoch_of(b, lane_access_record(b, la)),
                          .write = la->write,
                          .floor = b->launch->floor,
                          .partly = b->order.partly};
    uint32_t left = 0;
    bool races = b->launch->checks & CHECK_RACE;
    if (!a || !a->watch || !fast_path_can(b, la))
        return la->warp->mask;
    /* Before anything is locked: reads of what is read-shared, by far the most of them. */
    races = races && (la->write || !spans_are_read_shared(&q, a, spans, n));
    if (b->launch->checks & CHECK_INIT)
        left = fast_written(la, a, spans, n);
    q.written = !left;
    if (races)
        left |= fast_races(&q, a, spans, n);
    *stored = q.stored;
    return left;
}

static inline void find_allocation(struct lane_access *la, uint64_t at) {
    const struct allocation **cache = &la->warp->worker->cache[((const struct access *)la->in->extra)->slot];
    la->allocation = *cache;
    if (la->allocation && memory_mapped_at(la->allocation, at, la->bytes))
        return;
    la->allocation = memory_find(at);
    if (la->allocation && memory_mapped_at(la->allocation, at, la->bytes) &&
        grid_may_use(la->warp->launch, la->allocation))
        *cache = la->allocation;
}

static inline __attribute__((always_inline)) unsigned find_spans(struct block_watch *b, struct lane_access *la,
                                                                 struct span *spans) {
    const struct warp *w = la->warp;
    unsigned n = spans_find(w, la->in, spans);
    find_allocation(la, spans[0].at);
    if (la->write && la->allocation)
        b->order.warps[w->index].dirty = true;
    return n;
}

uint32_t fast_global_spans(struct block_watch *b, struct lane_access *la, const struct span *spans, unsigned count) {
    uint32_t stored = 0;
    find_allocation(la, spans[0].at);
    return left_by_fast_path(b, la, spans, count, &stored);
}

uint32_t fast_global(struct block_watch *b, struct lane_access *la) {
    struct span spans[WARP_SIZE];
    uint32_t stored = 0;
    unsigned n = find_spans(b, la, spans);
    return left_by_fast_path(b, la, spans, n, &stored);
}

/* The usual cases, in which the whole warp is checked at once. NULL: none of them. */
static inline const struct insn *probed_whole(struct warp *w, const struct insn *in, const struct probe *s) {
    const struct access *a = in->extra;
    const struct fast_access fast = fast_access(in);
    if (w->mask != FULL_MASK || a->address_bits != 64)
        return NULL;
    struct probed_place p;
    if (a->kind == ACCESS_LOAD)
        return probed_read(w, fast, s->constants, &p) ? s->handler(w, in) : NULL;
    struct race_chunk *c = probed_write(w, fast, s->constants, &p);
    const struct insn *next = c ? s->handler(w, in) : NULL;
    if (c)
        chunk_close(c);
    return next;
}

const struct insn *probed_global(struct warp *w, const struct insn *in) {
    struct block_watch *b = w->block->watch;
    const struct probe *s = &b->launch->probes->items[in->index];
    watch_lanes_come(b, w, in);
    const struct insn *next = probed_whole(w, in, s);
    if (next)
        return next;
    struct span spans[WARP_SIZE];
    struct lane_access la = lane_access_of(w, in, s);
    if (fast_scattered(b, &la))
        return in + 1;
    unsigned n = find_spans(b, &la, spans);
    uint32_t stored = 0, left = left_by_fast_path(b, &la, spans, n, &stored);
    /* Lanes that are left take the slow path, and the instruction is executed by its handler unless all of it has been
     * stored, or loaded, here already. */
    if (left)
        watch_lanes(b, &la, left);
    else if (stored && stored == la.bytes * (uint32_t)__builtin_popcount(w->mask))
        return in + 1;
    bool loaded = !left && fast_load(&la, spans, n, (uintptr_t)la.allocation->host - la.allocation->base, ~(uint64_t)0);
    return loaded ? in + 1 : warp_hand_on(w, s->handler(w, in));
}
