/* See cells.h. */
#include "check/cells.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check/extents.h"
#include "memory/space.h"

#define MEMORY_SHARE 4 /* races are looked for with at most this part of the machine's memory */

static _Atomic uint64_t used; /* bytes of all chunks */

static uint64_t limit(void) {
    static _Atomic uint64_t limit;
    uint64_t known = atomic_load(&limit);
    if (!known)
        atomic_store(&limit, known = space_machine_memory() / MEMORY_SHARE);
    return known;
}

/* Zeros. */
static void *take(size_t bytes) {
    if (atomic_load(&used) + bytes > limit())
        return NULL;
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (p) {
        memset(p, 0, bytes);
        atomic_fetch_add(&used, bytes);
    }
    return p;
}

static void give(void *p, size_t bytes) {
    if (p)
        atomic_fetch_sub(&used, bytes);
    free(p);
}

#define GROUPS_BYTES (CHUNK_GROUPS * sizeof(struct cell_group))
static size_t values_bytes(unsigned unit_shift) {
    return (CHUNK_BYTES >> unit_shift) * sizeof(uint32_t);
}
static size_t planes_bytes(unsigned unit_shift) {
    return CELL_MARKS * CELL_FIELDS * values_bytes(unit_shift);
}

static bool need_details(struct race_chunk *c) {
    if (!c->details)
        c->details = take(sizeof *c->details);
    return c->details;
}

static bool need_planes(struct race_chunk *c) {
    if (need_details(c) && !c->details->planes)
        c->details->planes = take(planes_bytes(c->unit_shift));
    return c->details && c->details->planes;
}

uint32_t *chunk_values(struct race_chunk *c) {
    if (need_details(c) && !c->details->values)
        c->details->values = take(values_bytes(c->unit_shift));
    return c->details ? c->details->values : NULL;
}

/* ---- a group ---- */

void chunk_set_record(struct race_chunk *c, uint64_t group, enum cell_mark mark, const struct global_mark *m,
                      unsigned shift) {
    const struct global_mark none = {0};
    uint64_t bit = chunk_bit(group, mark);
    bool hot = mark == CELL_WRITE || mark == CELL_READ, good = (hot && !shift) || need_details(c);
    c->parted &= ~bit;
    c->shifted &= ~bit;
    if (good && shift) {
        c->shifted |= bit;
        c->details->shift[mark][group] = (uint8_t)shift;
    }
    if (hot) {
        *(mark == CELL_WRITE ? &c->groups[group].write : &c->groups[group].read) = good ? *m : none;
    } else if (good) {
        if (!(c->detailed >> group & 1))
            memset(&c->details->groups[group], 0, sizeof c->details->groups[group]);
        c->detailed |= (uint16_t)(1u << group);
        *(mark == CELL_STRONG ? &c->details->groups[group].strong : &c->details->groups[group].read) = *m;
    }
}

/* ---- one cell ---- */

struct global_mark chunk_mark_in_extents(const struct race_chunk *c, uint64_t i, enum cell_mark mark) {
    return mark == CELL_WRITE  ? extents_mark(c->writes, c->write_count, (unsigned)i)
           : mark == CELL_READ ? extents_mark(c->reads, c->read_count, (unsigned)i)
                               : (struct global_mark){0};
}

static void set_plane(struct race_chunk *c, uint64_t i, enum cell_mark mark, const struct global_mark *m) {
    chunk_plane(c, mark, CELL_LAUNCH)[i] = m->launch;
    chunk_plane(c, mark, CELL_BLOCK)[i] = m->block;
    chunk_plane(c, mark, CELL_TIME)[i] = m->mark.time;
    chunk_plane(c, mark, CELL_PACKED)[i] = m->mark.packed;
}

bool chunk_part(struct race_chunk *c, uint64_t group, enum cell_mark mark) {
    const struct global_mark none = {0};
    if (chunk_is_parted(c, group, mark))
        return true;
    if (!need_planes(c)) {
        chunk_set_record(c, group, mark, &none, 0);
        return false;
    }
    for (uint64_t i = group * GROUP_CELLS; i < (group + 1) * GROUP_CELLS; i++) {
        struct global_mark m = chunk_mark(c, i, mark);
        set_plane(c, i, mark, &m);
    }
    c->parted |= chunk_bit(group, mark);
    return true;
}

void chunk_set_mark(struct race_chunk *c, uint64_t i, enum cell_mark mark, struct global_mark m) {
    uint64_t g = i / GROUP_CELLS;
    bool none = !chunk_is_parted(c, g, mark) && !chunk_record(c, g, mark).launch;
    if ((!none || m.launch) && chunk_part(c, g, mark))
        set_plane(c, i, mark, &m);
}

struct global_cell chunk_cell(const struct race_chunk *c, uint64_t i) {
    const struct chunk_details *d = c->expanded ? c->details : NULL;
    return (struct global_cell){.write = chunk_mark(c, i, CELL_WRITE),
                                .strong = chunk_mark(c, i, CELL_STRONG),
                                .reads = {chunk_mark(c, i, CELL_READ), chunk_mark(c, i, CELL_READ_TOO)},
                                .value = d && d->values ? d->values[i] : 0,
                                .value_known = d && d->known[i / 64] >> i % 64 & 1};
}

void chunk_set_cell(struct race_chunk *c, uint64_t i, const struct global_cell *cell) {
    uint64_t bit = (uint64_t)1 << i % 64;
    chunk_unsettle(c);
    chunk_set_mark(c, i, CELL_WRITE, cell->write);
    chunk_set_mark(c, i, CELL_STRONG, cell->strong);
    chunk_set_mark(c, i, CELL_READ, cell->reads[0]);
    chunk_set_mark(c, i, CELL_READ_TOO, cell->reads[1]);
    if (c->details)
        c->details->known[i / 64] &= ~bit;
    if (!cell->value_known || !chunk_values(c))
        return;
    c->details->known[i / 64] |= bit;
    c->details->values[i] = cell->value;
}

/* ---- chunks ---- */

static bool make_cells(struct race_chunk *c, unsigned unit_shift) {
    c->unit_shift = (uint8_t)unit_shift;
    __atomic_store_n(&c->expanded, true, __ATOMIC_RELAXED);
    if (unit_shift != 2)
        return need_planes(c);
    if (c->groups)
        memset(c->groups, 0, GROUPS_BYTES);
    else
        c->groups = take(GROUPS_BYTES);
    return c->groups;
}

void chunk_drop(struct race_chunk *c) {
    if (c->details) {
        give(c->details->planes, planes_bytes(c->unit_shift));
        give(c->details->values, values_bytes(c->unit_shift));
    }
    give(c->details, sizeof *c->details);
    give(c->groups, GROUPS_BYTES);
    c->details = NULL;
    c->groups = NULL;
}

/* A cell per byte instead of one per word; what was known of the word is now known of each of its bytes. */
static bool split_cells(struct race_chunk *c) {
    struct race_chunk bytes = {.groups = NULL};
    if (!make_cells(&bytes, 0)) {
        chunk_drop(&bytes);
        return false;
    }
    for (uint64_t i = 0; i < CHUNK_BYTES; i++) {
        struct global_cell cell = chunk_cell(c, i >> c->unit_shift);
        cell.value = cell.value >> 8 * (i % 4) & 0xff;
        chunk_set_cell(&bytes, i, &cell);
    }
    chunk_drop(c);
    chunk_unsettle(c);
    c->details = bytes.details;
    c->unit_shift = 0;
    return true;
}

/* As if nobody had ever come. Memory for words is kept: who needed it once will do so again. */
static void forget(struct race_chunk *c) {
    chunk_unsettle(c);
    if (c->expanded && c->unit_shift != 2)
        chunk_drop(c);
    if (c->details)
        memset(c->details->known, 0, sizeof c->details->known);
    __atomic_store_n(&c->expanded, false, __ATOMIC_RELAXED);
    c->write_count = c->read_count = 0;
    c->detailed = 0;
    c->parted = c->shifted = 0;
}

static void expand_marks(struct race_chunk *c, const struct extent *e, enum cell_mark mark) {
    for (uint64_t i = e->first; i <= e->last;) {
        struct global_mark m = e->mark;
        m.mark.packed += (uint32_t)i >> e->shift;
        if (i % GROUP_CELLS == 0 && i + GROUP_CELLS - 1 <= e->last) {
            chunk_set_record(c, i / GROUP_CELLS, mark, &m, e->shift);
            i += GROUP_CELLS;
        } else {
            chunk_set_mark(c, i++, mark, m);
        }
    }
}

/* Who stores words holds the lock as long as there are extents: they are there. */
static void expand_values(struct race_chunk *c, const struct extent *e, const uint8_t *memory) {
    uint32_t *values = chunk_values(c);
    if (!values)
        return;
    memcpy(values + e->first, memory + 4 * e->first, (e->last - e->first + 1u) * sizeof *values);
    for (unsigned i = e->first; i <= e->last; i++)
        c->details->known[i / 64] |= (uint64_t)1 << i % 64;
}

bool chunk_expand(struct race_chunk *c, unsigned unit_shift, const struct chunk_visitor *v) {
    if (c->expanded)
        return unit_shift >= c->unit_shift || split_cells(c);
    bool any = c->write_count || c->read_count;
    c->expansions += c->expansions < MOST_EXPANSIONS;
    if (!make_cells(c, any || c->groups ? 2 : unit_shift)) {
        forget(c);
        return false;
    }
    for (unsigned i = 0; i < c->write_count; i++) {
        expand_marks(c, &c->writes[i], CELL_WRITE);
        if (c->writes[i].mark.launch > v->floor)
            expand_values(c, &c->writes[i], v->memory);
    }
    for (unsigned i = 0; i < c->read_count; i++)
        expand_marks(c, &c->reads[i], CELL_READ);
    return unit_shift >= c->unit_shift || split_cells(c);
}

void chunk_lock(struct race_chunk *c) {
    for (int i = 0; !chunk_try_lock(c); i++)
        if (i > 100)
            sched_yield();
}

void chunk_enter(struct race_chunk *c, const struct chunk_visitor *v) {
    chunk_lock(c);
    if (c->newest && c->newest <= v->floor && !(c->expanded && c->expansions == MOST_EXPANSIONS))
        forget(c);
    chunk_note_launch(c, v->launch);
}

bool chunk_open(struct race_chunk *c, unsigned unit_shift, const struct chunk_visitor *v) {
    chunk_enter(c, v);
    if (chunk_expand(c, unit_shift, v))
        return true;
    chunk_close(c);
    return false;
}

/* ---- words that nobody needs to look at ---- */

void chunk_settle(struct race_chunk *c, uint32_t launch, uint32_t block, uint64_t i, uint64_t words) {
    if (atomic_load_explicit(&c->settled_launch, memory_order_relaxed) != launch) {
        chunk_unsettle(c);
        for (size_t k = 0; k < sizeof c->settled / sizeof *c->settled; k++)
            atomic_store_explicit(&c->settled[k], 0, memory_order_release);
        atomic_store_explicit(&c->settled_block, block, memory_order_release);
        atomic_store_explicit(&c->settled_launch, launch, memory_order_release);
    }
    if (block > atomic_load_explicit(&c->settled_block, memory_order_relaxed))
        atomic_store_explicit(&c->settled_block, block, memory_order_release);
    uint64_t set = atomic_load_explicit(&c->settled[i / 64], memory_order_relaxed) | words << i % 64;
    atomic_store_explicit(&c->settled[i / 64], set, memory_order_release);
}
