/* A plain load of shared memory by a whole warp whose halves are regular, in the usual case: nobody has written since the last
 * barrier, and what is read has been written before. The interpreter asks this, and so does the second tier's text, which is compiled
 * for warps of one lane: WARP_SIZE and FULL_MASK must not be used here. */
#ifndef WATCHED_SHARED_H
#define WATCHED_SHARED_H

#include "check/block_watch.h"
#include "check/watched.h"
#include "ops/memory_fast.h"

/* n of the bits, beginning with `at`. */
static inline bool watched_bits(const uint64_t *bits, uint32_t at, uint32_t n) {
    for (; n; at += 64) {
        uint32_t some = n < 64 ? n : 64;
        uint64_t low = bits[at / 64] >> at % 64, high = bits[at / 64 + 1] << 1 << (63 - at % 64);
        if (~(low | high) & ~(uint64_t)0 >> (64 - some))
            return false;
        n -= some;
    }
    return true;
}

/* The halves access `bytes` each at these places: all checks of all lanes find nothing, and the read is noted. False: nothing is done. */
static inline bool watched_note_read(struct block_watch *b, const struct warp *w, const struct watched_access x,
                                     const uint32_t at[2], uint32_t bytes, enum pattern pattern) {
    struct read_log *log = &b->reads;
    const uint32_t low = at[0] < at[1] ? at[0] : at[1], high = at[0] < at[1] ? at[1] : at[0];
    const uint64_t end = (uint64_t)high + bytes;
    if ((low | high) & (x.bytes - 1) || low < x.begin || end > (x.end == ~0u ? w->launch->shared_bytes : x.end))
        return false;
    if (end > b->written_until &&
        !(watched_bits(b->shared_written, at[0], bytes) && watched_bits(b->shared_written, at[1], bytes)))
        return false;
    const uint32_t same = pattern == PATTERN_SAME ? READ_ALL_SAME : 0, count = log->count;
    const struct access_mark mark = whole_mark(b, w, x.mark);
    log->items[count] = (struct logged_read){mark.time, mark.packed, {at[0] | same, at[1] | same}};
    log->count = count + log->step;
    return true;
}

/* PATTERN_NONE: the careful way is needed. Otherwise both halves are so, the checks of all lanes are done, and the read is noted. */
static inline enum pattern watched_look(const struct warp *w, uint32_t address_reg, uint32_t imm,
                                        const struct watched_access x, uint32_t at[2]) {
    struct block_watch *b = w->block->watch;
    const uint32_t *address = (const uint32_t *)(const void *)(w->regs + address_reg);
    if (!(b->reads.ready >> w->index & 1) || b->reads.count == READ_LOG_SIZE)
        return PATTERN_NONE;
    at[0] = address[0] + imm;
    at[1] = address[HALF] + imm;
    if (simd_is_run32(address, x.bytes) && simd_is_run32(address + HALF, x.bytes))
        return watched_note_read(b, w, x, at, HALF * x.bytes, PATTERN_RUN) ? PATTERN_RUN : PATTERN_NONE;
    if (simd_is_run32(address, 0) && simd_is_run32(address + HALF, 0))
        return watched_note_read(b, w, x, at, x.bytes, PATTERN_SAME) ? PATTERN_SAME : PATTERN_NONE;
    return PATTERN_NONE;
}

/* Looks and loads; false: has done nothing. */
#define WATCHED_LOAD(name, T, R, n)                                                                                    \
    static inline bool watched_load_shared_##name(const struct warp *w, const struct fast_access a,                    \
                                                  const struct watched_access x) {                                     \
        uint32_t at[2];                                                                                                \
        const uint8_t *shared = w->block->shared;                                                                      \
        enum pattern pattern = watched_look(w, a.address, (uint32_t)a.imm, x, at);                                     \
        if (pattern == PATTERN_NONE)                                                                                   \
            return false;                                                                                              \
        fast_fill_warp_##name(w->regs, a.data, shared + at[0], shared + at[1], pattern);                               \
        return true;                                                                                                   \
    }
FAST_LOADS(WATCHED_LOAD)

#endif
