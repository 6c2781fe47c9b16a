/* The quick way, in global memory: a row of 16 cells at a time. */
#include "check/quick.h"
#include "check/watched_global.h"
#include "core/simd.h"

struct quick {
    struct block_watch *b;
    const struct touch *touch;
    struct comer by;
    uint32_t shift;  /* a lane has 1 << shift cells */
    uint32_t number; /* of this visit in the chunk; 0: not yet known */
    bool alone;      /* not several lanes at one place: then these */
    uint32_t lanes;
    bool written;    /* all that is read has been written */
    uint32_t stored; /* bytes that are in memory already */
};

/* What one instruction does to cells [i, i + 16): where active is 1. */
struct row {
    struct race_chunk *chunk;
    uint64_t i;
    uint32_t on;
    quick_cells packed;
};

/* ---- what is remembered of a row ---- */

typedef uint16_t row_numbers __attribute__((vector_size(32), aligned(2), may_alias));
typedef int16_t row_holds __attribute__((vector_size(32), may_alias));
static const quick_cells count = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const row_numbers count_numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static inline uint32_t which_number(const uint16_t *numbers, uint16_t n) {
    row_holds holds = (row_holds)(*(const row_numbers *)(const void *)numbers == n);
    return simd_bits32(__builtin_convertvector(holds, simd_i32));
}

static inline uint32_t which_warp(const uint32_t *packed, quick_cells now) {
    return QUICK_WHERE(((QUICK_AT(packed, 0) ^ now) & WARP_BITS) == 0);
}

static inline uint32_t which_copy(const uint32_t *packed) {
    return QUICK_WHERE((QUICK_AT(packed, 0) & MARK_COPY) != 0);
}

/* Bits of cells whose mark ... */
struct past {
    uint32_t none;   /* is none, or of a launch that is over */
    uint32_t over;   /* is over, for this or another reason */
    uint32_t thread; /* is of the thread that comes now */
    uint32_t mine;   /* is of its block */
    uint32_t launch; /* is of its launch */
};

/* Of one visit, where it has been. */
static inline void note_visit(const struct quick *q, const struct visit *v, const uint32_t *packed, quick_cells now,
                              uint32_t where, struct past *p) {
    if (v->launch <= q->by.before) {
        p->none |= where;
        p->over |= where;
        return;
    }
    p->launch |= v->launch == q->by.mark.launch ? where : 0;
    if (v->launch != q->by.mark.launch || v->block != q->by.mark.block)
        return;
    p->mine |= where;
    p->thread |= where & QUICK_WHERE(((QUICK_AT(packed, 0) ^ now) & THREAD_BITS) == 0);
    if (v->time < q->by.base)
        p->over |= where & ~which_copy(packed);
    else if (v->time < q->by.synced)
        p->over |= where & which_warp(packed, now) & ~which_copy(packed);
}

static inline struct past past_of(const struct quick *q, const struct row *r, enum cell_mark mark) {
    const struct race_chunk *c = r->chunk;
    if (!c->planes[mark])
        return (struct past){.none = QUICK_ALL, .over = QUICK_ALL};
    const uint16_t *numbers = chunk_numbers(c, mark) + r->i;
    const uint32_t *packed = c->planes[mark] + r->i, none = which_number(numbers, 0);
    struct past p = {.none = none, .over = none};
    for (uint32_t rest = r->on & ~none; rest;) {
        uint16_t n = numbers[__builtin_ctz(rest)];
        uint32_t where = rest & which_number(numbers, n);
        note_visit(q, &c->visits[n], packed, r->packed, where, &p);
        rest &= ~where;
    }
    return p;
}

static inline uint32_t no_danger(const struct quick *q, const struct past *p) {
    return q->alone ? p->over | p->thread : p->over;
}

/* ---- what is left there ---- */

static inline void put(uint32_t *plane, uint32_t where, quick_cells new) {
    quick_cells old = QUICK_AT(plane, 0), bits = (where >> count & 1) != 0;
    QUICK_SET(plane, 0) = (new &bits) | (old & ~bits);
}

static inline void put_number(uint16_t *numbers, uint32_t where, uint16_t n) {
    row_numbers *at = (row_numbers *)(void *)numbers, new = n - (row_numbers){0};
    row_numbers bits = (row_numbers)(((uint16_t)where >> count_numbers & 1) != 0);
    *at = (new &bits) | (*at & ~bits);
}

/* May give the chunk's visits other numbers. Where there is no memory, the mark is forgotten. */
static inline void set_where(struct quick *q, const struct row *r, enum cell_mark mark, uint32_t where) {
    struct race_chunk *c = r->chunk;
    if (!chunk_need_plane(c, mark))
        return;
    if (!q->number)
        q->number = chunk_visit(c, &q->by.mark, q->b->launch->floor);
    put(c->planes[mark] + r->i, where, r->packed);
    put_number(chunk_numbers(c, mark) + r->i, where, (uint16_t)q->number);
}

/* Nothing more comes of reads by blocks behind these two. */
static void settle(const struct quick *q, const struct row *r, uint64_t cells, uint32_t one, uint32_t other) {
    uint32_t launch = q->by.mark.launch, block = one > other ? one : other;
    if (r->chunk->unit_shift != 2 || !q->written || !cells)
        return;
    chunk_settle(r->chunk, launch, block, r->i, cells);
    if (r->i % 64 + ROW_CELLS > 64 && cells >> (64 - r->i % 64))
        chunk_settle(r->chunk, launch, block, (r->i / 64 + 1) * 64, cells >> (64 - r->i % 64));
}

/* Two reads are remembered, neither of which makes room: the second does if it is of the same block. Two reads of one block are not as
 * good as two of different ones. */
static void read_again(struct quick *q, const struct row *r, uint32_t rest, uint32_t both_mine, uint32_t may_settle) {
    const struct race_chunk *c = r->chunk;
    const uint16_t *one = chunk_numbers(c, CELL_READ) + r->i, *other = chunk_numbers(c, CELL_READ_TOO) + r->i;
    uint32_t replaced = rest & both_mine;
    for (uint32_t left = rest & ~both_mine; left;) {
        unsigned at = (unsigned)__builtin_ctz(left);
        uint32_t where = left & which_number(one, one[at]) & which_number(other, other[at]);
        uint32_t first = c->visits[one[at]].block, second = c->visits[other[at]].block;
        if (first == second)
            replaced |= where;
        else
            settle(q, r, where & may_settle, first, second);
        left &= ~where;
    }
    if (replaced)
        set_where(q, r, CELL_READ_TOO, replaced);
}

static bool read_row(struct quick *q, const struct row *r) {
    struct past write = past_of(q, r, CELL_WRITE), strong = past_of(q, r, CELL_STRONG);
    if (r->on & ~(no_danger(q, &write) & no_danger(q, &strong)))
        return false;
    uint32_t rest = r->on, both_mine = QUICK_ALL;
    for (enum cell_mark k = CELL_READ; k <= CELL_READ_TOO && rest; k++) {
        struct past read = past_of(q, r, k);
        uint32_t taken = rest & (read.over | read.thread);
        if (taken)
            set_where(q, r, k, taken);
        rest &= ~taken;
        both_mine &= read.mine;
        /* of another launch, or of another block when something has ordered blocks, nobody knows here whether it is over */
        if (rest && (q->b->order.partly || rest & ~read.launch))
            return false;
    }
    if (rest)
        read_again(q, r, rest, both_mine, write.none & strong.none);
    return true;
}

static bool write_row(struct quick *q, const struct row *r) {
    uint32_t good = r->on;
    for (enum cell_mark k = CELL_WRITE; k < CELL_MARKS; k++) {
        struct past p = past_of(q, r, k);
        good &= no_danger(q, &p);
    }
    if (good != r->on)
        return false;
    set_where(q, r, CELL_WRITE, r->on);
    for (enum cell_mark k = CELL_STRONG; k < CELL_MARKS; k++)
        if (r->chunk->planes[k])
            put_number(chunk_numbers(r->chunk, k) + r->i, r->on, 0);
    return true;
}

/* ---- a single cell ---- */

static inline bool same_warp(const struct global_mark *m, uint32_t packed) {
    return !((m->mark.packed ^ packed) & WARP_BITS);
}

static inline bool is_thread(const struct quick *q, const struct global_mark *m, uint32_t packed) {
    return is_comers_block(&q->by, m) && !((m->mark.packed ^ packed) & THREAD_BITS);
}

static inline bool is_over(const struct quick *q, const struct global_mark *m, uint32_t packed) {
    if (m->launch <= q->by.before)
        return true;
    return is_comers_block(&q->by, m) && !(m->mark.packed & MARK_COPY) &&
           (m->mark.time < q->by.base || (m->mark.time < q->by.synced && same_warp(m, packed)));
}

/* Of another launch, or of another block when something has ordered blocks, nobody knows here whether it is over. */
static inline bool must_ask(const struct quick *q, const struct global_mark *m) {
    return m->launch != q->by.mark.launch || q->b->order.partly;
}

static inline struct global_mark mark_at(const struct race_chunk *c, uint64_t i, enum cell_mark mark) {
    unsigned n = c->planes[mark] ? chunk_numbers(c, mark)[i] : 0;
    if (!n)
        return (struct global_mark){0};
    const struct visit *v = &c->visits[n];
    return (struct global_mark){v->launch, v->block, {v->time, c->planes[mark][i]}};
}

static inline void set_at(struct quick *q, struct race_chunk *c, uint64_t i, enum cell_mark mark, uint32_t packed) {
    if (!chunk_need_plane(c, mark))
        return;
    if (!q->number)
        q->number = chunk_visit(c, &q->by.mark, q->b->launch->floor);
    c->planes[mark][i] = packed;
    chunk_numbers(c, mark)[i] = (uint16_t)q->number;
}

/* What race_global's remember_read does. False: something must be asked that is not known here. */
static bool remember(struct quick *q, const struct row *r, uint64_t i, uint32_t packed, bool settles) {
    struct global_mark reads[2];
    for (int k = 0; k < 2; k++) {
        reads[k] = mark_at(r->chunk, i, CELL_READ + k);
        if (is_over(q, &reads[k], packed) || is_thread(q, &reads[k], packed)) {
            set_at(q, r->chunk, i, CELL_READ + k, packed);
            return true;
        }
        if (must_ask(q, &reads[k]))
            return false;
    }
    if (reads[0].block == reads[1].block)
        set_at(q, r->chunk, i, CELL_READ_TOO, packed);
    else if (settles)
        settle(q, r, (uint64_t)1 << (i - r->i), reads[0].block, reads[1].block);
    return true;
}

/* All that come to the cell at once leave what they would leave one after the other. */
static bool remember_all(struct quick *q, const struct row *r, uint64_t i, bool settles) {
    uint32_t warp = q->by.mark.mark.packed;
    uint32_t first = warp + (uint32_t)__builtin_ctz(q->lanes), last = warp + 31u - (uint32_t)__builtin_clz(q->lanes);
    if (mark_at(r->chunk, i, CELL_READ).launch <= q->by.before &&
        mark_at(r->chunk, i, CELL_READ_TOO).launch <= q->by.before) {
        set_at(q, r->chunk, i, CELL_READ, first);
        set_at(q, r->chunk, i, CELL_READ_TOO, last);
        return true;
    }
    if (!remember(q, r, i, first, settles))
        return false;
    for (enum cell_mark k = CELL_READ; k <= CELL_READ_TOO; k++) {
        struct global_mark old = mark_at(r->chunk, i, k);
        uint32_t lane = old.mark.packed & MARK_LANE;
        if (q->lanes >> lane & 1 && is_thread(q, &old, warp + lane) && !is_over(q, &old, warp + lane))
            set_at(q, r->chunk, i, k, warp + lane);
    }
    return remember(q, r, i, last, settles);
}

static bool read_one(struct quick *q, const struct row *r, uint64_t i) {
    uint32_t packed = r->packed[i - r->i];
    bool settles = true;
    for (enum cell_mark k = CELL_WRITE; k <= CELL_STRONG; k++) {
        struct global_mark m = mark_at(r->chunk, i, k);
        settles &= m.launch <= q->by.before;
        if (!is_over(q, &m, packed) && !(q->alone && is_thread(q, &m, packed)))
            return false;
    }
    return q->alone ? remember(q, r, i, packed, settles) : remember_all(q, r, i, settles);
}

static bool read_one_by_one(struct quick *q, const struct row *r) {
    for (uint32_t rest = r->on; rest; rest &= rest - 1)
        if (!read_one(q, r, r->i + (uint64_t)__builtin_ctz(rest)))
            return false;
    return true;
}

static bool write_one(struct quick *q, const struct row *r) {
    uint32_t packed = r->packed[0];
    for (enum cell_mark k = CELL_WRITE; k < CELL_MARKS; k++) {
        struct global_mark m = mark_at(r->chunk, r->i, k);
        if (!is_over(q, &m, packed) && !is_thread(q, &m, packed))
            return false;
    }
    set_at(q, r->chunk, r->i, CELL_WRITE, packed);
    for (enum cell_mark k = CELL_STRONG; k < CELL_MARKS; k++)
        if (r->chunk->planes[k])
            chunk_numbers(r->chunk, k)[r->i] = 0;
    return true;
}

static inline bool row_is_quick(struct quick *q, const struct row *r) {
    if (q->touch->write)
        return r->on == 1 && q->alone ? write_one(q, r) : write_row(q, r);
    return q->alone && r->on != 1 ? read_row(q, r) : read_one_by_one(q, r);
}

/* ---- spans ---- */

/* What a span's lanes store, as values of cells. */
struct values {
    uint32_t of_words[WARP_SIZE * QUICK_BYTES / 4], of_bytes[WARP_SIZE * QUICK_BYTES];
};

static const uint32_t *find_values(struct values *v, const struct touch *t, const struct span *s, unsigned unit_shift) {
    const struct access *a = t->in->extra;
    unsigned lanes = s->bytes / t->bytes;
    if (a->bytes == 4 && a->reg_bits == 32 && unit_shift == 2) { /* what is stored most */
        for (unsigned k = 0; k < a->count; k++) {
            const uint32_t *stored = (const uint32_t *)(const void *)(t->warp->regs + a->regs[k]) + s->lane;
            if (a->count == 1)
                return stored;
            for (unsigned l = 0; l < lanes; l++)
                v->of_words[l * a->count + k] = stored[l];
        }
        return v->of_words;
    }
    for (unsigned l = 0; l < lanes; l++)
        if (!touch_stored(t, (int)(s->lane + l), (uint8_t *)v->of_words + l * t->bytes))
            return NULL;
    for (unsigned i = 0; unit_shift == 0 && i < s->bytes; i++)
        v->of_bytes[i] = ((const uint8_t *)v->of_words)[i];
    return unit_shift ? v->of_words : v->of_bytes;
}

/* ---- a chunk that is not expanded ---- */

/* Values are not remembered, but found in memory: what a store writes must be there before the chunk is closed. */
static bool store_at_once(struct quick *q, const struct allocation *a, const struct span *s, uint64_t from,
                          uint64_t to) {
    const struct access *x = q->touch->in->extra;
    struct values v;
    if (x->kind != ACCESS_STORE || !allocation_keeps_values(a))
        return false;
    const uint32_t *values = find_values(&v, q->touch, s, 2);
    if (!values)
        return false;
    memcpy(a->host + (s->at + from - a->base), (const uint8_t *)values + from, to - from);
    q->stored += (uint32_t)(to - from);
    return true;
}

/* Bytes [from, to) of a span, which lie in one chunk. False: it must be expanded. */
static bool piece_is_simple(struct quick *q, const struct allocation *a, struct race_chunk *c, const struct span *s,
                            uint64_t from, uint64_t to) {
    uint64_t in_chunk = (s->at + from - a->base) & (CHUNK_BYTES - 1);
    uint32_t bytes = q->touch->bytes;
    if (!q->alone || (in_chunk | from) & (bytes - 1))
        return false;
    struct extent now = extent_of(&q->by, in_chunk, to - from, bytes, s->lane + (uint32_t)(from / bytes));
    if (!extents_are_harmless(&q->by, c->writes, c->write_count, &now) ||
        !extents_are_harmless(&q->by, c->reads, c->read_count, &now))
        return false;
    c->parts |= bytes < 4;
    if (!q->touch->write)
        return extents_put(c->reads, &c->read_count, &now);
    return extents_put(c->writes, &c->write_count, &now) && extents_remove(c->reads, &c->read_count, &now) &&
           store_at_once(q, a, s, from, to);
}

/* ---- one that is ---- */

/* What a piece writes is in memory, or remembered. */
static void keep_values(struct quick *q, const struct allocation *a, struct race_chunk *c, const struct span *s,
                        uint64_t from, uint64_t to) {
    uint64_t in_chunk = (s->at + from - a->base) & (CHUNK_BYTES - 1), first = in_chunk >> c->unit_shift;
    uint64_t cells = (to - from) >> c->unit_shift;
    struct values v;
    if (store_at_once(q, a, s, from, to)) {
        chunk_values_in_memory(c, first, cells);
        return;
    }
    const uint32_t *values = find_values(&v, q->touch, s, c->unit_shift);
    for (uint64_t i = 0; i < cells; i++)
        chunk_value_apart(c, first + i, values, values ? values[(from >> c->unit_shift) + i] : 0);
}

/* The same. False: the careful way. */
static bool piece_is_quick(struct quick *q, const struct allocation *a, struct race_chunk *c, const struct span *s,
                           uint64_t from, uint64_t to) {
    unsigned unit = c->unit_shift;
    if (q->touch->bytes >> unit == 0)
        return false;
    q->shift = (unsigned)__builtin_ctz(q->touch->bytes) - unit;
    q->number = 0;
    uint64_t first = ((s->at + from - a->base) & (CHUNK_BYTES - 1)) >> unit, cells = (to - from) >> unit;
    uint32_t begin = (uint32_t)(from >> unit), packed = q->by.mark.mark.packed + s->lane;
    if (q->touch->write)
        chunk_unsettle(c);
    for (uint64_t i = 0; i < cells; i += ROW_CELLS) {
        uint32_t on = cells - i < ROW_CELLS ? QUICK_ALL >> (ROW_CELLS - (cells - i)) : QUICK_ALL;
        struct row r = {c, first + i, on, packed + ((count + (begin + (uint32_t)i)) >> q->shift)};
        if (!row_is_quick(q, &r))
            return false;
    }
    if (q->touch->write)
        keep_values(q, a, c, s, from, to);
    return true;
}

/* Is it all settled, so that the chunk need not even be locked? */
static bool is_settled(const struct quick *q, const struct race_chunk *c, uint64_t in_chunk, uint64_t bytes) {
    enum { PIECE = 64 * 4 }; /* bytes that one word of bits is for */
    if (q->b->order.partly)
        return false;
    for (uint64_t at = in_chunk, end = in_chunk + bytes, next; at < end; at = next) {
        next = at / PIECE * PIECE + PIECE < end ? at / PIECE * PIECE + PIECE : end;
        if (!watched_is_settled(c, &q->by, at, (uint32_t)(next - at)))
            return false;
    }
    return true;
}

static inline bool spans_are_settled(const struct quick *q, const struct allocation *a, const struct span *spans,
                                     unsigned n) {
    for (const struct span *s = spans; s < spans + n; s++) {
        uint64_t in_chunk = (s->at - a->base) & (CHUNK_BYTES - 1);
        const struct race_chunk *c =
            memory_at(a, s->at, s->bytes) && !(s->at & (q->touch->bytes - 1)) && in_chunk + s->bytes <= CHUNK_BYTES
                ? allocation_chunk(a, s->at)
                : NULL;
        if (!c || !is_settled(q, c, in_chunk, s->bytes))
            return false;
    }
    return true;
}

/* The chunk that is open stays open for the next piece. */
static bool span_is_quick(struct quick *q, const struct allocation *a, const struct span *s, struct race_chunk **open) {
    unsigned unit = q->touch->bytes < 4 ? 0 : 2;
    q->alone = span_is_exclusive(s, q->touch->bytes);
    q->lanes = s->lanes;
    for (uint64_t from = 0, to; from < s->bytes; from = to) {
        uint64_t offset = s->at + from - a->base, in_chunk = offset & (CHUNK_BYTES - 1), left = CHUNK_BYTES - in_chunk;
        to = s->bytes - from < left ? s->bytes : from + left;
        struct race_chunk *c = allocation_chunk(a, s->at + from);
        if (c && !q->touch->write && is_settled(q, c, in_chunk, to - from))
            continue;
        struct chunk_visitor v = visitor_at(q->b->launch, a, offset);
        if (c != *open && *open)
            chunk_close(*open);
        if (c != *open && c)
            chunk_enter(c, &v);
        *open = c;
        if (c && !c->expanded && piece_is_simple(q, a, c, s, from, to))
            continue;
        if (!c || !chunk_expand(c, unit) || !piece_is_quick(q, a, c, s, from, to))
            return false;
    }
    return true;
}

static uint32_t quick_races(struct quick *q, const struct allocation *a, const struct span *spans, unsigned n) {
    struct race_chunk *open = NULL;
    uint32_t left = 0, bytes = q->touch->bytes;
    for (const struct span *s = spans; s < spans + n; s++)
        if (left || s->at & (bytes - 1) || !memory_at(a, s->at, s->bytes) || !span_is_quick(q, a, s, &open))
            left |= s->lanes;
    if (open)
        chunk_close(open);
    return left;
}

static uint32_t quick_written(const struct touch *t, const struct allocation *a, const struct span *spans, unsigned n) {
    uint32_t left = 0;
    uint64_t where;
    for (const struct span *s = spans; s < spans + n; s++)
        if (!memory_at(a, s->at, s->bytes))
            left |= s->lanes;
        else if (allocation_is_written(a, s->at, s->bytes))
            continue;
        else if (t->write)
            allocation_written(a, s->at, s->bytes);
        else if (allocation_find_unwritten(a, s->at, s->bytes, &where))
            left |= s->lanes;
    return left;
}

/* touch->allocation: where the spans probably lie. *stored: bytes that need not be stored any more */
static inline __attribute__((always_inline)) uint32_t
left_by_quick(struct block_watch *b, const struct touch *t, const struct span *spans, unsigned n, uint32_t *stored) {
    const struct allocation *a = t->allocation;
    struct quick q = {.b = b, .touch = t, .by = comer_of(b, t->warp, touch_mark(b, t))};
    uint32_t left = 0;
    bool races = b->launch->checks & CHECK_RACE;
    if (!a || !a->watch || !quick_can(b, t))
        return t->warp->mask;
    races = races && (t->write || !spans_are_settled(&q, a, spans, n));
    if (b->launch->checks & CHECK_INIT)
        left = quick_written(t, a, spans, n);
    q.written = !left;
    if (races)
        left |= quick_races(&q, a, spans, n);
    *stored = q.stored;
    return left;
}

static inline void find_allocation(struct touch *t, uint64_t at) {
    const struct allocation **cache = &t->warp->worker->cache[((const struct access *)t->in->extra)->slot];
    t->allocation = *cache;
    if (t->allocation && memory_at(t->allocation, at, t->bytes))
        return;
    t->allocation = memory_find(at);
    if (t->allocation && memory_at(t->allocation, at, t->bytes))
        *cache = t->allocation;
}

static inline __attribute__((always_inline)) unsigned find(struct block_watch *b, struct touch *t, struct span *spans) {
    const struct warp *w = t->warp;
    unsigned n = spans_find(w, t->in, spans);
    find_allocation(t, spans[0].at);
    if (t->write && t->allocation)
        b->order.warps[w->index].dirty = true;
    return n;
}

uint32_t quick_global_spans(struct block_watch *b, struct touch *t, const struct span *spans, unsigned count) {
    uint32_t stored = 0;
    find_allocation(t, spans[0].at);
    return left_by_quick(b, t, spans, count, &stored);
}

uint32_t quick_global(struct block_watch *b, struct touch *t) {
    struct span spans[WARP_SIZE];
    uint32_t stored = 0;
    unsigned n = find(b, t, spans);
    return left_by_quick(b, t, spans, n, &stored);
}

/* The usual cases. NULL: it is none. */
static inline const struct insn *watched_whole(struct warp *w, const struct insn *in, const struct site *s) {
    const struct access *a = in->extra;
    const struct fast_access fast = fast_access(in);
    if (w->mask != FULL_MASK || a->address_bits != 64)
        return NULL;
    struct watched_place p;
    if (a->kind == ACCESS_LOAD)
        return watched_read(w, fast, s->constants, &p) ? s->run(w, in) : NULL;
    struct race_chunk *c = watched_write(w, fast, s->constants, &p);
    const struct insn *next = c ? s->run(w, in) : NULL;
    if (c)
        chunk_close(c);
    return next;
}

const struct insn *watched_global(struct warp *w, const struct insn *in) {
    struct block_watch *b = w->block->watch;
    const struct site *s = &b->launch->sites->items[in->index];
    watch_lanes_come(b, w, in);
    const struct insn *next = watched_whole(w, in, s);
    if (next)
        return next;
    struct span spans[WARP_SIZE];
    struct touch t = touch_of(w, in, s);
    unsigned n = find(b, &t, spans);
    uint32_t stored = 0, left = left_by_quick(b, &t, spans, n, &stored);
    if (left)
        watch_lanes(b, &t, left);
    else if (stored && stored == t.bytes * (uint32_t)__builtin_popcount(w->mask))
        return in + 1;
    bool loaded = !left && quick_load(&t, spans, n, (uintptr_t)t.allocation->host - t.allocation->base, ~(uint64_t)0);
    return loaded ? in + 1 : s->run(w, in);
}
