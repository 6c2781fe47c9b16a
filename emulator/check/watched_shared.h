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

/* True: all checks of all lanes are done and found nothing, and the read is remembered. False: nothing is done yet. */
static inline bool watched_load_shared(const struct warp *w, const struct fast_access a,
                                       const struct watched_access x) {
    struct block_watch *b = w->block->watch;
    struct read_log *log = &b->reads;
    const uint32_t *address = (const uint32_t *)(const void *)(w->regs + a.address);
    enum pattern low = pattern32(address, x.bytes), high = pattern32(address + HALF, x.bytes);
    if (!low || !high || !log->open || log->count == READ_LOG_SIZE || !watch_whole_comes(b, w))
        return false;
    uint32_t at[] = {address[0] + (uint32_t)a.imm, address[HALF] + (uint32_t)a.imm};
    uint32_t bytes[] = {low == PATTERN_RUN ? HALF * x.bytes : x.bytes, high == PATTERN_RUN ? HALF * x.bytes : x.bytes};
    uint64_t ends[] = {(uint64_t)at[0] + bytes[0], (uint64_t)at[1] + bytes[1]};
    uint64_t end = ends[0] > ends[1] ? ends[0] : ends[1];
    if ((at[0] | at[1]) & (x.bytes - 1) || at[0] < x.begin || at[1] < x.begin || end > x.end ||
        end > w->launch->shared_bytes)
        return false;
    if (end > b->written_until &&
        !(watched_bits(b->shared_written, at[0], bytes[0]) && watched_bits(b->shared_written, at[1], bytes[1])))
        return false;
    log->items[log->count] = (struct logged_read){
        b->order.time,
        x.mark | (uint32_t)w->index << MARK_WARP_SHIFT,
        {at[0] | (low == PATTERN_RUN ? 0 : READ_ALL_SAME), at[1] | (high == PATTERN_RUN ? 0 : READ_ALL_SAME)}};
    log->count += log->step;
    return true;
}

#endif
