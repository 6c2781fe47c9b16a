/* The fastest path of the checks for global memory: a plain load or store by a whole warp whose halves are
 * contiguous or uniform, when what is read is read-shared, or the access extends an extent of its chunk, or can be
 * logged. It is called by the interpreter's handlers and by the code that the second tier generates. That code is
 * compiled with warps of one lane: WARP_SIZE and FULL_MASK must not be used here. */
#ifndef PROBED_GLOBAL_H
#define PROBED_GLOBAL_H

#include "check/allocation_watch.h"
#include "check/epoch.h"
#include "check/extents.h"
#include "ops/memory_fast.h"

/* Once in the generated code of a kernel: inlined everywhere, it would take the compiler too long. */
#define PROBED_CALLED __attribute__((noinline, unused))

/* ---- extents ---- */

/* Every record in `old` happens before this access, or was made by the thread that accesses the same element now.
 * `now` is a part of one warp's access, with one lane for each element. */
static inline bool extent_is_harmless(const struct access_epoch *q, const struct extent *old,
                                      const struct extent *now) {
    if (old->record.launch <= q->before)
        return true;
    if (!epoch_is_own_block(q, &old->record))
        return false;
    const struct access_record *record = &old->record.record;
    enum epoch_scope scope = epoch_scope(q, record->time);
    /* Or elements of the same size, and records that differ by nothing when extrapolated to byte 0: then each element
     * has been accessed by the very thread that accesses it now. */
    if (scope == EPOCH_ALL ||
        (old->shift == now->shift && epoch_same_thread(record->packed, now->record.record.packed)))
        return true;
    unsigned first = old->first > now->first ? old->first : now->first;
    unsigned last = old->last < now->last ? old->last : now->last;
    uint32_t warp = now->record.record.packed + (first >> now->shift);
    /* Ordered for accesses by this warp. Threads follow one another in the extent, so the first and the last shared
     * byte suffice: all between are by warps between the two. */
    return scope == EPOCH_WARP && epoch_same_warp(record->packed + (first >> old->shift), warp) &&
           epoch_same_warp(record->packed + (last >> old->shift), warp);
}

static inline bool extents_are_harmless(const struct access_epoch *q, const struct extent *list, unsigned count,
                                        const struct extent *now) {
    for (const struct extent *e = list; e < list + count; e++)
        if (extents_overlap(e, now) && !extent_is_harmless(q, e, now))
            return false;
    return true;
}

/* The extent of an access to bytes [in_chunk, in_chunk + bytes) of a chunk, `each` by a lane, from lane `lane` on. */
static inline struct extent extent_of(const struct access_epoch *q, uint64_t in_chunk, uint64_t bytes, uint32_t each,
                                      uint32_t lane) {
    struct extent now = {.record = q->record,
                         .first = (uint16_t)in_chunk,
                         .last = (uint16_t)(in_chunk + bytes - 1),
                         .shift = (uint8_t)__builtin_ctz(each)};
    /* Extrapolated to byte 0, perhaps to a negative lane: it wraps around, and comes back when an element's number is
     * added. In this form the accesses of consecutive warps to consecutive elements are alike, and make one extent. */
    now.record.record.packed += lane - (uint32_t)(in_chunk / each);
    return now;
}

/* Adds an extent, if that is simple: a list entry with the same record grows, or there is room for one more, and
 * entries that overlap need only lose their beginning. The one that grows may overlap, for its records are the same;
 * if the first loop did not leave it out, another path would do the same more slowly. False: nothing is done. */
static inline bool probed_extend(struct extent *list, uint8_t *count, unsigned most, const struct extent *now) {
    struct extent *end = list + *count, *grows = end;
    for (struct extent *e = list; e < end; e++)
        if (extent_is_alike(e, now) && now->first >= e->first && now->first <= e->last + 1)
            grows = e;
    if (grows == end && *count == most)
        return false;
    for (struct extent *e = list; e < end; e++)
        if (e != grows && extents_overlap(e, now) && (e->first < now->first || e->last <= now->last))
            return false;
    for (struct extent *e = list; e < end; e++)
        if (e != grows && extents_overlap(e, now))
            e->first = (uint16_t)(now->last + 1);
    if (grows == end)
        list[(*count)++] = *now;
    else if (grows->last < now->last)
        grows->last = now->last;
    return true;
}

/* Removes the bytes of `now` from the extents of a list. False: one would have to be split in two. */
static inline bool probed_cut(struct extent *list, uint8_t *count, const struct extent *now) {
    for (unsigned i = *count; i-- > 0;) {
        struct extent *e = &list[i];
        /* From the end of the list, so that the entry which takes a removed one's place has been looked at. */
        if (!extents_overlap(e, now))
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

/* Logs a read in its chunk, which is locked. False: it cannot be. */
static inline bool probed_log(struct race_chunk *c, const struct access_epoch *q, const struct extent *now) {
    unsigned unit = c->expanded ? c->unit_shift : 0;
    if (now->shift < unit || !chunk_log(c, now, q->before))
        return false;
    c->parts |= now->shift < 2;
    return true;
}

/* ---- what is read-shared ---- */

/* Are bytes [in_chunk, in_chunk + bytes) read-shared? Also false if they straddle two bitmap words. */
static inline bool probed_is_read_shared(const struct race_chunk *c, const struct access_epoch *q, uint64_t in_chunk,
                                         uint32_t bytes) {
    uint64_t i = in_chunk / 4, n = (in_chunk + bytes + 3) / 4 - i;
    if (atomic_load_explicit(&c->read_shared_launch, memory_order_acquire) != q->record.launch || i % 64 + n > 64)
        return false;
    uint64_t set = atomic_load_explicit(&c->read_shared[i / 64], memory_order_acquire) >> i % 64;
    /* All n lowest bits are set: of ~set, shifted so that nothing else is left, no bit is. Then the launch once more:
     * the bits may have been those of another launch that began to be marked between the two looks. */
    return !(~set << (64 - n)) && q->record.block > atomic_load_explicit(&c->read_shared_block, memory_order_acquire) &&
           atomic_load_explicit(&c->read_shared_launch, memory_order_acquire) == q->record.launch;
}

/* ---- a warp ---- */

/* Where the two halves of a warp access, both with the same pattern. */
struct probed_place {
    const struct allocation *allocation;
    struct race_chunk *chunks;
    uint64_t offset[2]; /* of the halves, in the allocation */
    uint32_t each;      /* bytes accessed by a lane */
    uint32_t bytes;     /* accessed by a half */
    enum pattern pattern;
};

/* Does the warp run as a whole, so that no lane need be looked at, and is happens-before between blocks and warps
 * only a matter of barriers? */
static inline bool probed_is_simple(const struct block_watch *b, const struct warp *w, const struct probed_access x) {
    return !b->order.partly && watch_whole_comes_to(b, w, RECORD_INSN(x.record)) &&
           (b->launch->checks & (CHECK_RACE | CHECK_SLOW)) == CHECK_RACE;
}

static inline enum pattern probed_pattern(const uint64_t *address, uint32_t each) {
    /* One comparison tells which of the two patterns it may be; only that one is tried. */
    if (address[0] != address[1])
        return simd_is_strided64(address, each) ? PATTERN_CONTIGUOUS : PATTERN_NONE;
    return simd_is_strided64(address, 0) ? PATTERN_SAME : PATTERN_NONE;
}

/* False: the pattern is another one, or not all of it is in an allocation with shadow memory. */
static inline bool probed_find(const struct warp *w, const struct fast_access f, uint32_t each,
                               struct probed_place *p) {
    const struct allocation *a = p->allocation = w->worker->cache[f.cache];
    const uint64_t *address = (const uint64_t *)(const void *)(w->regs + f.address);
    if (!a || !a->watch || !(p->chunks = atomic_load_explicit(&a->watch->chunks, memory_order_acquire)))
        return false;
    p->pattern = probed_pattern(address, each);
    if (p->pattern == PATTERN_NONE || probed_pattern(address + HALF, each) != p->pattern)
        return false;
    p->each = each;
    p->bytes = p->pattern == PATTERN_CONTIGUOUS ? HALF * each : each;
    p->offset[0] = address[0] + (uint64_t)f.imm - a->base;
    p->offset[1] = address[HALF] + (uint64_t)f.imm - a->base;
    /* The offsets are unsigned: an address before the allocation is beyond its limit. */
    return p->offset[0] < a->limit && p->bytes <= a->limit - p->offset[0] && p->offset[1] < a->limit &&
           p->bytes <= a->limit - p->offset[1] && !((p->offset[0] | p->offset[1] | a->base) & (each - 1));
}

/* Records a contiguous access in the extents of its chunk, which is locked. False: that is not simple. */
static inline bool probed_record(const struct access_epoch *q, struct race_chunk *c, const struct extent *now,
                                 bool write) {
    chunk_assert_locked(c);
    /* If the last step fails, the others have changed the lists already. That does not matter: nothing conflicts, and
     * the path that takes over records the same write, which removes the same reads. */
    return !c->expanded && !c->logged && extents_are_harmless(q, c->writes, c->write_count, now) &&
           extents_are_harmless(q, c->reads, c->read_count, now) &&
           (write ? probed_extend(c->writes, &c->write_count, MOST_WRITES, now) &&
                        probed_cut(c->reads, &c->read_count, now)
                  : probed_extend(c->reads, &c->read_count, MOST_READS, now));
}

/* Locks the chunk, and forgets records that nothing to come can conflict with. False: another host thread holds the
 * lock, or it is expanded and to be forgotten. */
static inline bool probed_enter(const struct block_watch *b, struct race_chunk *c) {
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

/* Records or logs a contiguous read within one chunk. */
static PROBED_CALLED bool probed_read_piece(const struct block_watch *b, const struct access_epoch *q,
                                            struct race_chunk *c, const struct extent *now) {
    if (!probed_enter(b, c))
        return false;
    chunk_note_launch(c, q->record.launch, false);
    /* A log suffices where extents do not: another block reads, or in another order. It holds epochs of the last
     * barrier only (epoch_is_fresh), since it is replayed with that clock (chunk_propagate_log). */
    bool good = probed_record(q, c, now, false) || (epoch_is_fresh(q) && probed_log(c, q, now));
    c->parts |= good && now->shift < 2;
    chunk_close(c);
    return good;
}

/* Records a contiguous read from `offset` in the allocation on, which may reach into a second chunk. */
static PROBED_CALLED bool probed_read_contiguous(const struct block_watch *b, const struct access_epoch *q,
                                                 const struct probed_place *p, uint64_t offset, uint64_t bytes,
                                                 uint32_t lane) {
    uint64_t in_chunk = offset % CHUNK_BYTES, here = CHUNK_BYTES - in_chunk < bytes ? CHUNK_BYTES - in_chunk : bytes;
    struct race_chunk *c = &p->chunks[offset >> CHUNK_SHIFT];
    struct extent now = extent_of(q, in_chunk, here, p->each, lane);
    if (!probed_read_piece(b, q, c, &now))
        return false;
    if (here == bytes)
        return true;
    now = extent_of(q, 0, bytes - here, p->each, lane + (uint32_t)(here / p->each));
    return probed_read_piece(b, q, c + 1, &now);
}

/* True: all checks of a load by all lanes are done and found nothing, and it is recorded. False: nothing has changed
 * that matters. */
static inline bool probed_read(const struct warp *w, const struct fast_access f, const struct probed_access x,
                               struct probed_place *p) {
    const struct block_watch *b = w->block->watch;
    if (!probed_is_simple(b, w, x) || !probed_find(w, f, x.bytes, p))
        return false;
    struct access_epoch q = epoch_of(b, whole_record(b, w, x.record));
    const struct race_chunk *low = &p->chunks[p->offset[0] >> CHUNK_SHIFT],
                            *high = &p->chunks[p->offset[1] >> CHUNK_SHIFT];
    /* Read-shared words need no lock, nor a look at what has been written. */
    if (probed_is_read_shared(low, &q, p->offset[0] % CHUNK_BYTES, p->bytes) &&
        probed_is_read_shared(high, &q, p->offset[1] % CHUNK_BYTES, p->bytes))
        return true;
    if (p->pattern != PATTERN_CONTIGUOUS)
        return false;
    const uint64_t at = p->allocation->base;
    if (p->offset[1] == p->offset[0] + p->bytes)
        return allocation_is_written(p->allocation, at + p->offset[0], 2 * (uint64_t)p->bytes) &&
               probed_read_contiguous(b, &q, p, p->offset[0], 2 * (uint64_t)p->bytes, 0);
    return allocation_is_written(p->allocation, at + p->offset[0], p->bytes) &&
           allocation_is_written(p->allocation, at + p->offset[1], p->bytes) &&
           probed_read_contiguous(b, &q, p, p->offset[0], p->bytes, 0) &&
           probed_read_contiguous(b, &q, p, p->offset[1], p->bytes, HALF);
}

/* Records a contiguous store in its chunk, which is returned locked. NULL: nothing is done. */
static PROBED_CALLED struct race_chunk *
probed_write_contiguous(const struct block_watch *b, const struct access_epoch *q, const struct probed_place *p) {
    uint64_t offset = p->offset[0], in_chunk = offset % CHUNK_BYTES, bytes = 2 * (uint64_t)p->bytes;
    struct race_chunk *c = &p->chunks[offset >> CHUNK_SHIFT];
    if (p->pattern != PATTERN_CONTIGUOUS || p->offset[1] != offset + p->bytes || in_chunk + bytes > CHUNK_BYTES ||
        chunk_is_expanded(c) || !probed_enter(b, c))
        return NULL;
    struct extent now = extent_of(q, in_chunk, bytes, p->each, 0);
    if (probed_record(q, c, &now, true)) {
        chunk_note_launch(c, q->record.launch, true);
        c->parts |= p->each < 4;
        return c;
    }
    chunk_close(c);
    return NULL;
}

/* All checks of a store by all lanes are done and found nothing, and it is recorded: the caller stores, and then
 * closes the chunk that is returned. NULL: nothing has changed that matters. */
static inline struct race_chunk *probed_write(const struct warp *w, const struct fast_access f,
                                              const struct probed_access x, struct probed_place *p) {
    const struct block_watch *b = w->block->watch;
    if (!probed_is_simple(b, w, x) || !probed_find(w, f, x.bytes, p) || !allocation_keeps_values(p->allocation))
        return NULL;
    struct access_epoch q = epoch_of(b, whole_record(b, w, x.record));
    struct race_chunk *c = probed_write_contiguous(b, &q, p);
    /* The chunk stays locked until the caller has stored: a thread that sees the record finds its value in memory. */
    if (c && !allocation_set_written(p->allocation, p->allocation->base + p->offset[0], 2 * (uint64_t)p->bytes)) {
        chunk_close(c);
        return NULL;
    }
    if (c)
        b->order.warps[w->index].dirty = true;
    return c;
}

/* Check and load, check and store, for each type. False: nothing is done. */
#define PROBED_LOAD_GLOBAL(name, T, R, n)                                                                              \
    static inline bool probed_load_global_##name(const struct warp *w, const struct fast_access f,                     \
                                                 const struct probed_access x) {                                       \
        struct probed_place p;                                                                                         \
        if (!probed_read(w, f, x, &p))                                                                                 \
            return false;                                                                                              \
        const uint8_t *host = p.allocation->host;                                                                      \
        fast_fill_warp_##name(w->regs, f.data, host + p.offset[0], host + p.offset[1], p.pattern);                     \
        return true;                                                                                                   \
    }
#define PROBED_STORE_GLOBAL(name, T, R, n)                                                                             \
    static inline bool probed_store_global_##name(const struct warp *w, const struct fast_access f,                    \
                                                  const struct probed_access x) {                                      \
        struct probed_place p;                                                                                         \
        struct race_chunk *c = probed_write(w, f, x, &p);                                                              \
        if (!c)                                                                                                        \
            return false;                                                                                              \
        const struct allocation *a = p.allocation;                                                                     \
        fast_take_##name(w->regs, f.data, 0, memory_store_at(a, a->base + p.offset[0], p.bytes));                      \
        fast_take_##name(w->regs, f.data, HALF, memory_store_at(a, a->base + p.offset[1], p.bytes));                   \
        chunk_close(c);                                                                                                \
        return true;                                                                                                   \
    }
FAST_LOADS(PROBED_LOAD_GLOBAL)
FAST_STORES(PROBED_STORE_GLOBAL)

#endif
