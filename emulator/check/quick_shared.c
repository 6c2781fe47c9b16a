/* The quick way, in shared and local memory. */
#include "check/follow.h"
#include "check/quick.h"
#include "check/watched_shared.h"
#include "machine/simd.h"

struct quick {
    struct block_watch *b;
    struct access_mark mark; /* of lane 0 */
    uint32_t bytes;          /* of a lane */
    bool write;
    uint32_t base, synced; /* what the block did before base is over, and what the warp did before synced */
    uint32_t shift;        /* a lane has 1 << shift cells */
    uint32_t thread; /* bits that tell one thread from others; all: several lanes come at once, and nobody is alone */
};

/* ---- one cell ---- */

static inline bool is_over(const struct quick *q, struct access_mark old, uint32_t packed) {
    return old.time < q->base || (old.time < q->synced && !((old.packed ^ packed) & WARP_BITS));
}

/* Over, or by the thread that comes now, alone. */
static inline bool is_no_danger(const struct quick *q, struct access_mark old, uint32_t packed) {
    return is_over(q, old, packed) || !((old.packed ^ packed) & q->thread);
}

static inline bool is_over_for_all(const struct quick *q, uint64_t i, enum cell_mark mark) {
    return cells_times(&q->b->cells, mark)[i] < q->base;
}

/* Nothing more comes of reads by warps behind these two. */
static inline void settle(const struct quick *q, uint64_t i, uint64_t cells, uint32_t one, uint32_t other) {
    struct settled *s = &q->b->settled;
    uint32_t warp = one > other ? one : other;
    if (s->base != q->base) {
        memset(s->cells, 0, q->b->cells.size / 8 + 8);
        s->base = q->base;
        s->warp = 0;
    }
    s->warp = warp > s->warp ? warp : s->warp;
    s->cells[i / 64] |= cells << i % 64;
    if (i % 64 > 48)
        s->cells[i / 64 + 1] |= cells >> (64 - i % 64);
}

static inline bool is_settled(const struct quick *q, uint64_t i, uint64_t end) {
    const struct settled *s = &q->b->settled;
    if (s->base != q->base || MARK_WARP(q->mark.packed) <= s->warp || q->b->order.partly)
        return false;
    while (i < end) {
        uint64_t n = end - i < 64 - i % 64 ? end - i : 64 - i % 64, wanted = ~(uint64_t)0 >> (64 - n) << i % 64;
        if ((s->cells[i / 64] & wanted) != wanted)
            return false;
        i += n;
    }
    return true;
}

/* What race_shared's remember_read does. False: something else than barriers orders the block's warps, and must be asked. */
static bool remember(const struct quick *q, uint64_t i, struct access_mark new) {
    const struct shared_cells *c = &q->b->cells;
    struct access_mark reads[2];
    for (int k = 0; k < 2; k++) {
        reads[k] = cells_mark(c, i, CELL_READ + k);
        if (is_over(q, reads[k], new.packed) || !((reads[k].packed ^ new.packed) & THREAD_BITS)) {
            cells_set_mark(c, i, CELL_READ + k, new);
            return true;
        }
        if (q->b->order.partly)
            return false;
    }
    if (!((reads[0].packed ^ reads[1].packed) & WARP_BITS))
        cells_set_mark(c, i, CELL_READ_TOO, new);
    else if (is_over_for_all(q, i, CELL_WRITE) && is_over_for_all(q, i, CELL_STRONG))
        settle(q, i, 1, MARK_WARP(reads[0].packed), MARK_WARP(reads[1].packed));
    return true;
}

/* All that come to the cell at once leave what they would leave one after the other. */
static bool remember_all(const struct quick *q, uint64_t i, uint32_t lanes) {
    const struct shared_cells *c = &q->b->cells;
    struct access_mark new = q->mark;
    struct access_mark reads[] = {cells_mark(c, i, CELL_READ), cells_mark(c, i, CELL_READ_TOO)};
    uint32_t first = (uint32_t)__builtin_ctz(lanes), last = 31u - (uint32_t)__builtin_clz(lanes);
    new.packed += first;
    if (is_over(q, reads[0], new.packed) && is_over(q, reads[1], new.packed)) {
        cells_set_mark(c, i, CELL_READ, new);
        new.packed = q->mark.packed + last;
        cells_set_mark(c, i, CELL_READ_TOO, new);
        return true;
    }
    if (!remember(q, i, new))
        return false;
    for (enum cell_mark k = CELL_READ; k <= CELL_READ_TOO; k++) {
        struct access_mark old = cells_mark(c, i, k);
        if (!is_over(q, old, new.packed) && !((old.packed ^ new.packed) & WARP_BITS) &&
            lanes >> (old.packed & MARK_LANE) & 1)
            cells_set_mark(c, i, k, (struct access_mark){new.time, q->mark.packed + (old.packed & MARK_LANE)});
    }
    new.packed = q->mark.packed + last;
    return remember(q, i, new);
}

static bool read_cell(const struct quick *q, uint64_t i, struct access_mark new, uint32_t lanes) {
    const struct shared_cells *c = &q->b->cells;
    struct access_mark write = cells_mark(c, i, CELL_WRITE);
    if (write.packed & MARK_COPY || !is_no_danger(q, write, new.packed) ||
        !is_no_danger(q, cells_mark(c, i, CELL_STRONG), new.packed))
        return false;
    return lanes & (lanes - 1) ? remember_all(q, i, lanes) : remember(q, i, new);
}

static bool write_cell(const struct quick *q, uint64_t i, struct access_mark new) {
    const struct shared_cells *c = &q->b->cells;
    if (cells_packed(c, CELL_WRITE)[i] & MARK_COPY)
        return false;
    for (enum cell_mark k = CELL_WRITE; k < CELL_MARKS; k++)
        if (!is_no_danger(q, cells_mark(c, i, k), new.packed))
            return false;
    cells_set_mark(c, i, CELL_WRITE, new);
    for (enum cell_mark k = CELL_STRONG; k < CELL_MARKS; k++)
        cells_times(c, k)[i] = 0;
    return true;
}

/* ---- 16 cells: the same where all of them are alike ---- */

static inline uint32_t which_before(const struct quick *q, uint64_t i, enum cell_mark mark, uint32_t time) {
    return QUICK_WHERE(QUICK_AT(cells_times(&q->b->cells, mark), i) < time);
}

static inline uint32_t which_equal(const struct quick *q, uint64_t i, enum cell_mark mark, quick_cells packed,
                                   uint32_t bits) {
    return QUICK_WHERE(((QUICK_AT(cells_packed(&q->b->cells, mark), i) ^ packed) & bits) == 0);
}

static inline uint32_t which_over(const struct quick *q, uint64_t i, enum cell_mark mark, quick_cells packed) {
    uint32_t over = which_before(q, i, mark, q->base);
    if (over == QUICK_ALL || q->synced <= q->base)
        return over;
    return over | (which_before(q, i, mark, q->synced) & which_equal(q, i, mark, packed, WARP_BITS));
}

static inline uint32_t which_no_danger(const struct quick *q, uint64_t i, enum cell_mark mark, quick_cells packed) {
    uint32_t over = which_over(q, i, mark, packed);
    return over == QUICK_ALL ? over : over | which_equal(q, i, mark, packed, q->thread);
}

static inline void set_marks(const struct quick *q, uint64_t i, enum cell_mark mark, quick_cells packed) {
    static const quick_cells none;
    QUICK_SET(cells_times(&q->b->cells, mark), i) = none + q->mark.time;
    QUICK_SET(cells_packed(&q->b->cells, mark), i) = packed;
}

static inline bool any_copies(const struct quick *q, uint64_t i) {
    return QUICK_WHERE((QUICK_AT(cells_packed(&q->b->cells, CELL_WRITE), i) & MARK_COPY) != 0);
}

/* False: look at them one by one. */
static bool read_cells(const struct quick *q, uint64_t i, quick_cells packed) {
    if ((which_no_danger(q, i, CELL_WRITE, packed) & which_no_danger(q, i, CELL_STRONG, packed)) != QUICK_ALL ||
        any_copies(q, i))
        return false;
    for (enum cell_mark k = CELL_READ; k <= CELL_READ_TOO; k++) {
        uint32_t taken = which_over(q, i, k, packed);
        taken |= taken == QUICK_ALL ? 0 : which_equal(q, i, k, packed, THREAD_BITS);
        if (taken == QUICK_ALL)
            set_marks(q, i, k, packed);
        if (taken)
            return taken == QUICK_ALL;
        if (q->b->order.partly)
            return false;
    }
    const uint32_t *one = cells_packed(&q->b->cells, CELL_READ), *other = cells_packed(&q->b->cells, CELL_READ_TOO);
    uint32_t one_warp = which_equal(q, i, CELL_READ, QUICK_AT(other, i), WARP_BITS);
    if (one_warp == QUICK_ALL)
        set_marks(q, i, CELL_READ_TOO, packed);
    if (one_warp)
        return one_warp == QUICK_ALL;
    if ((which_before(q, i, CELL_WRITE, q->base) & which_before(q, i, CELL_STRONG, q->base)) == QUICK_ALL &&
        which_equal(q, i, CELL_READ, (quick_cells){0} + one[i], WARP_BITS) == QUICK_ALL &&
        which_equal(q, i, CELL_READ_TOO, (quick_cells){0} + other[i], WARP_BITS) == QUICK_ALL)
        settle(q, i, QUICK_ALL, MARK_WARP(one[i]), MARK_WARP(other[i]));
    return true;
}

static bool write_cells(const struct quick *q, uint64_t i, quick_cells packed) {
    static const quick_cells none;
    uint32_t good = QUICK_ALL, over = QUICK_ALL;
    for (enum cell_mark k = CELL_WRITE; k < CELL_MARKS; k++) {
        good &= which_no_danger(q, i, k, packed);
        over &= which_before(q, i, k, q->base);
    }
    if (good != QUICK_ALL || any_copies(q, i))
        return false;
    set_marks(q, i, CELL_WRITE, packed);
    for (enum cell_mark k = CELL_STRONG; over != QUICK_ALL && k < CELL_MARKS; k++) /* those that are over may stay */
        QUICK_SET(cells_times(&q->b->cells, k), i) = none;
    return true;
}

/* ---- spans ---- */

static bool cells_one_by_one(const struct quick *q, const struct span *s, uint64_t cell, uint64_t i, uint64_t end) {
    bool alone = span_is_exclusive(s, q->bytes);
    for (; i < end; i++) {
        struct access_mark new = {q->mark.time, q->mark.packed + s->lane + (uint32_t)(i >> q->shift)};
        if (!(q->write ? write_cell(q, cell + i, new) : read_cell(q, cell + i, new, alone ? 1 : s->lanes)))
            return false;
    }
    return true;
}

/* False as soon as a cell is not simple: the careful way looks at all of them again. */
static bool span_is_quick(const struct quick *q, const struct span *s) {
    unsigned unit = q->b->launch->unit_shift;
    uint64_t cell = (s->at & 0xffffffffu) >> unit, n = s->bytes >> unit, i = 0;
    struct access_mark first = {q->mark.time, q->mark.packed + s->lane};
    if (q->write)
        q->b->settled.base = 0;
    else if (is_settled(q, cell, cell + n))
        return true;
    for (; i + QUICK_CELLS <= n && span_is_exclusive(s, q->bytes); i += QUICK_CELLS) {
        quick_cells packed = quick_packed(first, i, q->shift);
        bool quick = q->write ? write_cells(q, cell + i, packed) : read_cells(q, cell + i, packed);
        if (!quick && !cells_one_by_one(q, s, cell, i, i + QUICK_CELLS))
            return false;
    }
    return cells_one_by_one(q, s, cell, i, n);
}

static void set_bits(uint64_t *bits, uint64_t at, uint64_t bytes) {
    for (uint64_t end = at + bytes; at < end;) {
        uint64_t place = at % 64, n = end - at < 64 - place ? end - at : 64 - place;
        bits[at / 64] |= ~(uint64_t)0 >> (64 - n) << place;
        at += n;
    }
}

/* A store writes the bytes of a span; a load finds them written, or not. */
static bool written_is_quick(const struct block_watch *b, uint32_t at, uint32_t bytes, bool write) {
    if (!b->shared_written)
        return true;
    if (!write)
        return watched_bits(b->shared_written, at, bytes);
    set_bits(b->shared_written, at, bytes);
    return true;
}

static inline struct quick quick_of(struct block_watch *b, struct access_mark mark, uint32_t bytes, bool write) {
    return (struct quick){.b = b,
                          .mark = mark,
                          .bytes = bytes,
                          .write = write,
                          .base = b->order.base,
                          .synced = b->order.warps[MARK_WARP(mark.packed)].synced,
                          .shift = (unsigned)__builtin_ctz(bytes) - b->launch->unit_shift};
}

void quick_shared_read(struct block_watch *b, struct access_mark mark, const struct span *s, uint32_t bytes) {
    struct quick q = quick_of(b, mark, bytes, false);
    uint64_t cell = (s->at & 0xffffffffu) >> b->launch->unit_shift, cells = bytes >> b->launch->unit_shift;
    bool exclusive = span_is_exclusive(s, bytes);
    q.thread = exclusive ? THREAD_BITS : ~0u;
    if (span_is_quick(&q, s))
        return;
    for (uint32_t rest = s->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), skip = exclusive ? (lane - s->lane) * (uint32_t)cells : 0;
        for (uint64_t i = 0; i < cells; i++)
            race_shared_read(b, cell + skip + i, (struct access_mark){mark.time, mark.packed + lane});
    }
}

/* The address of a span is a multiple of `align`, or it is not quick. */
static inline __attribute__((always_inline)) uint32_t
left_by_quick(struct block_watch *b, const struct touch *t, const struct span *spans, unsigned count, uint32_t align) {
    const struct launch *l = t->warp->launch;
    unsigned unit = b->launch->unit_shift;
    uint32_t left = 0;
    if (t->bytes >> unit == 0 || !quick_can(b, t))
        return t->warp->mask;
    struct quick q = quick_of(b, touch_mark(b, t), t->bytes, t->write);
    read_log_tell(b);
    if (t->write)
        read_log_shut(b, t->site->mark & MARK_COPY);
    for (const struct span *s = spans; s < spans + count; s++) {
        uint64_t at = s->at & 0xffffffffu;
        bool inside = !(at & (align - 1)) && at + s->bytes <= l->shared_bytes && at >= l->kernel->reserved_shared;
        q.thread = span_is_exclusive(s, t->bytes) ? THREAD_BITS : ~0u;
        bool quick = !left && inside && (!b->cells.planes || span_is_quick(&q, s)) &&
                     written_is_quick(b, (uint32_t)at, s->bytes, t->write);
        left |= quick ? 0 : s->lanes;
    }
    return left;
}

/* Lanes whose address has left the shared variable that it was computed from. */
static void report_outside(const struct touch *t) {
    const struct ptx_variable *v = t->site->variable;
    struct warp *w = t->warp;
    uint64_t addresses[WARP_SIZE];
    uint32_t outside = 0;
    access_addresses(w, t->in, addresses);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint64_t at = addresses[l] & 0xffffffffu;
        if (at + t->bytes <= w->launch->shared_bytes && (at < v->address || at + t->bytes > v->address + v->size))
            outside |= 1u << l;
    }
    if (outside)
        report_outside_variable(w, t->in, v, outside, addresses[first_lane(outside)] & 0xffffffffu, t->bytes);
}

static inline void check_variable(const struct block_watch *b, const struct touch *t, const struct span *spans,
                                  unsigned count) {
    const struct ptx_variable *v = t->site->variable;
    bool outside = false;
    if (!v || !(b->launch->checks & CHECK_MEMORY))
        return;
    for (const struct span *s = spans; s < spans + count; s++) {
        uint64_t at = s->at & 0xffffffffu;
        outside |= at < v->address || at + s->bytes > v->address + v->size;
    }
    if (outside)
        report_outside(t);
}

/* What is tried for whole warps, before their lanes are looked at: to note the read and nothing more. First where it is regular, ... */
static bool note_halves(const struct warp *w, const struct insn *in, const struct site *s) {
    const struct access *a = in->extra;
    uint32_t at[2];
    return watched_look(w, a->address_reg, (uint32_t)in->imm, s->constants, at) != PATTERN_NONE;
}

/* Have the bytes that lanes read been written? A lane's are in one word of the bits. */
static bool each_written(const struct block_watch *b, const uint32_t address[MAX_LANES], uint32_t bytes) {
    const uint32_t *bits = (const uint32_t *)(const void *)b->shared_written, wanted = (uint32_t)((1u << bytes) - 1);
    uint32_t missing = 0;
    for (int l = 0; l < MAX_LANES; l++)
        missing |= ~(bits[address[l] / 32] >> address[l] % 32) & wanted;
    return !missing;
}

/* ... then wherever its lanes go. */
static bool note_each(struct block_watch *b, const struct warp *w, const struct insn *in, const struct site *s) {
    const struct access *a = in->extra;
    const struct watched_access x = s->constants;
    const uint32_t *base = (const uint32_t *)(const void *)(w->regs + a->address_reg);
    uint32_t address[MAX_LANES], low = ~0u, high = 0, odd = 0, end = w->launch->shared_bytes;
    end = x.end < end ? x.end : end;
    for (int l = 0; l < MAX_LANES; l++) {
        address[l] = base[l] + (uint32_t)in->imm;
        low = address[l] < low ? address[l] : low;
        high = address[l] > high ? address[l] : high;
        odd |= address[l] & (x.bytes - 1);
    }
    if (odd || low < x.begin || (uint64_t)high + x.bytes > end)
        return false;
    if (high + x.bytes > b->written_until && !each_written(b, address, x.bytes))
        return false;
    return read_log_add_each(b, whole_mark(b, w, x.mark), address);
}

static bool note_read(struct block_watch *b, const struct warp *w, const struct insn *in, const struct site *s) {
    const struct access *a = in->extra;
    if (w->mask != FULL_MASK || a->kind != ACCESS_LOAD || a->address_bits != 32)
        return false;
    if (note_halves(w, in, s))
        return true;
    watch_lanes_come(b, w, in);
    read_log_expect(b, w->index);
    if (!(b->reads.ready >> w->index & 1))
        return false;
    if (b->shared_written)
        written_extend(b, w->launch->shared_bytes);
    else
        b->written_until = ~0u;
    return note_halves(w, in, s) || note_each(b, w, in, s);
}

const struct insn *watched_shared(struct warp *w, const struct insn *in) {
    struct block_watch *b = w->block->watch;
    const struct site *s = &b->launch->sites->items[in->index];
    if (note_read(b, w, in, s))
        return s->run(w, in);
    struct span spans[WARP_SIZE];
    struct touch t = touch_of(w, in, s);
    unsigned count = spans_find(w, in, spans);
    watch_lanes_come(b, w, in);
    check_variable(b, &t, spans, count);
    uint32_t left = left_by_quick(b, &t, spans, count, t.bytes);
    if (left)
        watch_lanes(b, &t, left);
    bool loaded = !left && quick_load(&t, spans, count, (uintptr_t)w->block->shared, 0xffffffffu);
    return loaded ? in + 1 : warp_hand_on(w, s->run(w, in));
}

uint32_t quick_shared_spans(struct block_watch *b, const struct touch *t, const struct span *spans, unsigned count) {
    return left_by_quick(b, t, spans, count, 1u << b->launch->unit_shift);
}

uint32_t quick_shared(struct block_watch *b, struct touch *t) {
    struct span spans[WARP_SIZE];
    unsigned count = spans_find(t->warp, t->in, spans);
    check_variable(b, t, spans, count);
    return left_by_quick(b, t, spans, count, t->bytes);
}

/* ---- atomic operations ---- */

/* Strong accesses conflict with plain ones only. */
static bool is_no_danger_to_strong(const struct quick *q, struct access_mark old, uint32_t packed) {
    return old.packed & MARK_STRONG || is_no_danger(q, old, packed);
}

static bool update_is_quick(const struct quick *q, const struct warp *w, uint64_t at, uint32_t packed) {
    const struct block_watch *b = q->b;
    const struct shared_cells *c = &b->cells;
    unsigned unit = b->launch->unit_shift;
    if (at & (q->bytes - 1) || at + q->bytes > w->launch->shared_bytes || at < w->launch->kernel->reserved_shared ||
        (b->shared_written && !watched_bits(b->shared_written, (uint32_t)at, q->bytes)))
        return false;
    for (uint64_t i = at >> unit; c->planes && i < (at + q->bytes) >> unit; i++) {
        if (cells_packed(c, CELL_WRITE)[i] & MARK_COPY)
            return false;
        for (enum cell_mark k = CELL_WRITE; k < CELL_MARKS; k++)
            if (k != CELL_STRONG && !is_no_danger_to_strong(q, cells_mark(c, i, k), packed))
                return false;
    }
    return true;
}

static void remember_update(const struct quick *q, uint64_t at, uint32_t packed) {
    unsigned unit = q->b->launch->unit_shift;
    for (uint64_t i = at >> unit; i < (at + q->bytes) >> unit; i++)
        cells_set_mark(&q->b->cells, i, CELL_STRONG, (struct access_mark){q->mark.time, packed});
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
           (!b->shared_written || high + bytes <= b->written_until || each_written(b, at, bytes));
}

/* Has nobody but atomics come to them since the last barrier of the whole block, as nearly always? Then nothing else need be asked. */
static bool updates_are_alone(const struct quick *q, const struct warp *w, const uint64_t addresses[MAX_LANES]) {
    const struct shared_cells *c = &q->b->cells;
    const uint32_t *write = cells_times(c, CELL_WRITE), *copy = cells_packed(c, CELL_WRITE);
    const uint32_t *read = cells_times(c, CELL_READ), *read_too = cells_times(c, CELL_READ_TOO);
    const uint32_t unit = q->b->launch->unit_shift, cells = q->bytes >> unit;
    uint32_t at[MAX_LANES], young = 0, copies = 0;
    for (int l = 0; l < MAX_LANES; l++)
        at[l] = (uint32_t)addresses[l];
    if (w->mask != FULL_MASK || !c->planes || !updates_are_inside(q->b, w, at, q->bytes))
        return false;
    for (uint32_t k = 0; k < cells; k++)
        for (int l = 0; l < MAX_LANES; l++) {
            uint32_t i = (at[l] >> unit) + k;
            young |=
                (uint32_t)(write[i] >= q->base) | (uint32_t)(read[i] >= q->base) | (uint32_t)(read_too[i] >= q->base);
            copies |= copy[i];
        }
    return !young && !(copies & MARK_COPY);
}

static bool updates_are_quick(const struct quick *q, const struct warp *w, const uint64_t addresses[MAX_LANES]) {
    if (updates_are_alone(q, w, addresses))
        return true;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        if (!update_is_quick(q, w, addresses[l] & 0xffffffffu, q->mark.packed + (uint32_t)l))
            return false;
    }
    return true;
}

uint32_t quick_shared_atomic(struct block_watch *b, const struct touch *t) {
    const struct warp *w = t->warp;
    uint64_t addresses[WARP_SIZE];
    bool talks = t->site->flags & (SITE_RELEASE | SITE_ACQUIRE) || order_may_release(&b->order);
    if (talks || !quick_can(b, t) || t->bytes >> b->launch->unit_shift == 0)
        return w->mask;
    access_addresses(w, t->in, addresses);
    read_log_tell(b);
    read_log_shut(b, false);
    struct quick q = quick_of(b, touch_mark(b, t), t->bytes, true);
    q.thread = THREAD_BITS;
    if (!updates_are_quick(&q, w, addresses))
        return w->mask;
    b->settled.base = 0;
    for (uint32_t rest = b->cells.planes ? w->mask : 0; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        remember_update(&q, addresses[l] & 0xffffffffu, q.mark.packed + (uint32_t)l);
    }
    return 0;
}

/* ---- local memory: each lane has its own ---- */

uint32_t quick_local(struct block_watch *b, const struct touch *t) {
    uint64_t addresses[WARP_SIZE];
    uint32_t left = 0;
    if (!b->local_written)
        return 0;
    if (!quick_can(b, t))
        return t->warp->mask;
    access_addresses(t->warp, t->in, addresses);
    for (uint32_t rest = t->warp->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t at = addresses[lane];
        uint8_t *bits = b->local_written + (t->warp->index * (size_t)WARP_SIZE + lane) * b->local_stride;
        uint32_t wanted = (1u << t->bytes) - 1, word;
        if (t->bytes > 16 || at & (t->bytes - 1) || at + t->bytes > t->warp->launch->local_bytes) {
            left |= 1u << lane;
            continue;
        }
        memcpy(&word, bits + at / 8, sizeof word);
        if (t->write) {
            word |= wanted << at % 8;
            memcpy(bits + at / 8, &word, sizeof word);
        } else if ((word >> at % 8 & wanted) != wanted) {
            left |= 1u << lane;
        }
    }
    return left;
}
