/* See cells.h. */
#include "check/cells.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

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

struct global_mark chunk_mark(const struct race_chunk *c, uint64_t i, enum cell_mark mark) {
    uint64_t g = i / GROUP_CELLS;
    if (chunk_is_parted(c, g, mark))
        return (struct global_mark){chunk_plane(c, mark, CELL_LAUNCH)[i],
                                    chunk_plane(c, mark, CELL_BLOCK)[i],
                                    {chunk_plane(c, mark, CELL_TIME)[i], chunk_plane(c, mark, CELL_PACKED)[i]}};
    struct global_mark m = chunk_record(c, g, mark);
    if (m.launch)
        m.mark.packed += (uint32_t)(i % GROUP_CELLS) >> chunk_shift(c, g, mark);
    return m;
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
    const struct chunk_details *d = c->details;
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
    if (unit_shift != 2)
        return need_planes(c);
    return (c->groups = take(GROUPS_BYTES));
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

bool chunk_open(struct race_chunk *c, unsigned unit_shift) {
    for (int i = 0; atomic_flag_test_and_set_explicit(&c->lock, memory_order_acquire); i++)
        if (i > 100)
            sched_yield();
    bool open = true;
    if (!chunk_is_used(c))
        open = make_cells(c, unit_shift);
    else if (unit_shift < c->unit_shift)
        open = split_cells(c);
    if (!open)
        chunk_close(c);
    return open;
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
