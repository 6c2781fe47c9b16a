/* A block of a cluster exits, and its shared memory with it: all accesses of other blocks to it have to happen before.
 * Which of them run first is up to chance, so that it is not enough to check whether the block still existed. */
#include <string.h>

#include "check/block_watch.h"
#include "check/watch.h"
#include "machine/block_cluster.h"

/* A copy by the asynchronous proxy must be known to be done. */
static bool is_copy_known(const struct block *block, const struct full_record *r, uint32_t warp) {
    uint32_t rank = 0;
    /* The record names the block by its index in the grid, the clocks by its rank in the cluster. */
    while (rank + 1 < block->launch->cluster_blocks && cluster_block(block, rank)->index != r->block)
        rank++;
    return async_is_known(block->watch->order.async, ASYNC_LOADS_OF(block->rank),
                          rank * ASYNC_WARPS + RECORD_WARP(r->record.packed), r->record.time, warp);
}

/* The release that an instruction makes is recorded before its access, at the same time of the block's clock. A thread
 * that acquires it, by waiting for the phase of an mbarrier, waits for the access, too, while the release itself orders
 * only what was done before. */
static struct access_record released_with(const struct block *block, struct access_record record) {
    uint32_t index = RECORD_INSN(record.packed);
    if (index < block->launch->kernel->code.count && block->watch->launch->probes->items[index].flags & PROBE_RELEASE)
        record.time--;
    return record;
}

/* Does any warp of the block know of it? They have all exited. */
static bool is_known_to_block(const struct block *block, const struct full_record *r) {
    const struct block_order *o = &block->watch->order;
    struct block_id by = block_id(r->launch, r->block, 0, ~0u);
    struct access_record record = released_with(block, r->record);
    for (uint32_t i = 0; i < o->warp_count; i++)
        if (r->record.packed & RECORD_COPY ? is_copy_known(block, r, i) : order_between_blocks(o, by, record, i))
            return true;
    return false;
}

static void note_after_exit(const struct block *b, const struct full_record *r, uint64_t address, bool write) {
    const struct kernel *k = b->launch->kernel;
    uint32_t packed = r->record.packed, index = RECORD_INSN(packed);
    struct hazard h = {.kind = HAZARD_EXIT,
                       .relation = RELATION_CLUSTER,
                       .kernel = k,
                       .now = index < k->code.count ? &k->code.insns[index] : NULL,
                       .who = hazard_thread_at(b->launch, r->block, RECORD_WARP(packed), packed & RECORD_LANE),
                       .space = SPACE_SHARED,
                       .address = address,
                       .bytes = 1u << b->watch->launch->unit_shift,
                       .write = write,
                       .foreign = true};
    enum probe_kind kind = h.now ? (enum probe_kind)b->watch->launch->probes->items[index].kind : PROBE_NOTHING;
    if (kind == PROBE_MBARRIER_ARRIVE) /* which is an element of 8 bytes */
        h.bytes = sizeof(uint64_t);
    memcpy(h.owner, b->ctaid, sizeof h.owner);
    hazards_note(&b->watch->launch->hazards, &h);
}

void watch_block_exits(struct block *b) {
    struct block_watch *watch = b->watch;
    uint32_t shift = watch->launch->unit_shift, words = b->launch->shared_bytes >> shift;
    registers_end(watch, b);
    for (uint32_t i = 0; watch->cluster_shadow && i < words; i++) {
        const struct shadow_word *word = &watch->cluster_shadow[i];
        const struct full_record *records[] = {&word->write, &word->strong, &word->reads[0], &word->reads[1]};
        for (int k = 0; k < 4; k++)
            /* By another block, not known to have happened before; and no strong write that this block has seen by a
             * strong read, which is in note_seen() of race_shared.c: a flag that it waited for. */
            if (records[k]->launch && records[k]->block != watch->order.index &&
                !(records[k] == &word->strong && word->value_known) && !is_known_to_block(b, records[k]))
                note_after_exit(b, records[k], (uint64_t)i << shift, k < 2);
    }
}
