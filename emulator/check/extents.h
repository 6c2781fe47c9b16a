/* A chunk of which extents say all: plain accesses by threads one after the other to elements one after the other. */
#ifndef EXTENTS_H
#define EXTENTS_H

#include "check/cells.h"

/* Do both say the same of their bytes? */
static inline bool extent_is_alike(const struct extent *a, const struct extent *b) {
    return a->mark.mark.packed == b->mark.mark.packed && a->mark.mark.time == b->mark.mark.time &&
           a->mark.block == b->mark.block && a->mark.launch == b->mark.launch && a->shift == b->shift;
}
static inline bool extent_meets(const struct extent *a, const struct extent *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* Of a list of at most `most`: says of the bytes of `new` that they have this mark, whatever they had before. False, with nothing done:
 * too many would be needed. */
bool extents_put(struct extent *list, uint8_t *count, unsigned most, const struct extent *new);
/* The same for no mark. */
bool extents_remove(struct extent *list, uint8_t *count, unsigned most, const struct extent *old);
/* A byte's mark; launch 0: none. */
struct global_mark extents_mark(const struct extent *list, unsigned count, unsigned byte);

#endif
