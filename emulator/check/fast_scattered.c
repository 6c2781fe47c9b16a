/* The fast path of the checks for lanes that access one word each, far from each other: down a column, or through an
 * index.
 *
 * Memory latency dominates there: each lane's chunk, record and word are nearly always in separate cache lines. So all
 * of them are prefetched before the first chunk is locked, and all chunks are locked before the first word is stored: a
 * locked instruction waits until every store before it has reached the cache. Locks are only tried, so a thread that
 * holds one never waits for another.
 *
 * The next warp of a block nearly always accesses the same chunks. So a block keeps them locked until it accesses
 * others or ends, provided that it ends soon: in kernels without loops, which never wait (probes.brief). A thread that
 * must wait for a chunk's lock first releases those that it keeps (chunk_lock), so there is no circular wait. Where
 * other host threads have needed a chunk that was kept, blocks keep none for a while. */
#include "check/fast_path.h"
#include "check/fast_words.h"
#include "machine/simd.h"

#define WORD   4
#define LET_GO 64 /* blocks that keep nothing after two host threads have contended for a chunk */
#define LEAST  8  /* with fewer lanes it does not pay */

struct scattered {
    const struct allocation *allocation;
    struct race_chunk *chunks;
    uint32_t active;            /* lanes */
    uint32_t first, locked;     /* one lane for each chunk, and for each that is locked */
    uint64_t offset[WARP_SIZE]; /* of their words, in the allocation; of an inactive lane: the first active one's */
    uint32_t number[WARP_SIZE]; /* the chunks */
};

static bool is_word_each(const struct access *x) {
    return x->bytes == WORD && x->count == 1 && x->reg_bits == 32 && x->regs[0] != ~0u && x->address_bits == 64 &&
           x->space == SPACE_GLOBAL && (x->kind == ACCESS_LOAD || x->kind == ACCESS_STORE);
}

/* Do the first two addresses look contiguous, or the same? Then the usual fast path is better. */
static bool looks_regular(const uint64_t *address) {
    uint64_t step = address[1] - address[0];
    return step == 0 || step == WORD;
}

/* False: some lane accesses another allocation, or is not aligned. */
static bool find_words(struct scattered *s, const struct lane_access *la) {
    const struct warp *w = la->warp;
    const struct access *x = la->in->extra;
    const struct allocation *a = s->allocation = w->worker->cache[x->slot];
    const uint64_t *address = (const uint64_t *)(const void *)(w->regs + x->address_reg);
    if (looks_regular(address) || !a || !a->watch || (x->kind == ACCESS_STORE && !allocation_keeps_values(a)) ||
        !(s->chunks = atomic_load_explicit(&a->watch->chunks, memory_order_acquire)))
        return false;
    uint64_t from = (uint64_t)la->in->imm - a->base, high = 0, odd = 0, first = address[first_lane(w->mask)];
    s->active = w->mask;
    for (int l = 0; l < WARP_SIZE; l++)
        /* Inactive lanes get the address of an active one, so that all the loops over lanes below need no condition. */
        s->offset[l] = (s->active >> l & 1 ? address[l] : first) + from;
    for (int l = 0; l < WARP_SIZE; l++) {
        high = s->offset[l] > high ? s->offset[l] : high;
        odd |= s->offset[l];
        s->number[l] = (uint32_t)(s->offset[l] >> CHUNK_SHIFT);
    }
    return high < a->limit && a->limit - high >= WORD && !(odd & (WORD - 1)) && high >> CHUNK_SHIFT <= UINT32_MAX;
}

/* The first lane of each chunk, by comparing lanes at distances of powers of two. Where a chunk's lanes are spread
 * otherwise, it may appear twice; the second try of its lock then fails, and nothing is done. */
static uint32_t first_in_chunk(const struct scattered *s) {
    enum { FARTHEST = WARP_SIZE / 2 };
    uint32_t number[FARTHEST + WARP_SIZE];
    int32_t again[WARP_SIZE] __attribute__((aligned(64))) = {0};
    for (int l = 0; l < FARTHEST; l++)
        number[l] = UINT32_MAX;
    for (int l = 0; l < WARP_SIZE; l++)
        number[FARTHEST + l] = s->active >> l & 1 ? s->number[l] : UINT32_MAX;
    /* number[] begins with 16 numbers that belong to no chunk, so that a lane has a predecessor at any distance. The
     * lanes of a column each have a separate chunk, or groups of a power of two share one; both cases are found with
     * five comparisons each. */
    for (int far = 1; far <= FARTHEST; far *= 2)
        for (int l = 0; l < WARP_SIZE; l++)
            again[l] |= -(int32_t)(number[FARTHEST + l] == number[FARTHEST + l - far]);
    return s->active & ~simd_lane_bits(again);
}

/* Are these the chunks of the block's last such access? The warps of a block nearly always access the same ones, at
 * adjacent words: then all that is needed of them is in the cache, except for words at the edge of a line. */
static bool are_last(const struct scattered *s, const struct last_chunks *last) {
    uint32_t differ = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        /* One comparison of vectors instead of the search for first lanes, the prefetches and the locks. */
        differ |= s->number[l] ^ last->kept.number[l];
    return !differ && s->chunks == last->kept.chunks && s->active == last->active;
}

static void find_first(struct scattered *s, struct last_chunks *last) {
    s->first = first_in_chunk(s);
    *last = (struct last_chunks){.kept.chunks = s->chunks, .active = s->active, .first = s->first};
    memcpy(last->kept.number, s->number, sizeof last->kept.number);
}

/* Prefetches what will be needed. False: some chunk seems to have no shadow words of word size. */
static bool fetch(const struct scattered *s, enum shadow_slot slot, uint32_t block) {
    bool good = true;
    for (int l = 0; l < WARP_SIZE; l++)
        /* All chunks and all data first, so that 32 misses overlap; the loop below, which reads the chunks, waits for
         * the first of them only. */
        __builtin_prefetch(&s->chunks[s->number[l]], 1);
    for (int l = 0; l < WARP_SIZE; l++)
        __builtin_prefetch(s->allocation->host + s->offset[l], 1);
    for (int l = 0; l < WARP_SIZE; l++) {
        const struct race_chunk *c = &s->chunks[s->number[l]];
        /* Unlocked, so what is read here may be old: it decides only what is prefetched and whether to try at all.
         * The records are looked at again under the lock. */
        const uint32_t *array = __atomic_load_n(&c->arrays[slot], __ATOMIC_RELAXED);
        uint64_t i = s->offset[l] % CHUNK_BYTES / WORD;
        good &= chunk_is_expanded(c) && array;
        if (__atomic_load_n(&c->last_visit.block, __ATOMIC_RELAXED) !=
            block) /* the block's first access to the chunk will add a visit */
            __builtin_prefetch(__atomic_load_n(&c->visits, __ATOMIC_RELAXED) + c->visit_count, 1);
        if (array) {
            __builtin_prefetch(array + i, 1);
            __builtin_prefetch((const uint16_t *)(const void *)(array + CHUNK_BYTES / WORD + ROW_WORDS) + i, 1);
        }
    }
    return good;
}

/* False: another path is better. */
static bool come_to_chunks(struct scattered *s, struct block_watch *b, enum shadow_slot slot) {
    if (are_last(s, &b->last_chunks)) {
        s->first = b->last_chunks.first;
        s->locked = b->last_chunks.kept.which;
        return true;
    }
    if (b->last_chunks.kept.which)
        chunks_let_go(&b->last_chunks.kept);
    if (!fetch(s, slot, b->order.index))
        return false;
    find_first(s, &b->last_chunks);
    return true;
}

/* Are all words read-shared? Nearly always all are, or none. */
static bool words_are_read_shared(const struct scattered *s, const struct access_epoch *by) {
    for (uint32_t rest = s->active; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        if (!probed_is_read_shared(&s->chunks[s->number[l]], by, s->offset[l] % CHUNK_BYTES, WORD))
            return false;
    }
    return true;
}

static void unlock(struct scattered *s) {
    for (uint32_t rest = s->locked; rest; rest &= rest - 1)
        chunk_close(&s->chunks[s->number[first_lane(rest)]]);
}

/* False: another host thread holds one of the locks. */
static bool lock(struct scattered *s) {
    for (uint32_t rest = s->first; rest; rest &= rest - 1) {
        if (!chunk_try_lock(&s->chunks[s->number[first_lane(rest)]]))
            return false;
        s->locked |= rest & -rest;
    }
    return true;
}

/* For a load: has each word been written? A store marks them as written. */
static bool words_are_written(const struct scattered *s, bool write) {
    const uint64_t *written = s->allocation->watch->written;
    uint64_t missing = 0;
    for (int l = 0; written && l < WARP_SIZE; l++)
        missing |= ~written[s->offset[l] / 64] >> s->offset[l] % 64;
    /* A word is aligned, so its four bits are in one word of the bitmap. */
    missing &= (1 << WORD) - 1;
    for (uint32_t rest = write && missing ? s->active : 0; rest; rest &= rest - 1)
        allocation_written(s->allocation, s->allocation->base + s->offset[first_lane(rest)], WORD);
    return write || !missing;
}

/* Does the word have no record? Then nothing can conflict, and it is not read-shared. */
static bool is_first(const struct race_chunk *c, uint64_t i) {
    for (enum shadow_slot k = 0; k < SHADOW_SLOTS; k++)
        if (c->arrays[k] && chunk_numbers(c, k)[i])
            return false;
    return true;
}

/* Records the access of one lane. False: another path must decide. */
static inline bool leave_record(struct fast_path *q, const struct scattered *s, int lane) {
    struct race_chunk *c = &s->chunks[s->number[lane]];
    uint64_t i = s->offset[lane] % CHUNK_BYTES / WORD;
    /* As chunk_enter() does it, except for the lock, which is already held. */
    if (c->newest <= q->floor) {
        struct chunk_visitor v = {.launch = q->by.record.launch, .floor = q->floor, .write = q->write};
        chunk_forget(c, &v);
    }
    chunk_note_launch(c, q->by.record.launch, q->write);
    if (!c->expanded || c->unit_shift != 2 || c->logged)
        return false;
    q->number = 0;
    if (is_first(c, i)) {
        fast_set_at(q, c, i, q->write ? SHADOW_WRITE : SHADOW_READ, q->by.record.record.packed + (uint32_t)lane);
    } else {
        if (!fast_words_access(q, c, i, 1, 0, (uint32_t)lane))
            return false;
    }
    if (q->write && c->apart)
        chunk_values_in_memory(c, i, 1);
    return true;
}

static void store_word(const struct scattered *s, const uint32_t *data, int lane) {
    memcpy(memory_store_at(s->allocation, s->allocation->base + s->offset[lane], WORD), &data[lane], WORD);
}

/* Loads all before it sets any register: the address may be in the same register. */
static void load_words(const struct scattered *s, uint32_t *data) {
    uint32_t value[WARP_SIZE];
    for (int l = 0; l < WARP_SIZE; l++)
        memcpy(&value[l], s->allocation->host + s->offset[l], WORD);
    for (int l = 0; l < WARP_SIZE; l++)
        data[l] = s->active >> l & 1 ? value[l] : data[l];
}

/* May the block keep the chunks locked, for its next warp? */
static bool may_keep(const struct block_watch *b) {
    return b->launch->probes->brief && b->order.index >= atomic_load_explicit(&b->launch->let_go, memory_order_relaxed);
}

static void leave_chunks(struct scattered *s, struct block_watch *b, bool good) {
    struct kept_chunks *kept = &b->last_chunks.kept;
    if (good && may_keep(b)) {
        kept->which = s->locked;
        chunks_keep(kept);
    } else if (kept->which) {
        chunks_let_go(kept);
    } else {
        unlock(s);
    }
}

/* If it ends early, another path does all of it again: a thread's own records that are left already do not matter, and
 * the same values are stored again. */
static bool access_words(struct block_watch *b, struct fast_path *q, struct scattered *s, uint32_t *data) {
    bool good = s->locked || lock(s);
    /* Another host thread holds one of the chunks: blocks that access the same ones at once must not keep them. */
    if (!good)
        atomic_store_explicit(&b->launch->let_go, b->order.index + LET_GO, memory_order_relaxed);
    for (uint32_t rest = good ? s->active : 0; rest && good; rest &= rest - 1) {
        good = leave_record(q, s, first_lane(rest));
        if (good && q->write)
            store_word(s, data, first_lane(rest));
    }
    leave_chunks(s, b, good);
    return good;
}

bool fast_scattered(struct block_watch *b, const struct lane_access *la) {
    struct scattered s = {.locked = 0};
    const struct access *x = la->in->extra;
    uint32_t *data = (uint32_t *)(void *)(la->warp->regs + x->regs[0]);
    if (!is_word_each(x) || __builtin_popcount(la->warp->mask) < LEAST || b->order.partly ||
        (b->launch->checks & (CHECK_RACE | CHECK_SLOW)) != CHECK_RACE || !find_words(&s, la))
        return false;
    struct fast_path q = {.access = la,
                          .by = epoch_of(b, lane_access_record(b, la)),
                          .write = la->write,
                          .floor = b->launch->floor,
                          .alone = true,
                          .written = true};
    bool read_shared = !la->write && words_are_read_shared(&s, &q.by);
    /* The order matters: `written` is read after the prefetches, and before the first record is left. */
    if (!read_shared && (!come_to_chunks(&s, b, la->write ? SHADOW_WRITE : SHADOW_READ) ||
                         !words_are_written(&s, la->write) || !access_words(b, &q, &s, data)))
        return false;
    if (la->write)
        b->order.warps[la->warp->index].dirty = true;
    else
        load_words(&s, data);
    return true;
}
