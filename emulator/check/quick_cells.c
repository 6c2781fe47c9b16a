/* See quick_cells.h. */
#include "check/quick_cells.h"

#include "check/quick.h"
#include "machine/simd.h"

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
        q->number = chunk_visit(c, &q->by.mark, q->floor);
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

static bool read_any(struct quick *q, const struct row *r) {
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
        if (rest && (q->partly || rest & ~read.launch))
            return false;
    }
    if (rest)
        read_again(q, r, rest, both_mine, write.none & strong.none);
    return true;
}

static inline bool is_empty(const struct row *r, enum cell_mark mark) {
    uint64_t some[4];
    if (!r->chunk->planes[mark])
        return true;
    memcpy(some, chunk_numbers(r->chunk, mark) + r->i, sizeof some);
    return !(some[0] | some[1] | some[2] | some[3]);
}

static inline quick_cells numbers_of(const struct row *r, enum cell_mark mark) {
    const row_numbers *numbers = (const row_numbers *)(const void *)(chunk_numbers(r->chunk, mark) + r->i);
    return __builtin_convertvector(*numbers, quick_cells);
}

/* The usual case: cells that nobody writes, and nobody else has read than the block now. Returns the other cells. */
static inline uint32_t read_mine(struct quick *q, const struct row *r) {
    struct race_chunk *c = r->chunk;
    if (!is_empty(r, CELL_WRITE) || !is_empty(r, CELL_STRONG) || !chunk_need_plane(c, CELL_READ) ||
        !chunk_need_plane(c, CELL_READ_TOO))
        return r->on;
    if (!q->number)
        q->number = chunk_known_visit(c, &q->by.mark);
    uint32_t number = q->number ? q->number : ~0u;
    quick_cells one = numbers_of(r, CELL_READ), other = numbers_of(r, CELL_READ_TOO);
    uint32_t mine = QUICK_WHERE(one == number), none = QUICK_WHERE(one == 0);
    uint32_t thread = QUICK_WHERE(((QUICK_AT(c->planes[CELL_READ] + r->i, 0) ^ r->packed) & THREAD_BITS) == 0);
    uint32_t free = QUICK_WHERE(other == 0) | QUICK_WHERE(other == number);
    uint32_t first = r->on & (none | (mine & thread)), second = r->on & mine & free & ~first;
    if (first)
        set_where(q, r, CELL_READ, first);
    if (second)
        set_where(q, r, CELL_READ_TOO, second);
    return r->on & ~(first | second);
}

static bool read_one(struct quick *q, const struct row *r, uint64_t i);

static inline bool read_row(struct quick *q, const struct row *r) {
    struct row rest = *r;
    rest.on = read_mine(q, r);
    if (rest.on & (rest.on - 1))
        return read_any(q, &rest);
    return !rest.on || read_one(q, &rest, r->i + (uint64_t)__builtin_ctz(rest.on));
}

static bool write_row(struct quick *q, const struct row *r) {
    uint32_t good = r->on;
    bool empty[CELL_MARKS];
    for (enum cell_mark k = CELL_WRITE; k < CELL_MARKS; k++) {
        if ((empty[k] = is_empty(r, k)))
            continue;
        struct past p = past_of(q, r, k);
        good &= no_danger(q, &p);
    }
    if (good != r->on)
        return false;
    set_where(q, r, CELL_WRITE, r->on);
    for (enum cell_mark k = CELL_STRONG; k < CELL_MARKS; k++)
        if (!empty[k])
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
    return m->launch != q->by.mark.launch || q->partly;
}

static inline struct global_mark mark_at(const struct race_chunk *c, uint64_t i, enum cell_mark mark) {
    unsigned n = c->planes[mark] ? chunk_numbers(c, mark)[i] : 0;
    if (!n)
        return (struct global_mark){0};
    const struct visit *v = &c->visits[n];
    return (struct global_mark){v->launch, v->block, {v->time, c->planes[mark][i]}};
}

/* What race_global's remember_read does. False: something must be asked that is not known here. */
static bool remember(struct quick *q, const struct row *r, uint64_t i, uint32_t packed, bool settles) {
    struct global_mark reads[2];
    for (int k = 0; k < 2; k++) {
        reads[k] = mark_at(r->chunk, i, CELL_READ + k);
        if (is_over(q, &reads[k], packed) || is_thread(q, &reads[k], packed)) {
            quick_set_at(q, r->chunk, i, CELL_READ + k, packed);
            return true;
        }
        if (must_ask(q, &reads[k]))
            return false;
    }
    if (reads[0].block == reads[1].block)
        quick_set_at(q, r->chunk, i, CELL_READ_TOO, packed);
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
        quick_set_at(q, r->chunk, i, CELL_READ, first);
        quick_set_at(q, r->chunk, i, CELL_READ_TOO, last);
        return true;
    }
    if (!remember(q, r, i, first, settles))
        return false;
    for (enum cell_mark k = CELL_READ; k <= CELL_READ_TOO; k++) {
        struct global_mark old = mark_at(r->chunk, i, k);
        uint32_t lane = old.mark.packed & MARK_LANE;
        if (q->lanes >> lane & 1 && is_thread(q, &old, warp + lane) && !is_over(q, &old, warp + lane))
            quick_set_at(q, r->chunk, i, k, warp + lane);
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
    quick_set_at(q, r->chunk, r->i, CELL_WRITE, packed);
    for (enum cell_mark k = CELL_STRONG; k < CELL_MARKS; k++)
        if (r->chunk->planes[k])
            chunk_numbers(r->chunk, k)[r->i] = 0;
    return true;
}

static inline bool row_is_quick(struct quick *q, const struct row *r) {
    if (q->write)
        return r->on == 1 && q->alone ? write_one(q, r) : write_row(q, r);
    return q->alone && r->on != 1 ? read_row(q, r) : read_one_by_one(q, r);
}

bool quick_cells_run(struct quick *q, struct race_chunk *c, uint64_t i, uint64_t n, uint64_t begin, uint32_t lane) {
    uint32_t packed = q->by.mark.mark.packed + lane;
    for (uint64_t k = 0; k < n; k += ROW_CELLS) {
        uint32_t on = n - k < ROW_CELLS ? QUICK_ALL >> (ROW_CELLS - (n - k)) : QUICK_ALL;
        struct row r = {c, i + k, on, packed + ((count + (uint32_t)(begin + k)) >> q->shift)};
        if (!row_is_quick(q, &r))
            return false;
    }
    return true;
}

/* ---- reads that were logged ---- */

void chunk_tell(struct race_chunk *c) {
    uint32_t logged = c->logged;
    c->logged = 0;
    if (!logged || !chunk_expand(c, 2))
        return;
    for (const struct extent *e = c->log; e < c->log + logged; e++) {
        uint32_t base = e->mark.mark.time;
        struct quick q = {.by = {e->mark, e->mark.launch - 1, base, base}, .alone = true, .written = true};
        q.shift = e->shift - c->unit_shift;
        quick_cells_run(&q, c, e->first >> c->unit_shift, (e->last + 1u - e->first) >> c->unit_shift, 0,
                        e->first >> e->shift);
    }
}
