#include "ops/tensor_walk.h"

/* ---- the rows of a tiled box ---- */

static void next_tiled(struct tensor_walk *w) {
    const struct tensor_map *m = w->map;
    /* An odometer: dimension 1 turns fastest (0 is the row itself). A dimension that has reached its end starts over,
     * and the next one moves. `step` is the traversal stride, the box a number of steps. */
    for (unsigned i = 1; i < m->rank; i++) {
        w->at[i] += m->step[i];
        if (w->at[i] < w->first[i] + (int64_t)tensor_map_steps(m, i) * m->step[i])
            return;
        w->at[i] = w->first[i];
    }
}

/* ---- the pixels of im2col ---- */

/* From pixel to pixel of the bounding box; after its last one the next image begins. */
static void next_pixel(struct tensor_walk *w) {
    const struct tensor_map *m = w->map;
    for (unsigned i = 1; i + 1 < m->rank; i++) {
        w->at[i] += m->step[i];
        if (w->at[i] <= (int64_t)m->last[i] + m->upper[i - 1])
            return;
        w->at[i] = m->lower[i - 1];
    }
    w->at[m->rank - 1]++;
}

/* ---- both ---- */

static void begin_row(struct tensor_walk *w) {
    const struct tensor_map *m = w->map;
    w->done = 0;
    w->row_inside = true;
    w->row_global = m->address;
    for (unsigned i = 1; i < m->rank; i++) {
        int64_t at = w->at[i] + w->offset[i];
        /* Rows outside of the tensor in any dimension are filled, or left out: their address is computed, and not
         * used. */
        w->row_inside &= at >= 0 && at <= m->last[i];
        w->row_global += (uint64_t)at * m->stride[i - 1];
    }
}

void tensor_walk_begin(struct tensor_walk *w, const struct tensor_map *m, const int32_t *coordinates,
                       const uint16_t *offsets) {
    *w = (struct tensor_walk){.map = m, .row_bytes = tensor_map_row_bytes(m), .rows = 1};
    /* In shared memory rows follow each other; a swizzled row takes the pattern's whole width, even if it is
     * shorter. */
    w->pitch = m->swizzle && !m->interleave ? 16u << m->swizzle : w->row_bytes;
    for (unsigned i = 0; i < m->rank; i++)
        w->first[i] = w->at[i] = coordinates[i];
    for (unsigned i = 0; offsets && i + 2 < m->rank; i++)
        w->offset[i + 1] = offsets[i];
    for (unsigned i = 1; m->mode == TENSOR_TILED && i < m->rank; i++)
        w->rows *= tensor_map_steps(m, i);
    if (m->mode == TENSOR_IM2COL)
        w->rows = m->box[1];
    begin_row(w);
}

/* The elements of a row that are before the tensor, in it, and after it. Where elements are left out, one is taken at a
 * time. */
static void cut_row(const struct tensor_walk *w, struct tensor_piece *p) {
    const struct tensor_map *m = w->map;
    /* In bytes from the tensor's first element along dimension 0. The row may begin before it (negative coordinates)
     * and end after it; each call gives one of these parts. */
    int64_t unit = tensor_map_unit(m), step = m->interleave ? m->step[0] : 1;
    int64_t begin = w->first[0] * unit + w->done * step, end = ((int64_t)m->last[0] + 1) * unit;
    int64_t left = step > 1 ? unit : w->row_bytes - w->done;
    if (begin < 0)
        *p = (struct tensor_piece){.bytes = (uint32_t)(-begin < left ? -begin : left)};
    else if (begin < end)
        *p = (struct tensor_piece){w->row_global + (uint64_t)begin, 0,
                                   (uint32_t)(end - begin < left ? end - begin : left), true};
    else
        *p = (struct tensor_piece){.bytes = (uint32_t)left};
}

bool tensor_walk_next(struct tensor_walk *w, struct tensor_piece *p) {
    if (w->row == w->rows)
        return false;
    if (w->row_inside)
        cut_row(w, p);
    else
        *p = (struct tensor_piece){.bytes = w->row_bytes - w->done};
    p->shared = w->row * w->pitch + w->done;
    w->done += p->bytes;
    if (w->done < w->row_bytes)
        return true;
    if (++w->row < w->rows) {
        if (w->map->mode == TENSOR_IM2COL)
            next_pixel(w);
        else
            next_tiled(w);
        begin_row(w);
    }
    return true;
}
