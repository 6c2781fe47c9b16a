/* What is nearly always so, found out in a hurry: accesses that nothing remembered can conflict with, to bytes that
 * have been written. What is left goes the careful way, lane by lane (watch.c). Both leave the same behind. */
#include <string.h>

#include "check/allocation_watch.h"
#include "check/block_watch.h"
#include "check/quick.h"

#define CHUNK_MASK (((uint64_t)1 << CHUNK_SHIFT) - 1)

/* ---- shared memory ---- */

static inline bool is_over(struct access_mark m, uint32_t base) {
    return m.time < base;
}

static inline bool quick_read(struct shared_cell *c, uint32_t base, struct access_mark new) {
    if (!is_over(c->write, base) || !is_over(c->strong, base) || c->write.packed & MARK_COPY)
        return false;
    for (int i = 0; i < 2; i++) {
        if (is_over(c->reads[i], base)) {
            c->reads[i] = new;
            return true;
        }
        if (MARK_WARP(c->reads[i].packed) == MARK_WARP(new.packed))
            return true;
    }
    return false;
}

static inline bool quick_write(struct shared_cell *c, uint32_t base, struct access_mark new) {
    if (!is_over(c->write, base) || !is_over(c->strong, base) || !is_over(c->reads[0], base) ||
        !is_over(c->reads[1], base) || c->write.packed & MARK_COPY)
        return false;
    *c = (struct shared_cell){.write = new};
    return true;
}

/* All cells of an access; false as soon as one is not simple: the careful way looks at all of them again. */
static inline bool quick_cells(struct block_watch *b, uint64_t address, uint32_t bytes, bool write,
                               struct access_mark new) {
    struct shared_cell *c = &b->cells[address >> 2];
    for (uint32_t i = 0; i < bytes / 4; i++)
        if (!(write ? quick_write : quick_read)(&c[i], b->order.base, new))
            return false;
    return true;
}

/* The bits of up to 16 aligned bytes, which lie in one word. */
static inline bool quick_written(uint64_t *bits, uint64_t address, uint32_t bytes, bool write) {
    uint64_t *word = &bits[address / 64], wanted = (((uint64_t)1 << bytes) - 1) << address % 64;
    if (write)
        *word |= wanted;
    return (*word & wanted) == wanted;
}

uint32_t quick_shared(struct block_watch *b, const struct touch *t, const uint64_t addresses[WARP_SIZE]) {
    const struct launch *l = t->warp->launch;
    struct access_mark mark = touch_mark(b, t); /* of lane 0 */
    uint64_t last = ~(uint64_t)0;
    uint32_t left = 0;
    if (b->launch->unit_shift != 2 || t->bytes < 4)
        return t->warp->mask;
    for (uint32_t rest = t->warp->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t at = addresses[lane] & 0xffffffffu;
        if (at == last && !t->write)
            continue; /* as the lane before */
        struct access_mark new = {mark.time, mark.packed | lane};
        bool inside = !(at & (t->bytes - 1)) && at + t->bytes <= l->shared_bytes && at >= l->kernel->reserved_shared;
        bool quick = inside && (!b->cells || quick_cells(b, at, t->bytes, t->write, new)) &&
                     (!b->shared_written || quick_written(b->shared_written, at, t->bytes, t->write));
        if (quick)
            last = at;
        else
            left |= 1u << lane;
    }
    return left;
}

uint32_t quick_local(struct block_watch *b, const struct touch *t, const uint64_t addresses[WARP_SIZE]) {
    uint32_t left = 0;
    if (!b->local_written)
        return 0;
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

/* ---- global memory ---- */

struct quick {
    struct block_watch *b;
    const struct touch *touch;
    struct global_mark mark; /* of lane 0 */
    uint32_t before;         /* launches up to this one are over */
};

static inline bool is_over_global(const struct quick *q, const struct global_mark *m) {
    if (m->launch <= q->before)
        return true;
    return m->launch == q->mark.launch && m->block == q->mark.block && m->mark.time < q->b->order.base &&
           !(m->mark.packed & MARK_COPY);
}

static inline bool quick_global_read(const struct quick *q, struct global_cell *c, const struct global_mark *new) {
    if (!is_over_global(q, &c->write) || !is_over_global(q, &c->strong))
        return false;
    for (int i = 0; i < 2; i++) {
        struct global_mark *r = &c->reads[i];
        if (is_over_global(q, r)) {
            *r = *new;
            return true;
        }
        if (r->launch == new->launch &&
            r->block == new->block &&MARK_WARP(r->mark.packed) == MARK_WARP(new->mark.packed))
            return true;
    }
    return c->reads[0].block != c->reads[1].block && c->reads[0].launch == c->reads[1].launch;
}

static inline bool quick_global_write(const struct quick *q, struct global_cell *c, const struct global_mark *new,
                                      uint32_t value) {
    if (!is_over_global(q, &c->write) || !is_over_global(q, &c->strong) || !is_over_global(q, &c->reads[0]) ||
        !is_over_global(q, &c->reads[1]))
        return false;
    *c = (struct global_cell){.write = *new, .value = value, .value_known = true};
    return true;
}

static bool quick_global_cells(const struct quick *q, struct global_cell *c, uint32_t lane) {
    const struct touch *t = q->touch;
    struct global_mark new = q->mark;
    uint32_t values[4];
    new.mark.packed |= lane;
    if (t->write && !touch_stored(t, (int)lane, (uint8_t *)values))
        return false;
    for (uint32_t i = 0; i < t->bytes / 4; i++)
        if (!(t->write ? quick_global_write(q, &c[i], &new, values[i]) : quick_global_read(q, &c[i], &new)))
            return false;
    return true;
}

/* The lanes of a plain access, as long as they stay in one chunk and then in the next one; left ones as bits. */
static uint32_t quick_races(const struct quick *q, const struct allocation *a, const uint64_t *addresses) {
    struct race_chunk *open = NULL;
    uint32_t left = 0, bytes = q->touch->bytes;
    uint64_t last = ~(uint64_t)0;
    for (uint32_t rest = q->touch->warp->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t at = addresses[lane];
        if (at == last && !q->touch->write)
            continue;
        struct race_chunk *c = at & (bytes - 1) || !memory_at(a, at, bytes) ? NULL : allocation_chunk(a, at);
        if (c != open && open)
            chunk_close(open);
        if (c != open)
            open = c && chunk_open(c, 2) ? c : NULL;
        if (open && open->unit_shift == 2 &&
            quick_global_cells(q, &open->cells[((at - a->base) & CHUNK_MASK) >> 2], lane))
            last = at;
        else
            left |= 1u << lane;
    }
    if (open)
        chunk_close(open);
    return left;
}

/* Lanes to bytes next to each other are one range; otherwise nobody is quick. */
static bool quick_range_written(const struct touch *t, const struct allocation *a, const uint64_t *addresses) {
    uint64_t where, all = (uint64_t)WARP_SIZE * t->bytes;
    if (t->warp->mask != FULL_MASK || !memory_at(a, addresses[0], all))
        return false;
    for (uint32_t l = 1; l < WARP_SIZE; l++)
        if (addresses[l] != addresses[0] + (uint64_t)l * t->bytes)
            return false;
    if (t->write)
        allocation_written(a, addresses[0], all);
    return t->write || !allocation_find_unwritten(a, addresses[0], all, &where);
}

static uint32_t quick_lanes_written(const struct touch *t, const struct allocation *a, const uint64_t *addresses) {
    uint32_t left = 0;
    uint64_t where, last = ~(uint64_t)0;
    for (uint32_t rest = t->warp->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t at = addresses[lane];
        if (at == last)
            continue;
        if (!memory_at(a, at, t->bytes))
            left |= 1u << lane;
        else if (t->write)
            allocation_written(a, last = at, t->bytes);
        else if (allocation_find_unwritten(a, at, t->bytes, &where))
            left |= 1u << lane;
        else
            last = at;
    }
    return left;
}

uint32_t quick_global(struct block_watch *b, const struct touch *t, const uint64_t addresses[WARP_SIZE]) {
    const struct allocation *a = t->allocation;
    struct quick q = {.b = b, .touch = t, .before = b->launch->before};
    uint32_t left = 0;
    if (t->bytes < 4 || !a || !a->watch)
        return t->warp->mask;
    q.mark = (struct global_mark){b->launch->operation.serial, (uint32_t)t->warp->block->index, touch_mark(b, t)};
    if (b->launch->checks & CHECK_INIT && !quick_range_written(t, a, addresses))
        left = quick_lanes_written(t, a, addresses);
    if (b->launch->checks & CHECK_RACE)
        left |= quick_races(&q, a, addresses);
    return left;
}
