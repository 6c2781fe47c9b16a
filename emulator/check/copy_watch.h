/* Copies and fills by the host, as the checks see them. */
#ifndef COPY_WATCH_H
#define COPY_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "check/stream_order.h"

/* One side of a copy: rows of `width` bytes. */
struct copy_side {
    uint64_t address;
    uint64_t pitch, slice;
};
struct copied {
    const char *function; /* of the API */
    struct copy_side to, from;
    bool fill; /* nothing is read */
    uint64_t width, height, depth;
    const struct operation_order *order;
};

/* Before it is done: the bytes between the rows of a box count as written, too. */
void copy_watch_before(uint64_t address, uint64_t bytes);
/* After it was done. Only to be called when a check is on. */
void copy_watch(const struct copied *c);
/* Memory has been allocated in the order of a stream, or is about to be freed so. Only to be called with racecheck
 * on. */
void memory_ordered(const struct operation_order *order, uint64_t base, enum ran_kind kind);

#endif
