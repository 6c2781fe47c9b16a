/* A plain load or store of global memory by a whole warp whose halves are regular, in the usual cases: what is read is settled, or the
 * access goes on with an extent of its chunk. The interpreter asks this, and so does the second tier's text, which is compiled for
 * warps of one lane: WARP_SIZE and FULL_MASK must not be used here. */
#ifndef WATCHED_GLOBAL_H
#define WATCHED_GLOBAL_H

#include "check/allocation_watch.h"
#include "check/block_watch.h"
#include "check/extents.h"
#include "ops/memory_fast.h"

/* Once in a kernel's text, which would take the compiler too long otherwise. */
#define WATCHED_CALLED __attribute__((noinline, unused))

/* Who comes, and what is over for it. */
struct comer {
    struct global_mark mark; /* that lane 0 leaves */
    uint32_t before;         /* launches up to this one are over */
    uint32_t base, synced;   /* what the block did before base is over, and what the warp did before synced */
};

static inline bool is_comers_block(const struct comer *q, const struct global_mark *m) {
    return m->launch == q->mark.launch && m->block == q->mark.block;
}

/* mark: that lane 0 leaves. */
static inline struct comer comer_of(const struct block_watch *b, const struct warp *w, struct access_mark mark) {
    return (struct comer){.mark = {b->launch->operation.serial, b->order.index, mark},
                          .before = b->launch->before,
                          .base = b->order.base,
                          .synced = b->order.warps[w->index].synced};
}

/* ---- extents ---- */

/* Over, or each element's by the thread that comes now, alone. `now` is a part of one warp. */
static inline bool extent_is_harmless(const struct comer *q, const struct extent *old, const struct extent *now) {
    if (old->mark.launch <= q->before)
        return true;
    if (!is_comers_block(q, &old->mark))
        return false;
    if (old->mark.mark.time < q->base ||
        (old->shift == now->shift && !((old->mark.mark.packed ^ now->mark.mark.packed) & THREAD_BITS)))
        return true;
    unsigned first = old->first > now->first ? old->first : now->first;
    unsigned last = old->last < now->last ? old->last : now->last;
    uint32_t one = old->mark.mark.packed + (first >> old->shift), other = old->mark.mark.packed + (last >> old->shift);
    uint32_t warp = now->mark.mark.packed + (first >> now->shift);
    return old->mark.mark.time < q->synced && !(((one ^ warp) | (other ^ warp)) & WARP_BITS);
}

static inline bool extents_are_harmless(const struct comer *q, const struct extent *list, unsigned count,
                                        const struct extent *now) {
    for (const struct extent *e = list; e < list + count; e++)
        if (extent_meets(e, now) && !extent_is_harmless(q, e, now))
            return false;
    return true;
}

/* What bytes [in_chunk, in_chunk + bytes) of a chunk leave there, each lane `each` of them; the first lane is `lane`. */
static inline struct extent extent_of(const struct comer *q, uint64_t in_chunk, uint64_t bytes, uint32_t each,
                                      uint32_t lane) {
    struct extent now = {.mark = q->mark,
                         .first = (uint16_t)in_chunk,
                         .last = (uint16_t)(in_chunk + bytes - 1),
                         .shift = (uint8_t)__builtin_ctz(each)};
    now.mark.mark.packed += lane - (uint32_t)(in_chunk / each);
    return now;
}

/* An extent more, where that is done at once: one of the list that says the same grows, or there is room for another, and the others
 * make way at their beginning if at all. */
static inline bool watched_extend(struct extent *list, uint8_t *count, unsigned most, const struct extent *now) {
    struct extent *end = list + *count, *grows = end;
    for (struct extent *e = list; e < end; e++)
        if (extent_is_alike(e, now) && now->first >= e->first && now->first <= e->last + 1)
            grows = e;
    if (grows == end && *count == most)
        return false;
    for (struct extent *e = list; e < end; e++)
        if (e != grows && extent_meets(e, now) && (e->first < now->first || e->last <= now->last))
            return false;
    for (struct extent *e = list; e < end; e++)
        if (e != grows && extent_meets(e, now))
            e->first = (uint16_t)(now->last + 1);
    if (grows == end)
        list[(*count)++] = *now;
    else if (grows->last < now->last)
        grows->last = now->last;
    return true;
}

/* The same for one less: nothing of the list is left where `now` is. */
static inline bool watched_cut(struct extent *list, uint8_t *count, const struct extent *now) {
    for (unsigned i = *count; i-- > 0;) {
        struct extent *e = &list[i];
        if (!extent_meets(e, now))
            continue;
        if (e->first >= now->first && e->last <= now->last)
            *e = list[--*count];
        else if (e->first >= now->first)
            e->first = (uint16_t)(now->last + 1);
        else if (e->last <= now->last)
            e->last = (uint16_t)(now->first - 1);
        else
            return false;
    }
    return true;
}

/* Has nothing been ordered since the last barrier of the whole block? */
static inline bool comer_is_fresh(const struct comer *q) {
    return q->mark.mark.time == q->base && q->synced <= q->base;
}

/* Notes a read in the log of its chunk. */
static inline bool watched_log(struct race_chunk *c, const struct comer *q, const struct extent *now) {
    unsigned unit = c->expanded ? c->unit_shift : 0;
    if (now->shift < unit || !chunk_log(c, now, q->before))
        return false;
    c->parts |= now->shift < 2;
    return true;
}

/* ---- what is settled ---- */

/* Bytes [in_chunk, in_chunk + bytes), if they are not astride of two words of bits. */
static inline bool watched_is_settled(const struct race_chunk *c, const struct comer *q, uint64_t in_chunk,
                                      uint32_t bytes) {
    uint64_t i = in_chunk / 4, n = (in_chunk + bytes + 3) / 4 - i;
    if (atomic_load_explicit(&c->settled_launch, memory_order_acquire) != q->mark.launch || i % 64 + n > 64)
        return false;
    uint64_t set = atomic_load_explicit(&c->settled[i / 64], memory_order_acquire) >> i % 64;
    return !(~set << (64 - n)) && q->mark.block > atomic_load_explicit(&c->settled_block, memory_order_acquire) &&
           atomic_load_explicit(&c->settled_launch, memory_order_acquire) == q->mark.launch;
}

/* ---- a warp ---- */

/* Where its halves access, both in the same way. */
struct watched_place {
    const struct allocation *allocation;
    struct race_chunk *chunks;
    uint64_t offset[2]; /* in the allocation */
    uint32_t each;      /* bytes of a lane */
    uint32_t bytes;     /* of a half */
    enum pattern pattern;
};

/* May the warp be seen as a whole, and is order between blocks nothing to be asked? */
static inline bool watched_is_simple(const struct block_watch *b, const struct warp *w, const struct watched_access x) {
    return !b->order.partly && watch_whole_comes_to(b, w, MARK_SITE(x.mark)) &&
           (b->launch->checks & (CHECK_RACE | CHECK_CAREFUL)) == CHECK_RACE;
}

static inline enum pattern watched_pattern(const uint64_t *address, uint32_t each) {
    if (address[0] != address[1])
        return simd_is_run64(address, each) ? PATTERN_RUN : PATTERN_NONE;
    return simd_is_run64(address, 0) ? PATTERN_SAME : PATTERN_NONE;
}

/* False: it is irregular, or not all of it is there. */
static inline bool watched_find(const struct warp *w, const struct fast_access f, uint32_t each,
                                struct watched_place *p) {
    const struct allocation *a = p->allocation = w->worker->cache[f.cache];
    const uint64_t *address = (const uint64_t *)(const void *)(w->regs + f.address);
    if (!a || !a->watch || !(p->chunks = atomic_load_explicit(&a->watch->chunks, memory_order_acquire)))
        return false;
    p->pattern = watched_pattern(address, each);
    if (p->pattern == PATTERN_NONE || watched_pattern(address + HALF, each) != p->pattern)
        return false;
    p->each = each;
    p->bytes = p->pattern == PATTERN_RUN ? HALF * each : each;
    p->offset[0] = address[0] + (uint64_t)f.imm - a->base;
    p->offset[1] = address[HALF] + (uint64_t)f.imm - a->base;
    return p->offset[0] < a->limit && p->bytes <= a->limit - p->offset[0] && p->offset[1] < a->limit &&
           p->bytes <= a->limit - p->offset[1] && !((p->offset[0] | p->offset[1] | a->base) & (each - 1));
}

/* What a warp does to one run of memory goes on with the extents of its chunk, which is locked. */
static inline bool watched_go_on(const struct comer *q, struct race_chunk *c, const struct extent *now, bool write) {
    return !c->expanded && !c->logged && extents_are_harmless(q, c->writes, c->write_count, now) &&
           extents_are_harmless(q, c->reads, c->read_count, now) &&
           (write ? watched_extend(c->writes, &c->write_count, MOST_WRITES, now) &&
                        watched_cut(c->reads, &c->read_count, now)
                  : watched_extend(c->reads, &c->read_count, MOST_READS, now));
}

/* The chunk is locked, if nobody else is there, and what is over is forgotten. */
static inline bool watched_enter(const struct block_watch *b, struct race_chunk *c) {
    if (!chunk_try_lock(c))
        return false;
    if (c->newest > b->launch->floor)
        return true;
    if (!c->expanded) {
        c->write_count = c->read_count = 0;
        c->logged = 0;
        c->parts = false;
        return true;
    }
    chunk_close(c);
    return false;
}

/* All that a half reads in one chunk. */
static WATCHED_CALLED bool watched_read_piece(const struct block_watch *b, const struct comer *q, struct race_chunk *c,
                                              const struct extent *now) {
    if (!watched_enter(b, c))
        return false;
    chunk_note_launch(c, q->mark.launch, false);
    bool good = watched_go_on(q, c, now, false) || (comer_is_fresh(q) && watched_log(c, q, now));
    c->parts |= good && now->shift < 2;
    chunk_close(c);
    return good;
}

/* Lanes read `bytes` one after the other, from this place of the allocation on. */
static WATCHED_CALLED bool watched_read_run(const struct block_watch *b, const struct comer *q,
                                            const struct watched_place *p, uint64_t offset, uint64_t bytes,
                                            uint32_t lane) {
    uint64_t in_chunk = offset % CHUNK_BYTES, here = CHUNK_BYTES - in_chunk < bytes ? CHUNK_BYTES - in_chunk : bytes;
    struct race_chunk *c = &p->chunks[offset >> CHUNK_SHIFT];
    struct extent now = extent_of(q, in_chunk, here, p->each, lane);
    if (!watched_read_piece(b, q, c, &now))
        return false;
    if (here == bytes)
        return true;
    now = extent_of(q, 0, bytes - here, p->each, lane + (uint32_t)(here / p->each));
    return watched_read_piece(b, q, c + 1, &now);
}

/* All checks of a load by all lanes are done and found nothing, and it is remembered. False: nothing is done. */
static inline bool watched_read(const struct warp *w, const struct fast_access f, const struct watched_access x,
                                struct watched_place *p) {
    const struct block_watch *b = w->block->watch;
    if (!watched_is_simple(b, w, x) || !watched_find(w, f, x.bytes, p))
        return false;
    struct comer q = comer_of(b, w, whole_mark(b, w, x.mark));
    const struct race_chunk *low = &p->chunks[p->offset[0] >> CHUNK_SHIFT],
                            *high = &p->chunks[p->offset[1] >> CHUNK_SHIFT];
    if (watched_is_settled(low, &q, p->offset[0] % CHUNK_BYTES, p->bytes) &&
        watched_is_settled(high, &q, p->offset[1] % CHUNK_BYTES, p->bytes))
        return true;
    if (!allocation_is_written(p->allocation, p->allocation->base + p->offset[0], 2 * (uint64_t)p->bytes))
        return false;
    if (p->pattern != PATTERN_RUN)
        return false;
    if (p->offset[1] == p->offset[0] + p->bytes)
        return watched_read_run(b, &q, p, p->offset[0], 2 * (uint64_t)p->bytes, 0);
    return watched_read_run(b, &q, p, p->offset[0], p->bytes, 0) &&
           watched_read_run(b, &q, p, p->offset[1], p->bytes, HALF);
}

/* The chunk that a store goes on with, locked. NULL: nothing is done. */
static WATCHED_CALLED struct race_chunk *watched_write_run(const struct block_watch *b, const struct comer *q,
                                                           const struct watched_place *p) {
    uint64_t offset = p->offset[0], in_chunk = offset % CHUNK_BYTES, bytes = 2 * (uint64_t)p->bytes;
    struct race_chunk *c = &p->chunks[offset >> CHUNK_SHIFT];
    if (p->pattern != PATTERN_RUN || p->offset[1] != offset + p->bytes || in_chunk + bytes > CHUNK_BYTES ||
        chunk_is_expanded(c) || !watched_enter(b, c))
        return NULL;
    struct extent now = extent_of(q, in_chunk, bytes, p->each, 0);
    if (watched_go_on(q, c, &now, true)) {
        chunk_note_launch(c, q->mark.launch, true);
        c->parts |= p->each < 4;
        return c;
    }
    chunk_close(c);
    return NULL;
}

/* The same for a store: it must be done before the chunk is closed that is returned. */
static inline struct race_chunk *watched_write(const struct warp *w, const struct fast_access f,
                                               const struct watched_access x, struct watched_place *p) {
    const struct block_watch *b = w->block->watch;
    if (!watched_is_simple(b, w, x) || !watched_find(w, f, x.bytes, p) || !allocation_keeps_values(p->allocation))
        return NULL;
    struct comer q = comer_of(b, w, whole_mark(b, w, x.mark));
    struct race_chunk *c = watched_write_run(b, &q, p);
    if (c && !allocation_set_written(p->allocation, p->allocation->base + p->offset[0], 2 * (uint64_t)p->bytes)) {
        chunk_close(c);
        return NULL;
    }
    if (c)
        b->order.warps[w->index].dirty = true;
    return c;
}

/* Looks and loads, looks and stores; false: has done nothing. */
#define WATCHED_LOAD_GLOBAL(name, T, R, n)                                                                             \
    static inline bool watched_load_global_##name(const struct warp *w, const struct fast_access f,                    \
                                                  const struct watched_access x) {                                     \
        struct watched_place p;                                                                                        \
        if (!watched_read(w, f, x, &p))                                                                                \
            return false;                                                                                              \
        const uint8_t *host = p.allocation->host;                                                                      \
        fast_fill_warp_##name(w->regs, f.data, host + p.offset[0], host + p.offset[1], p.pattern);                     \
        return true;                                                                                                   \
    }
#define WATCHED_STORE_GLOBAL(name, T, R, n)                                                                            \
    static inline bool watched_store_global_##name(const struct warp *w, const struct fast_access f,                   \
                                                   const struct watched_access x) {                                    \
        struct watched_place p;                                                                                        \
        struct race_chunk *c = watched_write(w, f, x, &p);                                                             \
        if (!c)                                                                                                        \
            return false;                                                                                              \
        const struct allocation *a = p.allocation;                                                                     \
        fast_take_##name(w->regs, f.data, 0, memory_store_at(a, a->base + p.offset[0], p.bytes));                      \
        fast_take_##name(w->regs, f.data, HALF, memory_store_at(a, a->base + p.offset[1], p.bytes));                   \
        chunk_close(c);                                                                                                \
        return true;                                                                                                   \
    }
FAST_LOADS(WATCHED_LOAD_GLOBAL)
FAST_STORES(WATCHED_STORE_GLOBAL)

#endif
