/* The quick way through a plain load or store: what is nearly always so, found out in a hurry. Accesses that nothing remembered can
 * conflict with, to bytes that have been written, leave here what the careful way (watch.c) would leave. */
#ifndef QUICK_H
#define QUICK_H

#include <string.h>

#include "check/block_watch.h"
#include "check/spans.h"

/* Each returns the lanes that need the careful way. */
uint32_t quick_shared(struct block_watch *b, struct touch *t);
uint32_t quick_shared_atomic(struct block_watch *b, const struct touch *t); /* of an atomic operation */
uint32_t quick_local(struct block_watch *b, const struct touch *t);
uint32_t quick_global(struct block_watch *b, struct touch *t);
/* A load or store of a word by each lane, wherever that is: checked and done. False: it is something else, or not simple. */
bool quick_scattered(struct block_watch *b, const struct touch *t);
/* The same for reads that are not a lane's own: their spans are known. A bit for each span that is left. */
uint32_t quick_shared_spans(struct block_watch *b, const struct touch *t, const struct span *spans, unsigned count);
uint32_t quick_global_spans(struct block_watch *b, struct touch *t, const struct span *spans, unsigned count);

/* Lanes of a span have read it, `bytes` each, and that conflicted with nothing; the mark is of lane 0. */
void quick_shared_read(struct block_watch *b, struct access_mark mark, const struct span *s, uint32_t bytes);

/* Operations: plain loads and stores that go to shared and to global memory. */
const struct insn *watched_shared(struct warp *w, const struct insn *in);
const struct insn *watched_global(struct warp *w, const struct insn *in);

/* Does a plain load of words to all lanes: the byte at an address is at host + (address & low). False: it is something else. */
static inline bool quick_load(const struct touch *t, const struct span *spans, unsigned count, uintptr_t host,
                              uint64_t low) {
    const struct access *a = t->in->extra;
    if (!(t->site->flags & SITE_WORDS) || t->warp->mask != FULL_MASK || count > 2)
        return false;
    uint32_t *d = (uint32_t *)(void *)(t->warp->regs + a->regs[0]), bytes = spans[0].bytes, value[2];
    const void *from = (const void *)(host + (spans[0].at & low)), *second = from;
    if (count == 1 && bytes == WARP_SIZE * 4) { /* a run */
        memcpy(d, from, WARP_SIZE * 4);
        return true;
    }
    if (count == 2 && (spans[0].lanes != 0xffffu || spans[1].bytes != bytes))
        return false;
    if (count == 2)
        second = (const void *)(host + (spans[1].at & low));
    if (bytes == SPAN_HALF * 4 && count == 2) { /* a run for each half */
        memcpy(d, from, SPAN_HALF * 4);
        memcpy(d + SPAN_HALF, second, SPAN_HALF * 4);
    } else if (bytes == 4) { /* a word for each half */
        memcpy(&value[0], from, 4);
        memcpy(&value[1], second, 4);
        for (unsigned l = 0; l < SPAN_HALF; l++)
            d[l] = value[0];
        for (unsigned l = SPAN_HALF; l < WARP_SIZE; l++)
            d[l] = value[1];
    } else {
        return false;
    }
    return true;
}

#define QUICK_BYTES 16 /* that a lane stores, at most */
static inline bool quick_can(const struct block_watch *b, const struct touch *t) {
    return !(b->launch->checks & CHECK_CAREFUL) && !(t->bytes & (t->bytes - 1)) &&
           !(t->write && t->bytes > QUICK_BYTES);
}

/* 16 cells, wherever they lie; and a bit for each of them in which something holds. */
#define QUICK_CELLS 16
typedef uint32_t quick_cells __attribute__((vector_size(64), aligned(4), may_alias));
#define QUICK_AT(plane, i)  (*(const quick_cells *)(const void *)((plane) + (i)))
#define QUICK_SET(plane, i) (*(quick_cells *)(void *)((plane) + (i)))
#define QUICK_WHERE(holds)  simd_bits32((simd_i32)(holds))
#define QUICK_ALL           0xffffu

/* The marks of 16 cells beginning with cell i of a span, when `new` is that of its first lane and a lane has 1 << shift cells. */
static inline quick_cells quick_packed(struct access_mark new, uint64_t i, unsigned shift) {
    static const quick_cells count = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return new.packed + ((count + (uint32_t)i) >> shift);
}

#endif
