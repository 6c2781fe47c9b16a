/* Races in global memory: like those in shared memory (race_shared.c), between the threads of a block, between
 * blocks, and between launches that nothing orders. */
#include <string.h>

#include "check/allocation_watch.h"
#include "check/block_watch.h"

struct now {
    struct block_watch *b;
    const struct touch *touch;
    struct global_record record;
    bool value_known;
    uint8_t value[64]; /* that is written */
};

static bool same_block(const struct now *n, const struct global_record *old) {
    return old->launch == n->record.launch && old->block == n->record.block;
}

static bool same_thread(const struct now *n, const struct global_record *old) {
    return same_block(n, old) &&
           !((old->record.packed ^ n->record.record.packed) & (RECORD_LANE | 0x1fu << RECORD_WARP_SHIFT));
}

static bool is_strong_pair(const struct now *n, const struct global_record *old) {
    uint32_t both = old->record.packed & n->record.record.packed, any = old->record.packed | n->record.record.packed;
    return both & RECORD_STRONG && (same_block(n, old) || !(any & RECORD_BLOCK_SCOPE));
}

static bool is_ordered(const struct now *n, const struct global_record *old, bool old_write) {
    const struct touch *t = n->touch;
    const struct block_order *o = &n->b->order;
    if (old->launch != n->record.launch)
        return old->launch <= n->b->launch->before || stream_order_is_before(&n->b->launch->operation, old->launch);
    uint32_t warp = t->warp->index, lane = (uint32_t)t->lane;
    bool strong = t->probe->flags & PROBE_STRONG, here = old->block == n->record.block;
    if (!old_write)
        return here ? order_read_in_block(o, old->record, warp, lane)
                    : order_read_between_blocks(o, old->block, old->record, warp);
    if (strong)
        return here ? order_before_strong_in_block(o, old->record, warp, lane)
                    : order_before_strong(o, old->block, old->record, warp);
    return here ? order_in_block(o, old->record, warp, lane) : order_between_blocks(o, old->block, old->record, warp);
}

/* reporting */

/* Fills in who made the recorded access: a thread of this launch, or of an earlier one that is still known. */
static void fill_then(struct hazard *h, const struct launch *l, uint32_t serial, const struct global_record *old) {
    struct ran ran;
    const struct kernel *k = l->kernel;
    uint32_t index = RECORD_INSN(old->record.packed);
    struct launch other = {.config = l->config};
    if (old->launch != serial) {
        bool found = stream_order_find(old->launch, &ran);
        k = found ? ran.kernel : NULL;
        for (int i = 0; found && i < 3; i++) {
            other.config.grid[i] = ran.grid[i];
            other.config.block[i] = ran.block[i];
        }
    }
    h->kernel_then = k;
    h->then = k && index < k->code.count ? &k->code.insns[index] : NULL;
    h->who_then =
        hazard_thread_at(&other, old->block, RECORD_WARP(old->record.packed), old->record.packed & RECORD_LANE);
}

static void note(const struct now *n, const struct global_record *old, bool old_write) {
    const struct touch *t = n->touch;
    const struct warp *w = t->warp;
    bool warp = same_block(n, old) && RECORD_WARP(old->record.packed) == w->index;
    struct hazard h = {.kind = HAZARD_RACE,
                       .relation = old->launch != n->record.launch ? RELATION_LAUNCHES
                                   : !same_block(n, old)           ? RELATION_GRID
                                   : warp                          ? RELATION_WARP
                                                                   : RELATION_BLOCK,
                       .kernel = w->launch->kernel,
                       .now = t->in,
                       .who = hazard_thread(w, t->lane),
                       .space = SPACE_GLOBAL,
                       .address = t->address,
                       .bytes = t->bytes,
                       .write = t->write,
                       .write_then = old_write,
                       .allocation = t->allocation};
    fill_then(&h, w->launch, n->record.launch, old);
    bool plain_read = (t->atomic && !old_write) || (!t->write && hazard_is_atomic(h.then));
    h.kind = plain_read ? HAZARD_PLAIN_READ : HAZARD_RACE;
    h.warning = plain_read || (warp && race_only_warns(n->b, t, old->record));
    hazards_note(&n->b->launch->hazards, &h);
}

/* ---- one shadow word ---- */

static bool against(const struct now *n, const struct global_record *old, bool old_write) {
    if (!old->launch || same_thread(n, old) || is_strong_pair(n, old) || is_ordered(n, old, old_write))
        return false;
    note(n, old, old_write);
    return true;
}

/* What the access writes to the unit of a shadow word; false when that is not known. */
static bool value_of(const struct now *n, uint64_t offset, unsigned unit, uint32_t *value) {
    uint64_t begin = n->touch->address - n->touch->allocation->base;
    *value = 0;
    if (!n->value_known || offset < begin || offset + unit > begin + n->touch->bytes)
        return false;
    memcpy(value, n->value + (offset - begin), unit);
    return true;
}

static void remember_read(const struct now *n, struct global_shadow *c) {
    for (int i = 0; i < 2; i++)
        if (!c->reads[i].launch || same_thread(n, &c->reads[i]) || is_ordered(n, &c->reads[i], true)) {
            c->reads[i] = n->record;
            return;
        }
    if (c->reads[0].block == c->reads[1].block) /* two blocks are worth more than two threads of one */
        c->reads[1] = n->record;
}

/* Two threads that write the same do no harm. */
static bool touch_word(const struct now *n, struct global_shadow *c, uint64_t offset, unsigned unit, bool quiet) {
    uint32_t value;
    bool known = n->touch->write && value_of(n, offset, unit, &value);
    bool same = known && c->value_known && c->value == value;
    bool found = quiet || (!same && against(n, &c->write, true)) || against(n, &c->strong, true);
    if (!n->touch->write) {
        remember_read(n, c);
        return found;
    }
    found = found || against(n, &c->reads[0], false) || against(n, &c->reads[1], false);
    if (n->record.record.packed & RECORD_STRONG)
        c->strong = n->record;
    else
        *c = (struct global_shadow){.write = n->record, .value = known ? value : 0, .value_known = known};
    return found;
}

/* One access, within one chunk. */
static void touch_chunk(const struct now *n, uint64_t offset, uint64_t bytes, bool *found) {
    struct race_chunk *c = allocation_chunk(n->touch->allocation, n->touch->allocation->base + offset);
    unsigned unit = bytes % 4 || offset % 4 ? 0 : 2;
    struct chunk_visitor v = visitor_at(n->touch, n->touch->allocation, offset);
    if (!c || !chunk_open(c, unit, &v))
        return;
    uint64_t at = offset & (((uint64_t)1 << CHUNK_SHIFT) - 1);
    for (uint64_t i = at >> c->unit_shift; i <= (at + bytes - 1) >> c->unit_shift; i++) {
        struct global_shadow word = chunk_shadow(c, i, v.memory);
        *found |= touch_word(n, &word, (offset & ~(((uint64_t)1 << CHUNK_SHIFT) - 1)) + (i << c->unit_shift),
                             1u << c->unit_shift, *found);
        chunk_set_shadow(c, i, &word, v.floor);
    }
    chunk_close(c);
}

void race_global(struct block_watch *b, const struct touch *t) {
    struct now n = {.b = b,
                    .touch = t,
                    .record = {b->launch->operation.serial, (uint32_t)t->warp->block->index, touch_record(b, t)}};
    n.value_known = t->write && t->bytes <= sizeof n.value && touch_stored(t, t->lane, n.value);
    uint64_t offset = t->address - t->allocation->base, end = offset + t->bytes;
    bool found = false;
    while (offset < end) {
        uint64_t stop = ((offset >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT;
        stop = stop < end ? stop : end;
        touch_chunk(&n, offset, stop - offset, &found);
        offset = stop;
    }
}

/* ---- kernels and copies ---- */

struct search {
    const struct launch *launch; /* whose records to look for; NULL: those of any launch that is not in order */
    const struct operation_order *now;
    struct hazards *hazards;
};

static bool concerns(const struct search *s, const struct global_record *m) {
    if (!m->launch)
        return false;
    if (s->launch)
        return m->launch == s->now->serial;
    return m->launch != s->now->serial && !stream_order_is_before(s->now, m->launch);
}

static void note_copy(const struct search *s, const struct allocation *a, uint64_t address, uint32_t bytes,
                      const struct global_record *m, bool write, bool write_then) {
    struct hazard h = {.kind = HAZARD_RACE,
                       .relation = RELATION_LAUNCHES,
                       .host_now = true,
                       .space = SPACE_GLOBAL,
                       .address = address,
                       .bytes = bytes,
                       .write = write,
                       .write_then = write_then,
                       .allocation = a};
    struct launch none = {.config.grid = {1, 1, 1}, .config.block = {1, 1, 1}};
    fill_then(&h, s->launch ? s->launch : &none, s->launch ? s->now->serial : 0, m);
    h.kernel = h.kernel_then; /* the name of the launch's kernel serves for both */
    hazards_note(s->hazards, &h);
}

static void search_word(const struct search *s, const struct allocation *a, uint64_t address, uint32_t bytes,
                        const struct global_shadow *c, bool write) {
    const struct global_record *writes[] = {&c->write, &c->strong};
    for (int i = 0; i < 2; i++)
        if (concerns(s, writes[i])) {
            note_copy(s, a, address, bytes, writes[i], write, true);
            return;
        }
    for (int i = 0; write && i < 2; i++)
        if (concerns(s, &c->reads[i])) {
            note_copy(s, a, address, bytes, &c->reads[i], write, false);
            return;
        }
}

/* The shadow words of [offset, stop), which lie in one chunk. */
static void search_chunk(const struct search *s, const struct allocation *a, uint64_t offset, uint64_t stop,
                         bool write) {
    struct race_chunk *c = allocation_chunk(a, a->base + offset);
    if (!c || !chunk_is_used(c))
        return;
    chunk_lock(c);
    chunk_propagate_log(c);
    unsigned unit_shift = chunk_unit_shift(c);
    uint64_t unit = (uint64_t)1 << unit_shift, chunk = ((uint64_t)1 << CHUNK_SHIFT) - 1;
    for (uint64_t at = offset & ~(unit - 1); at < stop; at += unit) {
        struct global_shadow word = chunk_shadow(c, (at & chunk) >> unit_shift, NULL);
        search_word(s, a, a->base + at, (uint32_t)unit, &word, write);
    }
    chunk_close(c);
}

/* Looks through what is known of the accesses to a range. */
static void search_range(const struct search *s, uint64_t address, uint64_t bytes, bool write) {
    const struct allocation *a = memory_find(address);
    if (!a || !a->watch || !a->limit || !atomic_load(&a->watch->chunks))
        return;
    uint64_t offset = address - a->base, end = offset + bytes < a->size ? offset + bytes : a->size;
    while (offset < end) {
        uint64_t stop = ((offset >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT;
        search_chunk(s, a, offset, stop < end ? stop : end, write);
        offset = stop;
    }
}

static void visit_copy(const struct ran *copy, void *argument) {
    for (int i = 0; i < 2; i++)
        if (copy->ranges[i].bytes)
            search_range(argument, copy->ranges[i].address, copy->ranges[i].bytes, copy->ranges[i].write);
}

void race_with_copies(struct launch *launch) {
    struct launch_watch *l = launch->watch;
    struct search s = {.launch = launch, .now = &l->operation, .hazards = &l->hazards};
    if (l->operation.serial != ~0u)
        stream_order_each_copy(&l->operation, visit_copy, &s);
}

void race_of_copy(const struct operation_order *order, const struct ran *copy, struct hazards *hazards) {
    struct search s = {.now = order, .hazards = hazards};
    visit_copy(copy, &s);
}
