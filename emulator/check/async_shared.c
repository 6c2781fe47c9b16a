/* What the asynchronous proxy reads and writes in shared memory.
 *
 * Its writes are in the shadow words as all others are; RECORD_COPY marks that time alone does not end them. A read is
 * in the last slot for reads, with a time that no access happens after: so every fast path that would write there
 * leaves the word to the slow path, which decides here. The time of the read is stored in block_watch.async_reads, once
 * for its 16 bytes. Of several warps that read the same, the last one is remembered. */
#include "check/lane_access.h"
#include "check/probed_shared.h"
#include "check/race.h"
#include "machine/block_cluster.h"

#define NEVER_OVER (~0u)

enum async_fact async_fact_of(const struct launch_watch *l, bool write, struct access_record record) {
    uint32_t index = RECORD_INSN(record.packed);
    bool product = index < l->kernel->code.count && l->probes->items[index].kind == PROBE_PIECES;
    return write ? ASYNC_LOADS : product ? ASYNC_PRODUCTS : ASYNC_STORES;
}

/* The first warp of a block in the clocks of its cluster. */
static uint32_t first_warp(const struct race *now, uint32_t block) {
    const struct block_watch *b = now->b;
    if (block == b->order.index)
        return b->order.async->first;
    const struct block *own = now->access->warp->block;
    uint32_t rank = 0;
    while (rank + 1 < own->launch->cluster_blocks && cluster_block(own, rank)->index != block)
        rank++;
    return rank * ASYNC_WARPS;
}

/* Was it made before the block began? Shared memory of clusters begins without records. */
static bool is_older(const struct race *now, const struct full_record *old, uint32_t time) {
    /* The clock of a host thread's blocks goes on, so that records of the block before are still there, with earlier
     * times. */
    return old->block == now->b->order.index && time < now->b->order.start;
}

bool async_unfinished(const struct race *now, const struct full_record *old, bool write) {
    const struct block_watch *b = now->b, *owner = now->access && now->shared ? now->access->target->watch : b;
    uint32_t by = first_warp(now, old->block) + RECORD_WARP(old->record.packed);
    if (!now->shared)
        return !async_is_known(b->order.async, ASYNC_WRITES, by, old->record.time,
                               RECORD_WARP(now->record.record.packed));
    /* A write's time is in its record. A read's record has the time NEVER_OVER; its own is kept for its 16 bytes. */
    uint32_t time = write ? old->record.time : owner->async_reads[(now->word << b->launch->unit_shift) / ASYNC_PIECE];
    uint32_t fact = async_fact_of(b->launch, write, old->record);
    /* A multicast has arrived in each block by itself. */
    if (fact == ASYNC_LOADS && now->access)
        fact = ASYNC_LOADS_OF(now->access->target->rank);
    return !is_older(now, old, time) &&
           !async_is_known(b->order.async, fact, by, time, RECORD_WARP(now->record.record.packed));
}

/* Nothing is reported for cp.async: programs do not follow it with a fence. */
bool async_unfenced(const struct race *now, const struct full_record *old) {
    struct access_record record = old->record;
    return !(record.packed & RECORD_COPY) && !is_older(now, old, record.time) &&
           !async_is_known(now->b->order.async, ASYNC_FENCED, first_warp(now, old->block) + RECORD_WARP(record.packed),
                           record.time, RECORD_WARP(now->record.record.packed));
}

void async_remember_read(struct block_watch *b, const struct lane_access *la) {
    struct block_watch *owner = la->target ? la->target->watch : b;
    struct access_record record = lane_access_record(b, la);
    uint64_t unit = b->launch->unit_shift, end = (la->address + la->bytes - 1) >> unit;
    for (uint64_t piece = la->address / ASYNC_PIECE; piece <= (la->address + la->bytes - 1) / ASYNC_PIECE; piece++)
        owner->async_reads[piece] = record.time;
    record.time = NEVER_OVER;
    for (uint64_t i = la->address >> unit; i <= end; i++)
        if (owner->cluster_shadow)
            owner->cluster_shadow[i].reads[1] =
                (struct full_record){b->launch->operation.serial, b->order.index, record};
        else
            shadow_set_record(&b->shadow, i, SHADOW_READ_TOO, record);
}

/* May the warp's products read what was written there? */
static bool write_is_seen(const struct block_watch *b, struct access_record record, uint32_t warp, uint32_t lane) {
    const struct async_order *a = b->order.async;
    uint32_t by = a->first + RECORD_WARP(record.packed), index = RECORD_INSN(record.packed);
    /* From the cheapest to the most expensive answer, as order_in_block() does it: an earlier block's write; a bulk
     * copy that has arrived; a cp.async that was waited for; a store, which has to be fenced, and ordered before this
     * warp. */
    if (record.time < b->order.start)
        return true;
    if (record.packed & RECORD_COPY && b->launch->probes->items[index].kind != PROBE_COPY_WRITE)
        return async_is_known(a, ASYNC_LOADS, by, record.time, warp);
    if (record.packed & RECORD_COPY)
        return order_in_block(&b->order, record, warp, lane);
    if (record.time < b->order.base && async_is_agreed(a, ASYNC_FENCED, by, record.time))
        return true;
    return order_in_block(&b->order, record, warp, lane) && async_is_known(a, ASYNC_FENCED, by, record.time, warp);
}

static bool writes_are_seen(const struct block_watch *b, const struct lane_access *la) {
    struct access_record last = {0, 0};
    uint64_t unit = b->launch->unit_shift, end = (la->address + la->bytes - 1) >> unit;
    for (uint64_t i = la->address >> unit; i <= end; i++)
        for (enum shadow_slot k = SHADOW_WRITE; k <= SHADOW_STRONG; k++) {
            struct access_record now = shadow_record(&b->shadow, i, k);
            /* Adjacent words nearly always have the same record, which needs to be decided only once. */
            if (!now.time || (now.time == last.time && now.packed == last.packed))
                continue;
            if (!write_is_seen(b, now, la->warp->index, (uint32_t)la->lane))
                return false;
            last = now;
        }
    return true;
}

bool async_read_is_fast(struct block_watch *b, const struct lane_access *la) {
    const struct launch *l = la->warp->launch;
    if (b->launch->checks & CHECK_SLOW || la->address < l->kernel->reserved_shared ||
        la->address + la->bytes > l->shared_bytes)
        return false;
    if (b->init.shared_written && !probed_bits(b->init.shared_written, (uint32_t)la->address, la->bytes))
        return false;
    if (!(b->launch->checks & CHECK_RACE))
        return true;
    if (!writes_are_seen(b, la))
        return false;
    async_remember_read(b, la);
    return true;
}
