/* Races in global memory: the slow path, between the threads of a block, between blocks, and between launches that
 * nothing orders; and races of kernels with copies. */
#include <string.h>

#include "check/allocation_watch.h"
#include "check/launch_order.h"
#include "check/race.h"

/* ---- one access ---- */

/* An access, and the shadow word that is being checked. */
struct global_race {
    struct race race; /* the first member: same_global_value() finds the rest after it */
    const struct shadow_word *word;
    const uint8_t *value; /* what is written; NULL: not known */
    bool word_known;      /* is what it writes to the word? */
    uint32_t word_value;
};

/* Two threads that write the same value do no harm. The value of a strong write is not recorded. */
static bool same_global_value(const struct race *race, const struct full_record *old, enum shadow_slot slot) {
    const struct global_race *n = (const struct global_race *)(const void *)race;
    (void)old;
    return slot == SHADOW_WRITE && n->word_known && n->word->value_known && n->word->value == n->word_value;
}

/* What the access writes to the unit of a shadow word; false when that is not known. */
static bool value_for_word(const struct global_race *n, uint64_t offset, unsigned unit, uint32_t *value) {
    const struct lane_access *la = n->race.access;
    uint64_t begin = la->address - la->allocation->base;
    *value = 0;
    /* The access covers only part of the shadow word: what the rest becomes is not known. */
    if (!n->value || offset < begin || offset + unit > begin + la->bytes)
        return false;
    memcpy(value, n->value + (offset - begin), unit);
    return true;
}

static bool race_in_word(struct global_race *n, struct shadow_word *word, uint64_t offset, unsigned unit, bool quiet) {
    n->word_known = value_for_word(n, offset, unit, &n->word_value);
    n->word = word;
    bool found = race_with_word(&n->race, word, quiet);
    if (n->race.write && !(n->race.record.record.packed & RECORD_STRONG)) {
        word->value_known = n->word_known;
        word->value = n->word_value;
    }
    return found;
}

/* One access, within one chunk. */
static void race_in_chunk(struct global_race *n, uint64_t offset, uint64_t bytes, bool *found) {
    const struct lane_access *la = n->race.access;
    struct race_chunk *c = allocation_chunk(la->allocation, la->allocation->base + offset);
    /* Words where the access consists of whole ones; else the chunk's shadow words are split into bytes (and stay
     * so). */
    unsigned unit = bytes % 4 || offset % 4 ? 0 : 2;
    struct chunk_visitor v = visitor_at(la, la->allocation, offset);
    if (!c || !chunk_open(c, unit, &v))
        return;
    uint64_t at = offset & (((uint64_t)1 << CHUNK_SHIFT) - 1);
    for (uint64_t i = at >> c->unit_shift; i <= (at + bytes - 1) >> c->unit_shift; i++) {
        struct shadow_word word = chunk_shadow(c, i, v.memory);
        *found |= race_in_word(n, &word, (offset & ~(((uint64_t)1 << CHUNK_SHIFT) - 1)) + (i << c->unit_shift),
                               1u << c->unit_shift, *found);
        chunk_set_shadow(c, i, &word, v.floor);
    }
    chunk_close(c);
}

void race_global(struct block_watch *b, const struct lane_access *la) {
    struct global_race n = {.race = {.b = b,
                                     .access = la,
                                     .record = {b->launch->operation.serial, b->order.index, lane_access_record(b, la)},
                                     .write = la->write,
                                     .same_value = same_global_value}};
    uint8_t stored[64];
    n.value = la->source                                                                            ? la->source
              : la->write && la->bytes <= sizeof stored && lane_access_stored(la, la->lane, stored) ? stored
                                                                                                    : NULL;
    uint64_t offset = la->address - la->allocation->base, end = offset + la->bytes;
    bool found = false;
    while (offset < end) {
        uint64_t stop = ((offset >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT;
        stop = stop < end ? stop : end;
        race_in_chunk(&n, offset, stop - offset, &found);
        offset = stop;
    }
}

/* ---- kernels and copies ---- */

struct search {
    const struct launch *launch; /* whose records to look for; NULL: those of any launch that is not in order */
    const struct operation_order *now;
    const struct facts *known; /* what the copy happens after, beyond the order of streams */
    const struct ran *copy;
    struct hazards *hazards;
};

static bool concerns(const struct search *s, const struct full_record *m) {
    if (!m->launch)
        return false;
    /* At a launch's end: its own records against copies that ran meanwhile. After a copy: records of all launches
     * that the order of streams does not put before it. */
    if (s->launch ? m->launch != s->now->serial
                  : m->launch == s->now->serial || stream_order_is_before(s->now, m->launch))
        return false;
    return !launch_order_covers(s->known, m);
}

/* A word of the copy's range. */
struct copied_word {
    const struct allocation *allocation;
    uint64_t address;
    uint32_t bytes;
    bool write; /* by the copy */
};

static void note_copy(const struct search *s, const struct copied_word *word, const struct full_record *m,
                      bool write_then) {
    struct hazard h = {.kind = HAZARD_RACE,
                       .relation = RELATION_LAUNCHES,
                       .host_now = true,
                       .space = SPACE_GLOBAL,
                       .address = word->address,
                       .bytes = word->bytes,
                       .write = word->write,
                       .write_then = write_then,
                       .allocation = word->allocation};
    if (s->copy->kind != RAN_WORK)
        h.kind = s->copy->kind == RAN_FREE ? HAZARD_FREED : HAZARD_ALLOCATED;
    struct launch none = {.config.grid = {1, 1, 1}, .config.block = {1, 1, 1}};
    race_fill_then(&h, s->launch ? s->launch : &none, s->launch ? s->now->serial : 0, m);
    race_fill_submissions(&h, s->copy->serial, m->launch);
    h.kernel = h.kernel_then; /* the name of the launch's kernel serves for both */
    hazards_note(s->hazards, &h);
}

static void search_word(const struct search *s, const struct copied_word *word, const struct shadow_word *c) {
    const struct full_record *writes[] = {&c->write, &c->strong};
    for (int i = 0; i < 2; i++)
        if (concerns(s, writes[i])) {
            note_copy(s, word, writes[i], true);
            return;
        }
    /* A copy that reads conflicts with writes only. */
    for (int i = 0; word->write && i < 2; i++)
        if (concerns(s, &c->reads[i])) {
            note_copy(s, word, &c->reads[i], false);
            return;
        }
}

/* The shadow words of [offset, stop), all in one chunk. */
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
        struct shadow_word shadow = chunk_shadow(c, (at & chunk) >> unit_shift, NULL);
        search_word(s, &(struct copied_word){a, a->base + at, (uint32_t)unit, write}, &shadow);
    }
    chunk_close(c);
}

static void search_allocation(const struct search *s, const struct allocation *a, uint64_t address, uint64_t bytes,
                              bool write) {
    uint64_t offset = address - a->base, end = offset + bytes < a->size ? offset + bytes : a->size;
    while (offset < end) {
        uint64_t stop = ((offset >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT;
        search_chunk(s, a, offset, stop < end ? stop : end, write);
        offset = stop;
    }
}

/* Looks through what is known of the accesses to a range, which may be freed by now. */
static void search_range(const struct search *s, uint64_t address, uint64_t bytes, bool write) {
    const struct allocation *a = memory_find(address);
    if (!a || !a->watch)
        return;
    /* The memory may be freed meanwhile: its shadow memory may not, as long as it is held. */
    allocation_hold_chunks();
    if (memory_is_live(a) && atomic_load(&a->watch->chunks))
        search_allocation(s, a, address, bytes, write);
    allocation_let_chunks_go();
}

static void search_box(const struct search *s, const struct copy_range *r) {
    for (uint64_t z = 0; z < r->depth; z++)
        for (uint64_t y = 0; y < r->height; y++)
            search_range(s, r->address + z * r->slice + y * r->pitch, r->width, r->write);
}

static void search_copy(struct search *s, const struct ran *copy, const struct stream_clock *before) {
    struct facts known = {0};
    launch_order_inherit(before, &known);
    s->known = &known;
    s->copy = copy;
    for (int i = 0; i < 2; i++)
        if (copy->ranges[i].bytes)
            search_box(s, &copy->ranges[i]);
    facts_free(&known);
}

/* A copy that some block of the launch has learned of counts as one before all of it. */
static void visit_copy(const struct ran *copy, void *argument) {
    struct search *s = argument;
    const struct stream_clock *learned = s->launch->watch->learned.clock;
    /* Learned through a flag in memory, say, that the host set after the copy. */
    if (!learned || learned->last[copy->stream] < copy->number)
        search_copy(s, copy, &copy->before);
}

void race_with_copies(struct launch *launch) {
    struct launch_watch *l = launch->watch;
    struct search s = {.launch = launch, .now = &l->operation, .hazards = &l->hazards};
    if (l->operation.serial != ~0u)
        stream_order_each_copy(&l->operation, visit_copy, &s);
}

void race_of_copy(const struct operation_order *order, const struct ran *copy, struct hazards *hazards) {
    struct search s = {.now = order, .hazards = hazards};
    search_copy(&s, copy, &order->before);
}
