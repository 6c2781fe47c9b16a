/* See cells.h. */
#include "check/cells.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check/extents.h"
#include "check/race_memory.h"

static size_t plane_bytes(unsigned unit_shift) {
    return ((CHUNK_BYTES >> unit_shift) + ROW_CELLS) * (sizeof(uint32_t) + sizeof(uint16_t));
}
static size_t values_bytes(unsigned unit_shift) {
    return sizeof(struct chunk_values) + (CHUNK_BYTES >> unit_shift) * sizeof(uint32_t);
}

bool chunk_make_plane(struct race_chunk *c, enum cell_mark mark) {
    c->planes[mark] = race_memory_take(plane_bytes(c->unit_shift));
    return c->planes[mark];
}

/* ---- visits ---- */

#define FIRST_ROOM    16
#define WORTH_LOOKING 64 /* so many visits may be forgotten before there is room for more */

/* Those of which no cell knows any more, and those that are over, lose their numbers. */
static void forget_visits(struct race_chunk *c, uint32_t floor) {
    uint16_t renumbered[c->visit_room], count = 1;
    memset(renumbered, 0, sizeof renumbered);
    for (enum cell_mark k = 0; k < CELL_MARKS; k++)
        for (uint64_t i = 0; c->planes[k] && i < chunk_cells(c); i++)
            renumbered[chunk_numbers(c, k)[i]] = 1;
    for (unsigned n = 0; n < c->visit_count; n++) {
        bool kept = n && renumbered[n] && c->visits[n].launch > floor;
        c->visits[count] = kept ? c->visits[n] : c->visits[count];
        renumbered[n] = kept ? count++ : 0;
    }
    for (enum cell_mark k = 0; k < CELL_MARKS; k++)
        for (uint64_t i = 0; c->planes[k] && i < chunk_cells(c); i++)
            chunk_numbers(c, k)[i] = renumbered[chunk_numbers(c, k)[i]];
    c->visit_count = count;
    c->last_visit = c->visits[count - 1];
}

static bool make_room(struct race_chunk *c, uint32_t floor) {
    if (c->visit_room >= WORTH_LOOKING)
        forget_visits(c, floor);
    if (c->visit_room && c->visit_count <= c->visit_room / 2)
        return true;
    size_t room = c->visit_room ? 2 * (size_t)c->visit_room : FIRST_ROOM;
    struct visit *visits = race_memory_take(room * sizeof *visits);
    if (!visits)
        return c->visit_count < c->visit_room;
    if (c->visits)
        memcpy(visits, c->visits, c->visit_count * sizeof *visits);
    race_memory_give(c->visits, c->visit_room * sizeof *visits);
    c->visits = visits;
    c->visit_room = (uint16_t)room;
    return true;
}

uint32_t chunk_visit(struct race_chunk *c, const struct global_mark *m, uint32_t floor) {
    uint32_t known = chunk_known_visit(c, m);
    if (known)
        return known;
    if (c->visit_count == c->visit_room && !make_room(c, floor))
        return 0;
    c->visits[c->visit_count] = c->last_visit = (struct visit){m->launch, m->block, m->mark.time};
    return c->visit_count++;
}

/* ---- one cell ---- */

static struct global_mark mark_in_extents(const struct race_chunk *c, uint64_t i, enum cell_mark mark) {
    unsigned byte = (unsigned)i << chunk_unit_shift(c);
    return mark == CELL_WRITE  ? extents_mark(c->writes, c->write_count, byte)
           : mark == CELL_READ ? extents_mark(c->reads, c->read_count, byte)
                               : (struct global_mark){0};
}

struct global_mark chunk_mark(const struct race_chunk *c, uint64_t i, enum cell_mark mark) {
    if (!c->expanded)
        return mark_in_extents(c, i, mark);
    unsigned n = c->planes[mark] ? chunk_numbers(c, mark)[i] : 0;
    if (!n)
        return (struct global_mark){0};
    const struct visit *v = &c->visits[n];
    return (struct global_mark){v->launch, v->block, {v->time, c->planes[mark][i]}};
}

void chunk_set_mark(struct race_chunk *c, uint64_t i, enum cell_mark mark, struct global_mark m, uint32_t floor) {
    uint32_t n = m.launch && chunk_need_plane(c, mark) ? chunk_visit(c, &m, floor) : 0;
    if (!c->planes[mark])
        return;
    c->planes[mark][i] = m.mark.packed;
    chunk_numbers(c, mark)[i] = (uint16_t)n;
}

static bool is_apart(const struct race_chunk *c, uint64_t i) {
    return c->apart && c->values->apart[i / 64] >> i % 64 & 1;
}

static uint32_t value_in_memory(const struct race_chunk *c, uint64_t i, const uint8_t *memory) {
    uint32_t value = 0;
    memcpy(&value, memory + (i << c->unit_shift), (size_t)1 << c->unit_shift);
    return value;
}

struct global_cell chunk_cell(const struct race_chunk *c, uint64_t i, const uint8_t *memory) {
    struct global_cell cell = {.write = chunk_mark(c, i, CELL_WRITE),
                               .strong = chunk_mark(c, i, CELL_STRONG),
                               .reads = {chunk_mark(c, i, CELL_READ), chunk_mark(c, i, CELL_READ_TOO)}};
    if (!memory || !c->expanded || !cell.write.launch)
        return cell;
    bool apart = is_apart(c, i);
    cell.value_known = !apart || c->values->known[i / 64] >> i % 64 & 1;
    cell.value = apart ? c->values->values[i] : value_in_memory(c, i, memory);
    return cell;
}

void chunk_set_cell(struct race_chunk *c, uint64_t i, const struct global_cell *cell, uint32_t floor) {
    chunk_unsettle(c);
    chunk_set_mark(c, i, CELL_WRITE, cell->write, floor);
    chunk_set_mark(c, i, CELL_STRONG, cell->strong, floor);
    chunk_set_mark(c, i, CELL_READ, cell->reads[0], floor);
    chunk_set_mark(c, i, CELL_READ_TOO, cell->reads[1], floor);
    if (cell->write.launch)
        chunk_value_apart(c, i, cell->value_known, cell->value);
}

/* ---- values ---- */

void chunk_values_in_memory(struct race_chunk *c, uint64_t i, uint64_t n) {
    for (uint64_t end = i + n; c->apart && i < end; i++)
        c->values->apart[i / 64] &= ~((uint64_t)1 << i % 64);
}

void chunk_value_apart(struct race_chunk *c, uint64_t i, bool known, uint32_t value) {
    const struct global_mark none = {0};
    uint64_t bit = (uint64_t)1 << i % 64;
    if (!c->values && !(c->values = race_memory_take(values_bytes(c->unit_shift)))) {
        chunk_set_mark(c, i, CELL_WRITE, none, 0);
        return;
    }
    c->apart = true;
    c->values->apart[i / 64] |= bit;
    c->values->known[i / 64] = known ? c->values->known[i / 64] | bit : c->values->known[i / 64] & ~bit;
    c->values->values[i] = value;
}

void chunk_take_values(struct race_chunk *c, const struct chunk_visitor *v) {
    chunk_tell(c);
    if (c->newest <= v->floor || !(c->expanded ? c->planes[CELL_WRITE] != NULL : c->write_count) || !chunk_expand(c, 2))
        return;
    for (uint64_t i = 0; i < chunk_cells(c); i++)
        if (chunk_mark(c, i, CELL_WRITE).launch > v->floor && !is_apart(c, i))
            chunk_value_apart(c, i, true, value_in_memory(c, i, v->memory));
}

/* ---- the log ---- */

bool chunk_log_grows(struct race_chunk *c) {
    size_t room = c->log_room ? 2 * (size_t)c->log_room : FIRST_ROOM;
    struct extent *log = room <= MOST_LOGGED ? race_memory_take(room * sizeof *log) : NULL;
    if (!log)
        return false;
    if (c->log)
        memcpy(log, c->log, c->logged * sizeof *log);
    race_memory_give(c->log, c->log_room * sizeof *log);
    c->log = log;
    c->log_room = (uint16_t)room;
    return true;
}

/* ---- chunks ---- */

static void drop_cells(struct race_chunk *c) {
    for (enum cell_mark k = 0; k < CELL_MARKS; k++) {
        race_memory_give(c->planes[k], c->planes[k] ? plane_bytes(c->unit_shift) : 0);
        c->planes[k] = NULL;
    }
    race_memory_give(c->values, c->values ? values_bytes(c->unit_shift) : 0);
    c->values = NULL;
    c->apart = false;
}

void chunk_drop(struct race_chunk *c) {
    drop_cells(c);
    race_memory_give(c->visits, c->visit_room * sizeof *c->visits);
    race_memory_give(c->log, c->log_room * sizeof *c->log);
    c->visits = NULL;
    c->log = NULL;
    c->visit_room = c->log_room = c->logged = 0;
}

/* Cells without any mark. What memory there is for them is kept: who needed it once will do so again. */
static bool make_cells(struct race_chunk *c, unsigned unit_shift) {
    if (c->unit_shift != unit_shift)
        drop_cells(c);
    c->unit_shift = (uint8_t)unit_shift;
    for (enum cell_mark k = 0; k < CELL_MARKS; k++)
        if (c->planes[k])
            memset(chunk_numbers(c, k), 0, chunk_cells(c) * sizeof(uint16_t));
    if (c->apart)
        memset(c->values->apart, 0, sizeof c->values->apart);
    c->apart = false;
    c->visit_count = 1;
    __atomic_store_n(&c->expanded, true, __ATOMIC_RELAXED);
    return c->visits || make_room(c, 0);
}

/* A cell per byte instead of one per word; what was known of the word is now known of each of its bytes. */
static bool split_cells(struct race_chunk *c) {
    struct race_chunk words = *c;
    chunk_unsettle(c);
    c->unit_shift = 0;
    c->parts = true;
    c->values = NULL;
    c->apart = false;
    memset(c->planes, 0, sizeof c->planes);
    bool good = true;
    for (enum cell_mark k = 0; k < CELL_MARKS; k++) {
        good &= !words.planes[k] || chunk_need_plane(c, k);
        for (uint64_t i = 0; good && words.planes[k] && i < CHUNK_BYTES; i++) {
            c->planes[k][i] = words.planes[k][i / 4];
            chunk_numbers(c, k)[i] = chunk_numbers(&words, k)[i / 4];
        }
    }
    for (uint64_t i = 0; good && i < CHUNK_BYTES; i++)
        if (is_apart(&words, i / 4))
            chunk_value_apart(c, i, words.values->known[i / 256] >> i / 4 % 64 & 1,
                              words.values->values[i / 4] >> 8 * (i % 4) & 0xff);
    drop_cells(&words);
    return good;
}

/* As if nobody had ever come. */
static void forget(struct race_chunk *c) {
    bool stays = c->expanded && c->expansions == MOST_EXPANSIONS && c->unit_shift == 2;
    chunk_unsettle(c);
    c->write_count = c->read_count = 0;
    c->parts = false;
    c->logged = 0;
    if (stays && make_cells(c, 2))
        return;
    __atomic_store_n(&c->expanded, false, __ATOMIC_RELAXED);
}

static bool expand_marks(struct race_chunk *c, const struct extent *e, enum cell_mark mark) {
    uint32_t n = chunk_need_plane(c, mark) ? chunk_visit(c, &e->mark, 0) : 0;
    for (uint64_t i = e->first >> c->unit_shift; n && i <= (uint64_t)e->last >> c->unit_shift; i++) {
        c->planes[mark][i] = e->mark.mark.packed + (uint32_t)(i << c->unit_shift >> e->shift);
        chunk_numbers(c, mark)[i] = (uint16_t)n;
    }
    return n;
}

bool chunk_expand(struct race_chunk *c, unsigned unit_shift) {
    if (c->expanded)
        return unit_shift >= c->unit_shift || split_cells(c);
    c->parts |= !unit_shift;
    bool good = make_cells(c, chunk_unit_shift(c));
    c->expansions += c->expansions < MOST_EXPANSIONS;
    for (unsigned i = 0; good && i < c->write_count; i++)
        good = expand_marks(c, &c->writes[i], CELL_WRITE);
    for (unsigned i = 0; good && i < c->read_count; i++)
        good = expand_marks(c, &c->reads[i], CELL_READ);
    if (!good)
        forget(c);
    return good;
}

void chunk_lock(struct race_chunk *c) {
    for (int i = 0; !chunk_try_lock(c); i++)
        if (i > 100)
            sched_yield();
}

void chunk_forget(struct race_chunk *c, const struct chunk_visitor *v) {
    if (c->newest && c->newest <= v->floor)
        forget(c);
}

void chunk_enter(struct race_chunk *c, const struct chunk_visitor *v) {
    chunk_lock(c);
    chunk_forget(c, v);
    chunk_note_launch(c, v->launch, v->write);
}

bool chunk_open(struct race_chunk *c, unsigned unit_shift, const struct chunk_visitor *v) {
    chunk_enter(c, v);
    chunk_tell(c);
    if (chunk_expand(c, unit_shift))
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
