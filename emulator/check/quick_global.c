/* The quick way, in global memory: a group of 16 cells at a time. */
#include "check/follow.h"
#include "check/quick.h"
#include "check/watched_global.h"
#include "core/simd.h"

struct quick {
    struct block_watch *b;
    const struct touch *touch;
    struct comer by;
    uint32_t shift; /* a lane has 1 << shift cells */
    bool alone;     /* not several lanes at one place: then these */
    uint32_t lanes;
    bool written;    /* all that is read has been written */
    uint32_t stored; /* bytes that are in memory already */
};

/* What one instruction does to a group: where active is 1. `packed` is that of cell 0. */
struct group {
    struct race_chunk *chunk;
    uint64_t number;
    uint32_t on, packed;
    const uint32_t *values; /* of cell 0 and its neighbours, where active; NULL: not known */
};

/* ---- a group whose cells have all the same past ---- */

static inline bool is_mine(const struct quick *q, const struct global_mark *m) {
    return is_comers_block(&q->by, m);
}

static inline bool same_warp(const struct global_mark *m, uint32_t packed) {
    return !((m->mark.packed ^ packed) & WARP_BITS);
}

static inline bool is_thread(const struct quick *q, const struct global_mark *m, uint32_t packed) {
    return is_mine(q, m) && !((m->mark.packed ^ packed) & THREAD_BITS);
}

static inline bool is_over(const struct quick *q, const struct global_mark *m, uint32_t packed) {
    if (m->launch <= q->by.before)
        return true;
    return is_mine(q, m) && !(m->mark.packed & MARK_COPY) &&
           (m->mark.time < q->by.base || (m->mark.time < q->by.synced && same_warp(m, packed)));
}

/* Over, or each cell's by the thread that comes now, alone. */
static inline bool is_no_danger(const struct quick *q, const struct group *g, enum cell_mark mark) {
    const struct global_mark m = chunk_record(g->chunk, g->number, mark);
    return is_over(q, &m, g->packed) ||
           (q->alone && is_thread(q, &m, g->packed) && chunk_shift(g->chunk, g->number, mark) == q->shift);
}

static inline void set_record(const struct quick *q, const struct group *g, enum cell_mark mark) {
    const struct global_mark new = {q->by.mark.launch, q->by.mark.block, {q->by.mark.mark.time, g->packed}};
    struct race_chunk *c = g->chunk;
    uint64_t bit = chunk_bit(g->number, mark);
    if (!q->shift && !(c->shifted & bit) && (mark == CELL_WRITE || mark == CELL_READ)) {
        c->parted &= ~bit;
        *(mark == CELL_WRITE ? &c->groups[g->number].write : &c->groups[g->number].read) = new;
    } else {
        chunk_set_record(c, g->number, mark, &new, q->shift);
    }
}

/* Of another launch, or of another block when something has ordered blocks, nobody knows here whether it is over. */
static inline bool must_ask(const struct quick *q, const struct global_mark *m) {
    return m->launch != q->by.mark.launch || q->b->order.partly;
}

/* Nothing more comes of reads by blocks behind these two. */
static inline void settle(const struct quick *q, const struct group *g, uint32_t cells, uint32_t one, uint32_t other) {
    if (g->chunk->unit_shift == 2 && q->written)
        chunk_settle(g->chunk, q->by.mark.launch, one > other ? one : other, g->number * GROUP_CELLS, cells);
}

static bool read_some(const struct quick *q, const struct group *g);

static bool read_alike(const struct quick *q, const struct group *g) {
    struct global_mark reads[2];
    if (!is_no_danger(q, g, CELL_WRITE) || !is_no_danger(q, g, CELL_STRONG))
        return false;
    for (int k = 0; k < 2; k++) {
        reads[k] = chunk_record(g->chunk, g->number, CELL_READ + k);
        if (is_no_danger(q, g, CELL_READ + k)) {
            set_record(q, g, CELL_READ + k);
            return true;
        }
        if (is_mine(q, &reads[k]) && same_warp(&reads[k], g->packed) &&
            chunk_shift(g->chunk, g->number, CELL_READ + k) != q->shift)
            return read_some(q, g);
        if (must_ask(q, &reads[k]))
            return false;
    }
    /* two reads of one block are not as good as two of different ones */
    if (reads[0].block == reads[1].block)
        set_record(q, g, CELL_READ_TOO);
    else if (chunk_record(g->chunk, g->number, CELL_WRITE).launch <= q->by.before &&
             chunk_record(g->chunk, g->number, CELL_STRONG).launch <= q->by.before)
        settle(q, g, QUICK_ALL, reads[0].block, reads[1].block);
    return true;
}

/* ---- a group whose cells differ, or of which only some are accessed ---- */

static const quick_cells count = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

struct mark_cells {
    quick_cells launch, block, time, packed;
};

static inline struct mark_cells load(const struct group *g, enum cell_mark mark) {
    const struct race_chunk *c = g->chunk;
    if (!chunk_is_parted(c, g->number, mark)) {
        const struct global_mark m = chunk_record(c, g->number, mark);
        const quick_cells none = {0};
        return (struct mark_cells){none + m.launch, none + m.block, none + m.mark.time,
                                   m.mark.packed + (count >> chunk_shift(c, g->number, mark))};
    }
    uint64_t i = g->number * GROUP_CELLS;
    return (struct mark_cells){
        QUICK_AT(chunk_plane(c, mark, CELL_LAUNCH), i), QUICK_AT(chunk_plane(c, mark, CELL_BLOCK), i),
        QUICK_AT(chunk_plane(c, mark, CELL_TIME), i), QUICK_AT(chunk_plane(c, mark, CELL_PACKED), i)};
}

static inline quick_cells all_packed(const struct quick *q, const struct group *g) {
    return g->packed + (count >> q->shift);
}

static inline uint32_t which_mine(const struct quick *q, const struct mark_cells *m) {
    return QUICK_WHERE(m->launch == q->by.mark.launch) & QUICK_WHERE(m->block == q->by.mark.block);
}

static inline uint32_t which_warp(const struct mark_cells *m, quick_cells packed) {
    return QUICK_WHERE(((m->packed ^ packed) & WARP_BITS) == 0);
}

static inline uint32_t which_thread(const struct quick *q, const struct mark_cells *m, quick_cells packed) {
    return which_mine(q, m) & QUICK_WHERE(((m->packed ^ packed) & THREAD_BITS) == 0);
}

static inline uint32_t which_over(const struct quick *q, const struct mark_cells *m, quick_cells packed) {
    uint32_t over = QUICK_WHERE(m->launch <= q->by.before);
    if (over == QUICK_ALL)
        return over;
    uint32_t passed = QUICK_WHERE(m->time < q->by.base) | (QUICK_WHERE(m->time < q->by.synced) & which_warp(m, packed));
    return over | (which_mine(q, m) & passed & ~QUICK_WHERE((m->packed & MARK_COPY) != 0));
}

static inline uint32_t which_no_danger(const struct quick *q, const struct group *g, enum cell_mark mark) {
    struct mark_cells m = load(g, mark);
    quick_cells packed = all_packed(q, g);
    uint32_t over = which_over(q, &m, packed);
    return over == QUICK_ALL || !q->alone ? over : over | which_thread(q, &m, packed);
}

static inline void put(uint32_t *plane, uint64_t i, uint32_t where, quick_cells new) {
    quick_cells old = QUICK_AT(plane, i), bits = (where >> count & 1) != 0;
    QUICK_SET(plane, i) = (new &bits) | (old & ~bits);
}

static void set_where(const struct quick *q, const struct group *g, enum cell_mark mark, uint32_t where) {
    const quick_cells none = {0};
    if (where == QUICK_ALL && g->chunk->unit_shift == 2) {
        set_record(q, g, mark);
        return;
    }
    if (!chunk_part(g->chunk, g->number, mark))
        return;
    uint64_t i = g->number * GROUP_CELLS;
    put(chunk_plane(g->chunk, mark, CELL_LAUNCH), i, where, none + q->by.mark.launch);
    put(chunk_plane(g->chunk, mark, CELL_BLOCK), i, where, none + q->by.mark.block);
    put(chunk_plane(g->chunk, mark, CELL_TIME), i, where, none + q->by.mark.mark.time);
    put(chunk_plane(g->chunk, mark, CELL_PACKED), i, where, all_packed(q, g));
}

/* Forgets a mark of some cells, or of all. */
static void forget_where(const struct group *g, enum cell_mark mark, uint32_t where) {
    struct race_chunk *c = g->chunk;
    const struct global_mark nothing = {0};
    const quick_cells none = {0};
    bool parted = chunk_is_parted(c, g->number, mark);
    if (!parted && !chunk_record(c, g->number, mark).launch)
        return;
    if (where == QUICK_ALL && c->unit_shift == 2) {
        chunk_set_record(c, g->number, mark, &nothing, 0);
    } else if (chunk_part(c, g->number, mark)) {
        put(chunk_plane(c, mark, CELL_LAUNCH), g->number * GROUP_CELLS, where, none);
    }
}

static bool read_some(const struct quick *q, const struct group *g) {
    quick_cells packed = all_packed(q, g);
    struct mark_cells reads[2];
    if (g->on & ~(which_no_danger(q, g, CELL_WRITE) & which_no_danger(q, g, CELL_STRONG)))
        return false;
    uint32_t rest = g->on;
    for (int k = 0; k < 2 && rest; k++) {
        reads[k] = load(g, CELL_READ + k);
        uint32_t taken = rest & (which_over(q, &reads[k], packed) | which_thread(q, &reads[k], packed));
        if (taken)
            set_where(q, g, CELL_READ + k, taken);
        rest &= ~taken;
        if (rest && (q->b->order.partly || rest & ~QUICK_WHERE(reads[k].launch == q->by.mark.launch)))
            return false;
    }
    uint32_t replaced = rest ? rest & QUICK_WHERE(reads[0].block == reads[1].block) : 0;
    if (replaced)
        set_where(q, g, CELL_READ_TOO, replaced);
    return true;
}

static void set_values(const struct group *g) {
    uint64_t i = g->number * GROUP_CELLS, on = (uint64_t)g->on << i % 64;
    uint32_t *values = g->values ? chunk_values(g->chunk) : NULL;
    if (g->chunk->details)
        g->chunk->details->known[i / 64] &= ~on;
    if (!values)
        return;
    g->chunk->details->known[i / 64] |= on;
    if (g->on == QUICK_ALL)
        QUICK_SET(values, i) = QUICK_AT(g->values, 0);
    for (uint32_t rest = g->on != QUICK_ALL ? g->on : 0; rest; rest &= rest - 1)
        values[i + (uint64_t)__builtin_ctz(rest)] = g->values[__builtin_ctz(rest)];
}

static bool write_some(const struct quick *q, const struct group *g) {
    uint32_t good = g->on;
    for (enum cell_mark k = CELL_WRITE; k < CELL_MARKS; k++)
        good &= g->on == QUICK_ALL && !chunk_is_parted(g->chunk, g->number, k) ? (is_no_danger(q, g, k) ? QUICK_ALL : 0)
                                                                               : which_no_danger(q, g, k);
    if (good != g->on)
        return false;
    chunk_unsettle(g->chunk);
    set_where(q, g, CELL_WRITE, g->on);
    for (enum cell_mark k = CELL_STRONG; k < CELL_MARKS; k++)
        forget_where(g, k, g->on);
    set_values(g);
    return true;
}

/* ---- a single cell: one address for all lanes ---- */

/* What race_global's remember_read does. False: something must be asked that is not known here. */
static bool remember(const struct quick *q, const struct group *g, uint64_t i, struct global_mark new, bool settles) {
    struct global_mark reads[2];
    for (int k = 0; k < 2; k++) {
        reads[k] = chunk_mark(g->chunk, i, CELL_READ + k);
        if (is_over(q, &reads[k], new.mark.packed) || is_thread(q, &reads[k], new.mark.packed)) {
            chunk_set_mark(g->chunk, i, CELL_READ + k, new);
            return true;
        }
        if (must_ask(q, &reads[k]))
            return false;
    }
    if (reads[0].block == reads[1].block)
        chunk_set_mark(g->chunk, i, CELL_READ_TOO, new);
    else if (settles)
        settle(q, g, 1u << i % GROUP_CELLS, reads[0].block, reads[1].block);
    return true;
}

/* All that come to the cell at once leave what they would leave one after the other. */
static bool remember_all(const struct quick *q, const struct group *g, uint64_t i, bool settles) {
    struct global_mark new = q->by.mark;
    uint32_t first = (uint32_t)__builtin_ctz(q->lanes), last = 31u - (uint32_t)__builtin_clz(q->lanes);
    new.mark.packed = q->by.mark.mark.packed + first;
    if (chunk_mark(g->chunk, i, CELL_READ).launch <= q->by.before &&
        chunk_mark(g->chunk, i, CELL_READ_TOO).launch <= q->by.before) {
        chunk_set_mark(g->chunk, i, CELL_READ, new);
        new.mark.packed = q->by.mark.mark.packed + last;
        chunk_set_mark(g->chunk, i, CELL_READ_TOO, new);
        return true;
    }
    if (!remember(q, g, i, new, settles))
        return false;
    for (enum cell_mark k = CELL_READ; k <= CELL_READ_TOO; k++) {
        struct global_mark old = chunk_mark(g->chunk, i, k);
        uint32_t lane = old.mark.packed & MARK_LANE;
        new.mark.packed = q->by.mark.mark.packed + lane;
        if (q->lanes >> lane & 1 && is_thread(q, &old, new.mark.packed) && !is_over(q, &old, new.mark.packed))
            chunk_set_mark(g->chunk, i, k, new);
    }
    new.mark.packed = q->by.mark.mark.packed + last;
    return remember(q, g, i, new, settles);
}

static bool read_one(const struct quick *q, const struct group *g, uint64_t i) {
    struct global_mark new = q->by.mark;
    new.mark.packed = g->packed + ((uint32_t)(i % GROUP_CELLS) >> q->shift);
    bool settles = true;
    for (enum cell_mark k = CELL_WRITE; k <= CELL_STRONG; k++) {
        struct global_mark m = chunk_mark(g->chunk, i, k);
        settles &= m.launch <= q->by.before;
        if (!is_over(q, &m, new.mark.packed) && !(q->alone && is_thread(q, &m, new.mark.packed)))
            return false;
    }
    return q->alone ? remember(q, g, i, new, settles) : remember_all(q, g, i, settles);
}

static bool read_one_by_one(const struct quick *q, const struct group *g) {
    for (uint32_t rest = g->on; rest; rest &= rest - 1)
        if (!read_one(q, g, g->number * GROUP_CELLS + (uint64_t)__builtin_ctz(rest)))
            return false;
    return true;
}

static inline bool group_is_quick(const struct quick *q, const struct group *g) {
    if (q->touch->write)
        return write_some(q, g);
    if (!q->alone || !(g->on & (g->on - 1)))
        return read_one_by_one(q, g);
    return g->on == QUICK_ALL && chunk_is_plain(g->chunk, g->number) ? read_alike(q, g) : read_some(q, g);
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

/* Extents do not remember values, but find them in memory: what a store writes must be there before the chunk is closed. */
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
    if (!q->alone || bytes < 4 || (in_chunk | from) & (bytes - 1))
        return false;
    struct extent now = extent_of(&q->by, in_chunk, to - from, bytes, s->lane + (uint32_t)(from / bytes));
    if (!extents_are_harmless(&q->by, c->writes, c->write_count, &now) ||
        !extents_are_harmless(&q->by, c->reads, c->read_count, &now))
        return false;
    if (!q->touch->write)
        return extents_put(c->reads, &c->read_count, &now);
    return extents_put(c->writes, &c->write_count, &now) && extents_remove(c->reads, &c->read_count, &now) &&
           store_at_once(q, a, s, from, to);
}

/* ---- one that is ---- */

/* The same. False: the careful way. */
static bool piece_is_quick(struct quick *q, const struct allocation *a, struct race_chunk *c, const struct span *s,
                           uint64_t from, uint64_t to) {
    const struct touch *t = q->touch;
    unsigned unit = c->unit_shift;
    struct values v;
    const uint32_t *values = t->write ? find_values(&v, t, s, unit) : NULL;
    if (t->bytes >> unit == 0)
        return false;
    q->shift = (unsigned)__builtin_ctz(t->bytes) - unit;
    uint64_t in_chunk = (s->at + from - a->base) & (CHUNK_BYTES - 1);
    uint64_t first = in_chunk >> unit, last = (in_chunk + (to - from) - 1) >> unit;
    int64_t begin = (int64_t)first - (int64_t)(from >> unit); /* the cell at which the span begins, or would begin */
    for (uint64_t n = first / GROUP_CELLS; n <= last / GROUP_CELLS; n++) {
        int64_t cell = (int64_t)(n * GROUP_CELLS) - begin; /* cell 0 of the group, counted from the span's beginning */
        uint32_t on = QUICK_ALL;
        if (n == first / GROUP_CELLS)
            on &= QUICK_ALL << first % GROUP_CELLS;
        if (n == last / GROUP_CELLS)
            on &= QUICK_ALL >> (GROUP_CELLS - 1 - last % GROUP_CELLS);
        /* lanes before the first are none: on is 0 there */
        uint32_t packed = q->by.mark.mark.packed + s->lane + (uint32_t)(cell >> q->shift);
        struct group g = {c, n, on & QUICK_ALL, packed, values ? values + cell : NULL};
        if (!group_is_quick(q, &g))
            return false;
    }
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
        if (!c || !chunk_expand(c, unit, &v) || !piece_is_quick(q, a, c, s, from, to))
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

/* What will be looked at is far away, nearly always: the host's processor may begin to fetch it. */
static inline void fetch(const struct allocation *a, const struct span *spans, unsigned n) {
    for (const struct span *s = spans; s < spans + n && s < spans + 2; s++) {
        const struct race_chunk *c = memory_at(a, s->at, s->bytes) ? allocation_chunk(a, s->at) : NULL;
        if (!c || !c->expanded || !c->groups || c->unit_shift != 2)
            continue;
        const struct cell_group *g = &c->groups[((s->at - a->base) & (CHUNK_BYTES - 1)) / 4 / GROUP_CELLS];
        for (uint64_t i = 0; i <= s->bytes / 4 / GROUP_CELLS; i += 2)
            __builtin_prefetch(g + i, 1);
    }
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
    if (races)
        fetch(a, spans, n);
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
    return loaded ? in + 1 : follow_hand_on(w, s->run(w, in));
}
