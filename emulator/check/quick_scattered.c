/* The fast path for lanes that go each to a word of its own, far from each other: down a column, or wherever an index sends them.
 *
 * What costs most there is waiting for memory: a lane's chunk, its marks and its word are nearly always in lines of their own. So all
 * chunks are asked for before the first is locked, and all are locked before the first word is written: a locked instruction waits
 * until every store before it has reached the cache. Locks are only tried, so nobody who holds one waits for another. */
#include "check/quick.h"
#include "check/quick_cells.h"
#include "machine/simd.h"

#define WORD  4
#define LEAST 8 /* lanes for which it is worth the while */

struct scattered {
    const struct allocation *allocation;
    struct race_chunk *chunks;
    uint32_t active, locked; /* lanes; those whose chunk has been locked for them and all others that go there */
    uint64_t offset
        [WARP_SIZE]; /* of their words, in the allocation; of a lane that is not active: as of the first that is */
    uint32_t number[WARP_SIZE]; /* of their chunks */
};

static bool is_word_each(const struct access *x) {
    return x->bytes == WORD && x->count == 1 && x->reg_bits == 32 && x->regs[0] != ~0u && x->address_bits == 64 &&
           x->space == SPACE_GLOBAL && (x->kind == ACCESS_LOAD || x->kind == ACCESS_STORE);
}

/* Do neighbours' addresses look as if the lanes were one or two runs, or all at one place? */
static bool looks_regular(const uint64_t *address) {
    uint64_t step = address[1] - address[0];
    return step == 0 || step == WORD;
}

/* False: some lane accesses something else, or is not aligned. */
static bool find_words(struct scattered *s, const struct touch *t) {
    const struct warp *w = t->warp;
    const struct access *x = t->in->extra;
    const struct allocation *a = s->allocation = w->worker->cache[x->slot];
    const uint64_t *address = (const uint64_t *)(const void *)(w->regs + x->address_reg);
    if (looks_regular(address) || !a || !a->watch || (x->kind == ACCESS_STORE && !allocation_keeps_values(a)) ||
        !(s->chunks = atomic_load_explicit(&a->watch->chunks, memory_order_acquire)))
        return false;
    uint64_t from = (uint64_t)t->in->imm - a->base, high = 0, odd = 0, first = address[first_lane(w->mask)];
    s->active = w->mask;
    for (int l = 0; l < WARP_SIZE; l++)
        s->offset[l] = (s->active >> l & 1 ? address[l] : first) + from;
    for (int l = 0; l < WARP_SIZE; l++) {
        high = s->offset[l] > high ? s->offset[l] : high;
        odd |= s->offset[l];
        s->number[l] = (uint32_t)(s->offset[l] >> CHUNK_SHIFT);
    }
    return high < a->limit && a->limit - high >= WORD && !(odd & (WORD - 1)) && high >> CHUNK_SHIFT <= UINT32_MAX;
}

/* Lanes before which no other has come to the same chunk: at least where the lanes of a warp are rows of a power of two. */
static uint32_t first_in_chunk(const struct scattered *s) {
    enum { FARTHEST = WARP_SIZE / 2 };
    uint32_t number[FARTHEST + WARP_SIZE];
    int32_t again[WARP_SIZE] __attribute__((aligned(64))) = {0};
    for (int l = 0; l < FARTHEST; l++)
        number[l] = UINT32_MAX;
    for (int l = 0; l < WARP_SIZE; l++)
        number[FARTHEST + l] = s->active >> l & 1 ? s->number[l] : UINT32_MAX;
    for (int far = 1; far <= FARTHEST; far *= 2)
        for (int l = 0; l < WARP_SIZE; l++)
            again[l] |= -(int32_t)(number[FARTHEST + l] == number[FARTHEST + l - far]);
    return s->active & ~simd_lane_bits(again);
}

/* Begins to fetch what will be needed. False: some chunk has no cells for words, as it seems. */
static bool fetch(const struct scattered *s, enum cell_mark mark, uint32_t block) {
    bool good = true;
    for (int l = 0; l < WARP_SIZE; l++)
        __builtin_prefetch(&s->chunks[s->number[l]], 1);
    for (int l = 0; l < WARP_SIZE; l++)
        __builtin_prefetch(s->allocation->host + s->offset[l], 1);
    for (int l = 0; l < WARP_SIZE; l++) {
        const struct race_chunk *c = &s->chunks[s->number[l]];
        const uint32_t *plane = __atomic_load_n(&c->planes[mark], __ATOMIC_RELAXED);
        uint64_t i = s->offset[l] % CHUNK_BYTES / WORD;
        good &= chunk_is_expanded(c) && plane;
        if (__atomic_load_n(&c->last_visit.block, __ATOMIC_RELAXED) !=
            block) /* whoever comes first asks for all others */
            __builtin_prefetch(__atomic_load_n(&c->visits, __ATOMIC_RELAXED) + c->visit_count, 1);
        if (plane) {
            __builtin_prefetch(plane + i, 1);
            __builtin_prefetch((const uint16_t *)(const void *)(plane + CHUNK_BYTES / WORD + ROW_CELLS) + i, 1);
        }
    }
    return good;
}

/* Is it all settled? Nearly always all is, or nothing. */
static bool words_are_settled(const struct scattered *s, const struct comer *by) {
    for (uint32_t rest = s->active; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        if (!watched_is_settled(&s->chunks[s->number[l]], by, s->offset[l] % CHUNK_BYTES, WORD))
            return false;
    }
    return true;
}

static void unlock(struct scattered *s) {
    for (uint32_t rest = s->locked; rest; rest &= rest - 1)
        chunk_close(&s->chunks[s->number[first_lane(rest)]]);
}

/* False: somebody else has one of them now. */
static bool lock(struct scattered *s) {
    for (uint32_t rest = first_in_chunk(s); rest; rest &= rest - 1) {
        if (!chunk_try_lock(&s->chunks[s->number[first_lane(rest)]]))
            return false;
        s->locked |= rest & -rest;
    }
    return true;
}

/* Has each word been written? A store makes it so. */
static bool words_are_written(const struct scattered *s, bool write) {
    const uint64_t *written = s->allocation->watch->written;
    uint64_t missing = 0;
    for (int l = 0; written && l < WARP_SIZE; l++)
        missing |= ~written[s->offset[l] / 64] >> s->offset[l] % 64;
    missing &= (1 << WORD) - 1;
    for (uint32_t rest = write && missing ? s->active : 0; rest; rest &= rest - 1)
        allocation_written(s->allocation, s->allocation->base + s->offset[first_lane(rest)], WORD);
    return write || !missing;
}

/* Nobody has come to this word: no mark can conflict, and it is not settled. */
static bool is_first(const struct race_chunk *c, uint64_t i) {
    for (enum cell_mark k = 0; k < CELL_MARKS; k++)
        if (c->planes[k] && chunk_numbers(c, k)[i])
            return false;
    return true;
}

/* A lane's mark is left in its word's cell. False: the general path must look. */
static inline bool leave_mark(struct quick *q, const struct scattered *s, int lane) {
    struct race_chunk *c = &s->chunks[s->number[lane]];
    uint64_t i = s->offset[lane] % CHUNK_BYTES / WORD;
    if (c->newest <= q->floor) {
        struct chunk_visitor v = {.launch = q->by.mark.launch, .floor = q->floor, .write = q->write};
        chunk_forget(c, &v);
    }
    chunk_note_launch(c, q->by.mark.launch, q->write);
    if (!c->expanded || c->unit_shift != 2 || c->logged)
        return false;
    q->number = 0;
    if (is_first(c, i)) {
        quick_set_at(q, c, i, q->write ? CELL_WRITE : CELL_READ, q->by.mark.mark.packed + (uint32_t)lane);
    } else {
        if (q->write)
            chunk_unsettle(c);
        if (!quick_cells_run(q, c, i, 1, 0, (uint32_t)lane))
            return false;
    }
    if (q->write && c->apart)
        chunk_values_in_memory(c, i, 1);
    return true;
}

static void store_word(const struct scattered *s, const uint32_t *data, int lane) {
    memcpy(memory_store_at(s->allocation, s->allocation->base + s->offset[lane], WORD), &data[lane], WORD);
}

/* All are read before any is written: the address may be in the same register. */
static void load_words(const struct scattered *s, uint32_t *data) {
    uint32_t value[WARP_SIZE];
    for (int l = 0; l < WARP_SIZE; l++)
        memcpy(&value[l], s->allocation->host + s->offset[l], WORD);
    for (int l = 0; l < WARP_SIZE; l++)
        data[l] = s->active >> l & 1 ? value[l] : data[l];
}

/* Where it ends early, the general path does all of it again: a thread's own marks are no hindrance, and words hold the same. */
static bool access_words(struct quick *q, struct scattered *s, uint32_t *data) {
    bool good = lock(s);
    for (uint32_t rest = good ? s->active : 0; rest && good; rest &= rest - 1) {
        good = leave_mark(q, s, first_lane(rest));
        if (good && q->write)
            store_word(s, data, first_lane(rest));
    }
    unlock(s);
    return good;
}

bool quick_scattered(struct block_watch *b, const struct touch *t) {
    struct scattered s = {.locked = 0};
    const struct access *x = t->in->extra;
    uint32_t *data = (uint32_t *)(void *)(t->warp->regs + x->regs[0]);
    if (!is_word_each(x) || __builtin_popcount(t->warp->mask) < LEAST || b->order.partly ||
        (b->launch->checks & (CHECK_RACE | CHECK_CAREFUL)) != CHECK_RACE || !find_words(&s, t))
        return false;
    struct quick q = {.touch = t,
                      .by = comer_of(b, t->warp, touch_mark(b, t)),
                      .write = t->write,
                      .floor = b->launch->floor,
                      .alone = true,
                      .written = true};
    bool settled = !t->write && words_are_settled(&s, &q.by);
    if (!settled && (!fetch(&s, t->write ? CELL_WRITE : CELL_READ, b->order.index) ||
                     !words_are_written(&s, t->write) || !access_words(&q, &s, data)))
        return false;
    if (t->write)
        b->order.warps[t->warp->index].dirty = true;
    else
        load_words(&s, data);
    return true;
}
