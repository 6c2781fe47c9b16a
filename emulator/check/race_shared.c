/* Races in shared memory: the slow path. Its values are in memory as long as the block runs. */
#include "check/race.h"

/* Two lanes that store at once (each block of a cluster has a separate clock), or one thread after another, do no harm
 * when both store the same. */
static bool same_shared_value(const struct race *now, const struct full_record *old, enum shadow_slot slot) {
    const struct lane_access *la = now->access;
    const struct access_record a = old->record, b = now->record.record;
    (void)slot;
    /* Same time, warp and instruction: another lane of this very store, whose value is still in its register.
     * Otherwise the old value is in memory, since the store that wrote it has been executed. */
    if (old->block == now->record.block && a.time == b.time && !((a.packed ^ b.packed) & ~(uint32_t)RECORD_LANE))
        return lane_access_same_as(la, (int)(a.packed & RECORD_LANE));
    return lane_access_keeps_value(la, la->target->shared + la->address);
}

static struct race race_of(struct block_watch *b, struct access_record record) {
    return (struct race){.b = b,
                         .record = {b->launch->operation.serial, b->order.index, record},
                         .shared = true,
                         .same_value = same_shared_value};
}

void race_shared_read(struct block_watch *b, uint64_t i, struct access_record record) {
    struct race now = race_of(b, record);
    struct shadow_word word = shared_shadow(b, i);
    now.word = i;
    race_remember_read(&now, word.reads);
    shared_set_shadow(b, i, &word);
}

/* In shared memory of clusters, values are in memory, and shadow_word.value_known records that the block whose memory
 * it is has seen the last strong write, by a strong read: it has been made by the time that the block exits. */
static void note_seen(struct shadow_word *word, const struct lane_access *la) {
    bool strong = la->probe->kind == PROBE_ACCESS && la->probe->flags & PROBE_STRONG;
    word->value_known = !la->write && (word->value_known || (strong && la->target == la->warp->block));
}

void race_shared(struct block_watch *b, const struct lane_access *la) {
    uint32_t shift = b->launch->unit_shift;
    struct race now = race_of(b, lane_access_record(b, la));
    bool found = false;
    now.access = la;
    now.write = la->write;
    struct shadow_word *words = la->target->watch->cluster_shadow;
    for (uint64_t i = la->address >> shift; words && i <= (la->address + la->bytes - 1) >> shift; i++) {
        now.word = i;
        found |= race_with_word(&now, &words[i], found);
        note_seen(&words[i], la);
    }
    if (words && !la->write && la->probe->record & RECORD_COPY)
        async_remember_read(b, la);
    if (words)
        return;
    /* One block: its records are an array for each slot (shadow_arrays), its reads perhaps only logged. */
    read_log_propagate(b);
    if (la->write)
        read_log_shut(b, la->probe->record & RECORD_COPY);
    /* Nothing is read-shared any more: this access may be the write that ends it. */
    b->read_shared.base = 0;
    for (uint64_t i = la->address >> shift; i <= (la->address + la->bytes - 1) >> shift; i++) {
        struct shadow_word word = shared_shadow(b, i);
        now.word = i;
        found |= race_with_word(&now, &word, found);
        shared_set_shadow(b, i, &word);
    }
    if (!la->write && la->probe->record & RECORD_COPY)
        async_remember_read(b, la);
}
