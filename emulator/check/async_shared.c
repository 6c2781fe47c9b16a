/* What the asynchronous proxy reads and writes in shared memory.
 *
 * Its writes are in the shadow words as all others are; RECORD_COPY says that time alone does not end them. A read is in the last slot for
 * reads, with a time that no access happens after: so every fast path that would write there leaves the word to the slow path, which asks
 * here. When the read was made stands in block_watch.async_reads, once for its 16 bytes. Of several warps that read the same, the last one is
 * remembered. */
#include "check/block_watch.h"
#include "check/probed_shared.h"
#include "check/race.h"

#define NEVER_OVER (~0u)

enum async_fact async_fact_of(const struct launch_watch *l, bool write, struct access_record record) {
    uint32_t index = RECORD_INSN(record.packed);
    bool product = index < l->kernel->code.count && l->probes->items[index].kind == PROBE_PIECES;
    return write ? ASYNC_LOADS : product ? ASYNC_PRODUCTS : ASYNC_STORES;
}

bool async_unfinished(const struct block_watch *b, uint64_t word, bool write, struct access_record record,
                      uint32_t warp) {
    uint32_t time = write ? record.time : b->async_reads[(word << b->launch->unit_shift) / ASYNC_PIECE];
    enum async_fact fact = async_fact_of(b->launch, write, record);
    return time >= b->order.start && !async_is_known(b->order.async, fact, RECORD_WARP(record.packed), time, warp);
}

/* Of cp.async nothing is said: nobody puts a fence behind it. */
bool async_unfenced(const struct block_watch *b, struct access_record record, uint32_t warp) {
    return !(record.packed & RECORD_COPY) && record.time >= b->order.start &&
           !async_is_known(b->order.async, ASYNC_FENCED, RECORD_WARP(record.packed), record.time, warp);
}

void async_remember_read(struct block_watch *b, const struct touch *t) {
    struct access_record record = touch_record(b, t);
    uint64_t unit = b->launch->unit_shift, end = (t->address + t->bytes - 1) >> unit;
    for (uint64_t piece = t->address / ASYNC_PIECE; piece <= (t->address + t->bytes - 1) / ASYNC_PIECE; piece++)
        b->async_reads[piece] = record.time;
    record.time = NEVER_OVER;
    for (uint64_t i = t->address >> unit; i <= end; i++)
        shadow_set_record(&b->shadow, i, SHADOW_READ_TOO, record);
}

/* May the warp's products read what was written there? */
static bool write_is_seen(const struct block_watch *b, struct access_record record, uint32_t warp, uint32_t lane) {
    const struct async_clock *base = &b->order.async->base;
    uint32_t by = RECORD_WARP(record.packed), index = RECORD_INSN(record.packed);
    if (record.time < b->order.start)
        return true;
    if (!(record.packed & RECORD_COPY) && record.time < b->order.base && record.time < base->before[ASYNC_FENCED][by])
        return true;
    if (record.packed & RECORD_COPY && b->launch->probes->items[index].kind != PROBE_COPY_WRITE)
        return async_is_known(b->order.async, ASYNC_LOADS, by, record.time, warp);
    return order_in_block(&b->order, record, warp, lane) && !async_unfenced(b, record, warp);
}

static bool writes_are_seen(const struct block_watch *b, const struct touch *t) {
    struct access_record last = {0, 0};
    uint64_t unit = b->launch->unit_shift, end = (t->address + t->bytes - 1) >> unit;
    for (uint64_t i = t->address >> unit; i <= end; i++)
        for (enum shadow_slot k = SHADOW_WRITE; k <= SHADOW_STRONG; k++) {
            struct access_record now = shadow_record(&b->shadow, i, k);
            if (!now.time || (now.time == last.time && now.packed == last.packed))
                continue;
            if (!write_is_seen(b, now, t->warp->index, (uint32_t)t->lane))
                return false;
            last = now;
        }
    return true;
}

bool async_read_is_fast(struct block_watch *b, const struct touch *t) {
    const struct launch *l = t->warp->launch;
    if (b->launch->checks & CHECK_SLOW || t->address < l->kernel->reserved_shared ||
        t->address + t->bytes > l->shared_bytes)
        return false;
    if (b->shared_written && !probed_bits(b->shared_written, (uint32_t)t->address, t->bytes))
        return false;
    if (!(b->launch->checks & CHECK_RACE))
        return true;
    if (!writes_are_seen(b, t))
        return false;
    async_remember_read(b, t);
    return true;
}
