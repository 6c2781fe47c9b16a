/* Races in shared memory. Each unit of 1, 2 or 4 bytes remembers its last write and two reads by different threads
 * since then; an access conflicts with what is remembered unless something orders the two (check/order.h). */
#include "check/block_watch.h"

static bool is_in_step(const struct block_watch *b, struct access_record record) {
    uint32_t index = RECORD_INSN(record.packed);
    return index < b->launch->kernel->code.count && b->launch->probes->items[index].flags & PROBE_IN_STEP;
}

/* Two volatile accesses by different instructions of one warp without a __syncwarp() between: what one lane reads is
 * what another has just written only as long as they run in lockstep. Lanes that have diverged and communicate are
 * not meant. */
static bool counts_on_steps(const struct block_watch *b, const struct touch *t, struct access_record old) {
    return RECORD_WARP(old.packed) == t->warp->index && RECORD_INSN(old.packed) != t->in->index && is_in_step(b, old) &&
           t->probe->flags & PROBE_IN_STEP && !order_diverged(&b->order, t->warp, old, (uint32_t)t->lane);
}

/* No race: both are strong accesses, which are made to synchronize. */
static bool is_strong_pair(const struct block_watch *b, const struct touch *t, struct access_record old,
                           struct access_record new) {
    return old.packed & new.packed &RECORD_STRONG && !counts_on_steps(b, t, old);
}

static bool same_thread(struct access_record a, struct access_record b) {
    return !((a.packed ^ b.packed) & (RECORD_LANE | 0x1fu << RECORD_WARP_SHIFT));
}

bool race_only_warns(const struct block_watch *b, const struct touch *t, struct access_record old) {
    return !check_is_on(CHECK_STRICT) && !order_diverged(&b->order, t->warp, old, (uint32_t)t->lane);
}

static void note(struct block_watch *b, const struct touch *t, struct access_record old, bool old_write) {
    const struct warp *w = t->warp;
    const struct kernel *k = w->launch->kernel;
    bool warp = RECORD_WARP(old.packed) == w->index;
    uint32_t index = RECORD_INSN(old.packed);
    struct hazard h = {.kind = order_copy_unfinished(&b->order, old) ? HAZARD_COPY : HAZARD_RACE,
                       .relation = warp ? RELATION_WARP : RELATION_BLOCK,
                       .kernel = k,
                       .kernel_then = k,
                       .now = t->in,
                       .then = index < k->code.count ? &k->code.insns[index] : NULL,
                       .who = hazard_thread(w, t->lane),
                       .space = SPACE_SHARED,
                       .address = t->address,
                       .bytes = t->bytes,
                       .write = t->write,
                       .write_then = old_write};
    h.who_then = hazard_thread_at(w->launch, w->block->index, RECORD_WARP(old.packed), old.packed & RECORD_LANE);
    h.warning = warp && h.kind == HAZARD_RACE && race_only_warns(b, t, old);
    hazards_note(&b->launch->hazards, &h);
}

/* Two lanes that store at once, or one thread after another, do no harm when both store the same. */
static bool harmless(const struct touch *t, struct access_record old, struct access_record new) {
    bool together = old.time == new.time && !((old.packed ^ new.packed) & ~(uint32_t)RECORD_LANE);
    if (together)
        return touch_same_values(t, (int)(old.packed & RECORD_LANE));
    return touch_same_value(t, t->warp->block->shared + t->address);
}

static bool is_ordered(const struct block_watch *b, const struct touch *t, struct access_record old, bool old_write) {
    uint32_t warp = t->warp->index, lane = (uint32_t)t->lane;
    if (!old_write)
        return order_read_in_block(&b->order, old, warp, lane);
    return t->probe->flags & PROBE_STRONG ? order_before_strong_in_block(&b->order, old, warp, lane)
                                          : order_in_block(&b->order, old, warp, lane);
}

/* True when a hazard was noted. */
static bool against(struct block_watch *b, const struct touch *t, struct access_record old, struct access_record new,
                    bool old_write) {
    if (!old.time || is_strong_pair(b, t, old, new) || is_ordered(b, t, old, old_write))
        return false;
    if (same_thread(old, new) && !order_copy_unfinished(&b->order, old))
        return false;
    if (old_write && t->write && harmless(t, old, new))
        return false;
    note(b, t, old, old_write);
    return true;
}

static void remember_read(const struct block_watch *b, struct access_record reads[2], struct access_record new) {
    for (int i = 0; i < 2; i++)
        if (!reads[i].time || same_thread(reads[i], new) ||
            order_in_block(&b->order, reads[i], RECORD_WARP(new.packed), new.packed &RECORD_LANE)) {
            reads[i] = new;
            return;
        }
    if (RECORD_WARP(reads[0].packed) == RECORD_WARP(reads[1].packed)) /* two warps are worth more than two lanes */
        reads[1] = new;
}

void race_shared_read(struct block_watch *b, uint64_t i, struct access_record record) {
    struct access_record reads[] = {shadow_record(&b->shadow, i, SHADOW_READ),
                                    shadow_record(&b->shadow, i, SHADOW_READ_TOO)};
    remember_read(b, reads, record);
    shadow_set_record(&b->shadow, i, SHADOW_READ, reads[0]);
    shadow_set_record(&b->shadow, i, SHADOW_READ_TOO, reads[1]);
}

static bool against_reads(struct block_watch *b, const struct shared_shadow *c, const struct touch *t,
                          struct access_record new) {
    return against(b, t, c->reads[0], new, false) || against(b, t, c->reads[1], new, false);
}

/* True when a hazard was noted: once per access is enough. Two strong writes, two atomics for example, do not race
 * with each other, but a strong write does not make the plain one before it right. */
static bool touch_word(struct block_watch *b, struct shared_shadow *c, const struct touch *t, struct access_record new,
                       bool quiet) {
    bool found = quiet || against(b, t, c->write, new, true) || against(b, t, c->strong, new, true);
    if (!t->write) {
        remember_read(b, c->reads, new);
        return found;
    }
    found = found || against_reads(b, c, t, new);
    if (new.packed & RECORD_STRONG)
        c->strong = new;
    else
        *c = (struct shared_shadow){.write = new};
    return found;
}

void race_shared(struct block_watch *b, const struct touch *t) {
    uint32_t shift = b->launch->unit_shift;
    struct access_record record = touch_record(b, t);
    bool found = false;
    read_log_propagate(b);
    if (t->write)
        read_log_shut(b, t->probe->record & RECORD_COPY);
    b->read_shared.base = 0;
    for (uint64_t i = t->address >> shift; i <= (t->address + t->bytes - 1) >> shift; i++) {
        struct access_record m[SHADOW_SLOTS];
        for (int k = 0; k < SHADOW_SLOTS; k++)
            m[k] = shadow_record(&b->shadow, i, k);
        struct shared_shadow word = {m[SHADOW_WRITE], m[SHADOW_STRONG], {m[SHADOW_READ], m[SHADOW_READ_TOO]}};
        found |= touch_word(b, &word, t, record, found);
        shadow_set_record(&b->shadow, i, SHADOW_WRITE, word.write);
        shadow_set_record(&b->shadow, i, SHADOW_STRONG, word.strong);
        shadow_set_record(&b->shadow, i, SHADOW_READ, word.reads[0]);
        shadow_set_record(&b->shadow, i, SHADOW_READ_TOO, word.reads[1]);
    }
}
