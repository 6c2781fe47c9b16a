/* The fast path for an expanded chunk of global memory: 16 shadow words at a time. */
#ifndef FAST_WORDS_H
#define FAST_WORDS_H

#include "check/probed_global.h"

struct fast_path {
    const struct lane_access *access; /* NULL: a logged read that is propagated now */
    struct access_epoch by;
    uint32_t floor; /* the launch's: chunk_visitor.floor */
    bool partly;    /* block_order.partly */
    bool write;
    bool alone; /* each word is accessed by one lane; otherwise by all of `lanes` */
    uint32_t lanes;
    uint32_t shift;  /* a lane has 1 << shift shadow words */
    uint32_t number; /* of this visit in the chunk; 0: not looked up yet */
    bool written;    /* all bytes read have been written */
    uint32_t stored; /* bytes already stored to memory */
};

/* Records an access to shadow words [i, i + n) of a chunk, the first of which is number `begin` of the span whose first
 * lane is `lane`. False: it may conflict with a record, or more is needed than is known here; the slow path must
 * decide. */
bool fast_words_access(struct fast_path *q, struct race_chunk *c, uint64_t i, uint64_t n, uint64_t begin,
                       uint32_t lane);

/* Leaves a record in one shadow word. */
static inline void fast_set_at(struct fast_path *q, struct race_chunk *c, uint64_t i, enum shadow_slot slot,
                               uint32_t packed) {
    if (!chunk_need_array(c, slot))
        return;
    /* First a look at the last visits, without a call: a block that accesses a chunk again does so soon. */
    if (!q->number && !(q->number = chunk_known_visit(c, &q->by.record)))
        q->number = chunk_visit(c, &q->by.record, q->floor);
    c->arrays[slot][i] = packed;
    chunk_numbers(c, slot)[i] = (uint16_t)q->number;
}

#endif
