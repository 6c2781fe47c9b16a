/* The fast path of the checks for a plain load or store. It handles accesses that conflict with no record and go to
 * bytes that have been written, and updates the shadow memory exactly as the slow path (watch_accesses.c) would. All
 * other accesses are left to the slow path.
 *
 * The rules are those of race.h. The fast path adds none, only three caches of their answers: what happens before an
 * access (epoch.h); shadow words in a shorter form, which are expanded before any other code reads them (extents, logs
 * of reads: shadow_memory.h, read_log.h); and words that are read-shared, to which another read adds nothing
 * (shadow_memory.h, block_watch.h). Each of these places explains how its cache is kept valid. tests/check/ways.cu and
 * fast_paths.cu compare what both paths find. */
#ifndef FAST_PATH_H
#define FAST_PATH_H

#include <string.h>

#include "check/lane_access.h"
#include "check/spans.h"

/* Each returns the lanes that are left to the slow path. */
uint32_t fast_shared(struct block_watch *b, struct lane_access *la);
uint32_t fast_shared_atomic(struct block_watch *b, const struct lane_access *la); /* an atomic operation */
uint32_t fast_local(struct block_watch *b, const struct lane_access *la);
uint32_t fast_global(struct block_watch *b, struct lane_access *la);
/* Checks and does a load or store of one word by each lane, at addresses without a pattern. False: nothing is done,
 * and it is no such access or needs another path. */
bool fast_scattered(struct block_watch *b, const struct lane_access *la);
/* For reads made by the warp as a whole, with known spans. Each returns a bit for each span left to the slow path. */
uint32_t fast_shared_spans(struct block_watch *b, const struct lane_access *la, const struct span *spans,
                           unsigned count);
uint32_t fast_global_spans(struct block_watch *b, struct lane_access *la, const struct span *spans, unsigned count);

/* Records a read of a span, `bytes` for each lane, that conflicts with nothing; `record` is lane 0's. */
void fast_shared_read(struct block_watch *b, struct access_record record, const struct span *s, uint32_t bytes);

/* Handlers of instrumented plain loads and stores of shared and of global memory. */
const struct insn *probed_shared(struct warp *w, const struct insn *in);
const struct insn *probed_global(struct warp *w, const struct insn *in);

/* Does a plain load of words by all lanes: the byte at an address is at host + (address & low). False: nothing is done,
 * the pattern is another one. */
static inline bool fast_load(const struct lane_access *la, const struct span *spans, unsigned count, uintptr_t host,
                             uint64_t low) {
    const struct access *a = la->in->extra;
    if (!(la->probe->flags & PROBE_WORDS) || la->warp->mask != FULL_MASK || count > 2)
        return false;
    uint32_t *d = (uint32_t *)(void *)(la->warp->regs + a->regs[0]), bytes = spans[0].bytes, value[2];
    const void *from = (const void *)(host + (spans[0].at & low)), *second = from;
    if (count == 1 && bytes == WARP_SIZE * 4) { /* contiguous */
        memcpy(d, from, WARP_SIZE * 4);
        return true;
    }
    if (count == 2 && (spans[0].lanes != 0xffffu || spans[1].bytes != bytes))
        return false;
    if (count == 2)
        second = (const void *)(host + (spans[1].at & low));
    if (bytes == SPAN_HALF * 4 && count == 2) { /* contiguous in each half */
        memcpy(d, from, SPAN_HALF * 4);
        memcpy(d + SPAN_HALF, second, SPAN_HALF * 4);
    } else if (bytes == 4) { /* one word for each half */
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

#define FAST_BYTES 16 /* the most that a lane stores */
static inline bool fast_path_can(const struct block_watch *b, const struct lane_access *la) {
    return !(b->launch->checks & CHECK_SLOW) && !(la->bytes & (la->bytes - 1)) &&
           !(la->write && la->bytes > FAST_BYTES);
}

/* A row: 16 adjacent shadow words, unaligned. row_where_...: a bit for each word of a that is so. */
#define ROW_WORDS 16
typedef uint32_t shadow_row __attribute__((vector_size(64), aligned(4), may_alias));
#define ROW_AT(array, i)  (*(const shadow_row *)(const void *)((array) + (i)))
#define ROW_SET(array, i) (*(shadow_row *)(void *)((array) + (i)))
#define ROW_ALL           0xffffu
static inline uint32_t row_where_equal(shadow_row a, shadow_row b) {
    return simd_bits32((simd_i32)simd_equal32(a, b));
}
static inline uint32_t row_where_less(shadow_row a, shadow_row b) {
    return simd_bits32((simd_i32)simd_less32(a, b));
}
static inline uint32_t row_where_zero(shadow_row a) {
    return row_where_equal(a, a ^ a);
}

/* `packed` of a row that begins with shadow word i of a span; `new` is the record of the span's first lane, and a
 * lane has 1 << shift shadow words. */
static inline shadow_row row_packed(struct access_record new, uint64_t i, unsigned shift) {
    static const shadow_row count = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return new.packed + ((count + (uint32_t)i) >> shift);
}

#endif
