/* The fastest path of the checks for shared memory: a plain load by a whole warp whose halves are contiguous or
 * uniform, when there has been no write since the last barrier and the bytes read have been written. It is called by
 * the interpreter's handlers and by the code that the second tier generates. That code is compiled with warps of one
 * lane: WARP_SIZE and FULL_MASK must not be used here. */
#ifndef PROBED_SHARED_H
#define PROBED_SHARED_H

#include "check/block_watch.h"
#include "check/probed.h"
#include "ops/memory_fast.h"

/* Are n bits from bit `at` on all set? */
static inline bool probed_bits(const uint64_t *bits, uint32_t at, uint32_t n) {
    for (; n; at += 64) {
        /* 64 bits from an unaligned place: the rest of one word and the beginning of the next. Shifted by 1 and by 63
         * - at, since a shift by 64 (at % 64 == 0) is undefined. The bitmap has a word more than it needs. */
        uint32_t some = n < 64 ? n : 64;
        uint64_t low = bits[at / 64] >> at % 64, high = bits[at / 64 + 1] << 1 << (63 - at % 64);
        if (~(low | high) & ~(uint64_t)0 >> (64 - some))
            return false;
        n -= some;
    }
    return true;
}

/* True: all checks of a load of `bytes` by each half are done and found nothing, and it is logged. False: nothing is
 * done. */
static inline bool probed_note_read(struct block_watch *b, const struct warp *w, const struct probed_access x,
                                    const uint32_t at[2], uint32_t bytes, enum pattern pattern) {
    struct read_log *log = &b->reads;
    const uint32_t low = at[0] < at[1] ? at[0] : at[1], high = at[0] < at[1] ? at[1] : at[0];
    const uint64_t end = (uint64_t)high + bytes;
    if ((low | high) & (x.bytes - 1) || low < x.begin || end > (x.end == ~0u ? w->launch->shared_bytes : x.end))
        return false;
    if (end > b->init.written_until &&
        !(probed_bits(b->init.shared_written, at[0], bytes) && probed_bits(b->init.shared_written, at[1], bytes)))
        return false;
    const uint32_t same = pattern == PATTERN_SAME ? READ_ALL_SAME : 0, count = log->count;
    const struct access_record record = whole_record(b, w, x.record);
    log->items[count] = (struct logged_read){record.time, record.packed, {at[0] | same, at[1] | same}};
    log->count = count + log->step;
    return true;
}

/* The pattern of both halves, when all checks are done and the read is logged. PATTERN_NONE: another path must
 * decide. */
static inline enum pattern probed_look(const struct warp *w, uint32_t address_reg, uint32_t imm,
                                       const struct probed_access x, uint32_t at[2]) {
    struct block_watch *b = w->block->watch;
    const uint32_t *address = (const uint32_t *)(const void *)(w->regs + address_reg);
    /* First the test that fails most cheaply: is the log open to this warp, and has it room? */
    if (!(b->reads.ready >> w->index & 1) || b->reads.count == READ_LOG_SIZE)
        return PATTERN_NONE;
    at[0] = address[0] + imm;
    at[1] = address[HALF] + imm;
    if (simd_is_strided32(address, x.bytes) && simd_is_strided32(address + HALF, x.bytes))
        return probed_note_read(b, w, x, at, HALF * x.bytes, PATTERN_CONTIGUOUS) ? PATTERN_CONTIGUOUS : PATTERN_NONE;
    if (simd_is_strided32(address, 0) && simd_is_strided32(address + HALF, 0))
        return probed_note_read(b, w, x, at, x.bytes, PATTERN_SAME) ? PATTERN_SAME : PATTERN_NONE;
    return PATTERN_NONE;
}

/* Check and load, for each type. False: nothing is done. */
#define PROBED_LOAD(name, T, R, n)                                                                                     \
    static inline bool probed_load_shared_##name(const struct warp *w, const struct fast_access a,                     \
                                                 const struct probed_access x) {                                       \
        uint32_t at[2];                                                                                                \
        const uint8_t *shared = w->block->shared;                                                                      \
        enum pattern pattern = probed_look(w, a.address, (uint32_t)a.imm, x, at);                                      \
        if (pattern == PATTERN_NONE)                                                                                   \
            return false;                                                                                              \
        fast_fill_warp_##name(w->regs, a.data, shared + at[0], shared + at[1], pattern);                               \
        return true;                                                                                                   \
    }
FAST_LOADS(PROBED_LOAD)

#endif
