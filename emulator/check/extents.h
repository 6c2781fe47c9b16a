/* Lists of extents: what is recorded of a chunk while consecutive threads access it element after element. */
#ifndef EXTENTS_H
#define EXTENTS_H

#include "check/shadow_memory.h"

/* Do both belong to the same access, as if one went on with the other? */
static inline bool extent_is_alike(const struct extent *a, const struct extent *b) {
    return a->record.record.packed == b->record.record.packed && a->record.record.time == b->record.record.time &&
           a->record.block == b->record.block && a->record.launch == b->record.launch && a->shift == b->shift;
}
static inline bool extents_overlap(const struct extent *a, const struct extent *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* Gives the bytes of `new` this record in a list, in place of what they had. False: it would need more than `most`
 * extents, and nothing is done. */
bool extents_put(struct extent *list, uint8_t *count, unsigned most, const struct extent *new);
/* Takes the records of the bytes of `old` out of a list. False: as above. */
bool extents_remove(struct extent *list, uint8_t *count, unsigned most, const struct extent *old);
/* The record of a byte; launch 0: none. */
struct full_record extents_record(const struct extent *list, unsigned count, unsigned byte);

#endif
