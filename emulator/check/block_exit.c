/* A block of a cluster exits, and its shared memory with it: whatever other blocks did there has to happen before.
 * Which of them run first is up to chance, so that it is not enough to look whether the block was still there. */
#include <string.h>

#include "check/block_watch.h"
#include "check/watch.h"

/* Does any warp of the block know of it? They have all exited. */
static bool is_known(const struct block_watch *b, const struct full_record *r) {
    struct block_id by = block_id(r->launch, r->block, 0, ~0u);
    for (uint32_t i = 0; i < b->order.warp_count; i++)
        if (order_between_blocks(&b->order, by, r->record, i))
            return true;
    return false;
}

static void note(const struct block *b, const struct full_record *r, uint64_t address, bool write) {
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
    memcpy(h.owner, b->ctaid, sizeof h.owner);
    hazards_note(&b->watch->launch->hazards, &h);
}

void watch_block_exits(struct block *b) {
    struct block_watch *watch = b->watch;
    uint32_t shift = watch->launch->unit_shift, words = b->launch->shared_bytes >> shift;
    for (uint32_t i = 0; watch->cluster_shadow && i < words; i++) {
        const struct shadow_word *word = &watch->cluster_shadow[i];
        const struct full_record *records[] = {&word->write, &word->strong, &word->reads[0], &word->reads[1]};
        for (int k = 0; k < 4; k++)
            if (records[k]->launch && records[k]->block != watch->order.index && !is_known(watch, records[k]))
                note(b, records[k], (uint64_t)i << shift, k < 2);
    }
}
