/* How a buffer is laid out in a picture: which of its elements are in one row, and which elements a cell represents. */
#ifndef HEAT_ROWS_H
#define HEAT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/trace.h"

#define MOST_COLUMNS 40 /* 32 threads, and the neighbours that a stencil reads */
#define MOST_ROWS    32

struct heat_rows {
    bool matrix;                                /* the buffer has rows; otherwise it is one row, cut into pieces */
    uint32_t origin, pitch;                     /* elements: the beginning of row 0, and the distance from row to row */
    uint32_t first_row, first_column;           /* of the part that was touched */
    uint32_t rows, columns;                     /* that part, in elements */
    uint32_t cell_rows, cell_columns;           /* the picture, in cells */
    uint32_t per_row, per_column;               /* elements of a cell, vertically and horizontally */
    uint32_t touches[MOST_ROWS * MOST_COLUMNS]; /* of each cell's busiest element, by row */
    uint32_t most;
};

/* False when nothing was touched. Rows are those of the allocation (cudaMallocPitch) or of the declared array;
 * otherwise those that the accesses show, where the stretches of touched elements begin at equal distances. */
bool heat_rows_of(const struct heat *h, struct heat_rows *out);

#endif
