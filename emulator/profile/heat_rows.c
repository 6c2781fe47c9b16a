#include "profile/heat_rows.h"

#include <string.h>

#define ROW_CELLS 32 /* of a buffer without rows */

static bool touched(const struct heat *h, uint32_t i) {
    return h->loads[i] || h->stores[i];
}

/* ---- rows that the accesses show ---- */

/* The most frequent distance between neighbouring stretches: it wins the vote in one pass if more than half of them
 * have it. */
struct vote {
    uint32_t distance, votes;
};

static void cast(struct vote *v, uint32_t distance) {
    if (!v->votes)
        v->distance = distance;
    v->votes += v->distance == distance ? 1 : -1u;
}

/* Calls for the distance from each stretch of touched elements to the next one. Returns how many equal `same`. */
static uint32_t each_distance(const struct heat *h, struct vote *vote, uint32_t same, uint32_t *all) {
    uint32_t last = 0, count = 0;
    *all = 0;
    for (uint32_t i = 0, stretches = 0; i < h->elements; i++) {
        if (!touched(h, i) || (i && touched(h, i - 1)))
            continue;
        if (stretches++) {
            ++*all;
            count += i - last == same;
            if (vote)
                cast(vote, i - last);
        }
        last = i;
    }
    return count;
}

/* An origin that splits no row's stretch: the first touched element, if row 0 at the start of the buffer splits one. */
static uint32_t find_origin(const struct heat *h, uint32_t pitch, uint32_t first) {
    for (uint32_t i = pitch; i < h->elements; i += pitch)
        if (touched(h, i) && touched(h, i - 1))
            return first % pitch;
    return 0;
}

/* Short distances are those of threads that skip elements. */
static uint32_t seen_pitch(const struct heat *h) {
    struct vote vote = {0, 0};
    uint32_t all;
    each_distance(h, &vote, 0, &all);
    return vote.distance >= ROW_CELLS && 2 * each_distance(h, NULL, vote.distance, &all) > all ? vote.distance : 0;
}

/* ---- the part that was touched ---- */

static bool find_ends(const struct heat *h, uint32_t *first, uint32_t *last) {
    *first = h->elements;
    *last = 0;
    for (uint32_t i = 0; i < h->elements; i++)
        if (touched(h, i)) {
            *first = i < *first ? i : *first;
            *last = i;
        }
    return *first <= *last;
}

static void crop_matrix(const struct heat *h, struct heat_rows *r, uint32_t first, uint32_t last) {
    uint32_t left = r->pitch, right = 0;
    for (uint32_t i = first; i <= last; i++)
        if (touched(h, i)) {
            uint32_t column = (i - r->origin) % r->pitch;
            left = column < left ? column : left;
            right = column > right ? column : right;
        }
    r->first_row = (first - r->origin) / r->pitch;
    r->rows = (last - r->origin) / r->pitch + 1 - r->first_row;
    r->first_column = left;
    r->columns = right + 1 - left;
    r->per_column = (r->columns + MOST_COLUMNS - 1) / MOST_COLUMNS;
    r->per_row = (r->rows + MOST_ROWS - 1) / MOST_ROWS;
}

/* One row of cells after the other, from a multiple of 32 elements on. */
static void cut_line(struct heat_rows *r, uint32_t first, uint32_t last) {
    r->origin = first / ROW_CELLS * ROW_CELLS;
    uint32_t count = last + 1 - r->origin;
    r->per_column = (count + ROW_CELLS * MOST_ROWS - 1) / (ROW_CELLS * MOST_ROWS);
    r->pitch = r->columns = ROW_CELLS * r->per_column;
    r->rows = (count + r->pitch - 1) / r->pitch;
    r->per_row = 1;
}

static void fill_cells(const struct heat *h, struct heat_rows *r) {
    for (uint32_t y = 0; y < r->rows; y++)
        for (uint32_t x = 0; x < r->columns; x++) {
            uint64_t i = r->origin + (uint64_t)(r->first_row + y) * r->pitch + r->first_column + x;
            uint32_t touches = i < h->elements ? h->loads[i] + h->stores[i] : 0;
            uint32_t *cell = &r->touches[y / r->per_row * r->cell_columns + x / r->per_column];
            *cell = touches > *cell ? touches : *cell;
            r->most = touches > r->most ? touches : r->most;
        }
}

bool heat_rows_of(const struct heat *h, struct heat_rows *r) {
    uint32_t first, last;
    memset(r, 0, sizeof *r);
    if (!find_ends(h, &first, &last))
        return false;
    r->pitch = h->pitch % h->element ? 0 : (uint32_t)(h->pitch / h->element);
    if (r->pitch < 2 && (r->pitch = seen_pitch(h)))
        r->origin = find_origin(h, r->pitch, first);
    r->matrix = r->pitch >= 2;
    if (r->matrix)
        crop_matrix(h, r, first, last);
    else
        cut_line(r, first, last);
    r->cell_rows = (r->rows + r->per_row - 1) / r->per_row;
    r->cell_columns = (r->columns + r->per_column - 1) / r->per_column;
    fill_cells(h, r);
    return true;
}
