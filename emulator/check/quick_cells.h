/* The quick way to the cells of a chunk of global memory: 16 of them at a time. */
#ifndef QUICK_CELLS_H
#define QUICK_CELLS_H

#include "check/watched_global.h"

struct quick {
    const struct touch *touch; /* NULL: of a read that was logged */
    struct comer by;
    uint32_t floor; /* of the launch */
    bool partly;    /* of the block's order */
    bool write;
    bool alone; /* not several lanes at one place: then these */
    uint32_t lanes;
    uint32_t shift;  /* a lane has 1 << shift cells */
    uint32_t number; /* of this visit in the chunk; 0: not yet known */
    bool written;    /* all that is read has been written */
    uint32_t stored; /* bytes that are in memory already */
};

/* Cells [i, i + n) of a chunk are accessed one after the other, beginning with cell `begin` of the span whose first lane is `lane`. What
 * that leaves there is left, if there is nothing that it may conflict with. False: the careful way. */
bool quick_cells_run(struct quick *q, struct race_chunk *c, uint64_t i, uint64_t n, uint64_t begin, uint32_t lane);

/* Leaves a mark in one cell. */
static inline void quick_set_at(struct quick *q, struct race_chunk *c, uint64_t i, enum cell_mark mark,
                                uint32_t packed) {
    if (!chunk_need_plane(c, mark))
        return;
    if (!q->number && !(q->number = chunk_known_visit(c, &q->by.mark)))
        q->number = chunk_visit(c, &q->by.mark, q->floor);
    c->planes[mark][i] = packed;
    chunk_numbers(c, mark)[i] = (uint16_t)q->number;
}

#endif
