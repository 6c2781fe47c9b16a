/* Decides for one access and one recorded access whether they race, reports it, and records the access. */
#include "check/race.h"

#include <string.h>

/* ---- two accesses ---- */

static bool same_block(const struct race *now, const struct full_record *old) {
    return old->launch == now->record.launch && old->block == now->record.block;
}

static bool same_warp(const struct race *now, const struct full_record *old) {
    return same_block(now, old) && !((old->record.packed ^ now->record.record.packed) & WARP_BITS);
}

static bool same_thread(const struct race *now, const struct full_record *old) {
    return same_block(now, old) && !((old->record.packed ^ now->record.record.packed) & THREAD_BITS);
}

/* Was it made by the asynchronous proxy? In global memory it is done when its launch has ended. */
static bool is_async(const struct race *now, const struct full_record *old) {
    uint32_t index = RECORD_INSN(old->record.packed);
    return old->record.packed & RECORD_COPY && old->launch == now->record.launch &&
           index < now->b->launch->kernel->code.count && now->b->launch->probes->items[index].kind != PROBE_COPY_WRITE;
}

/* The record in the terms of other blocks' facts: their entries about bulk copies concern global memory. */
static struct access_record for_facts(const struct race *now, const struct full_record *old) {
    struct access_record record = old->record;
    if (now->shared || !is_async(now, old))
        record.packed &= ~(uint32_t)RECORD_COPY;
    return record;
}

bool race_happens_before(const struct race *now, const struct full_record *old, bool old_write) {
    const struct block_order *o = &now->b->order;
    uint32_t packed = now->record.record.packed, warp = RECORD_WARP(packed), lane = packed & RECORD_LANE;
    bool here = same_block(now, old);
    /* What the asynchronous proxy does is ordered by its own facts alone: no barrier and no program order ends it. */
    if (is_async(now, old) && (now->shared || here))
        return !async_unfinished(now, old, old_write);
    struct access_record there = for_facts(now, old);
    struct block_id by = block_id(old->launch, old->block, 0, ~0u);
    if (old->launch != now->record.launch) {
        struct ran ran;
        /* By another launch: before this one in the order of streams, or forgotten, as only launches are that happen
         * before everything to come. Otherwise facts may know of it, by its place in its stream. */
        if (old->launch <= now->b->launch->before || stream_order_is_before(&now->b->launch->operation, old->launch) ||
            !stream_order_find(old->launch, &ran))
            return true;
        by.stream = ran.stream;
        by.number = ran.number;
    }
    /* Three questions, from strict to lenient: what orders a write with an access, with a strong access (also what
     * relaxed reads have acquired and no fence has made count), and a read with a write (also reads that were
     * released alone). */
    if (!old_write)
        return here ? order_read_in_block(o, old->record, warp, lane) : order_read_between_blocks(o, by, there, warp);
    if (packed & RECORD_STRONG)
        return here ? order_before_strong_in_block(o, old->record, warp, lane)
                    : order_before_strong(o, by, there, warp);
    return here ? order_in_block(o, old->record, warp, lane) : order_between_blocks(o, by, there, warp);
}

static bool is_in_step(const struct block_watch *b, uint32_t packed) {
    uint32_t index = RECORD_INSN(packed);
    return index < b->launch->kernel->code.count && b->launch->probes->items[index].flags & PROBE_IN_STEP;
}

/* Two volatile accesses of shared memory by different instructions of one warp without a __syncwarp() between: what one
 * lane reads is what another has just written only as long as they run in lockstep. Lanes that have diverged and
 * communicate are not reported. */
static bool counts_on_steps(const struct race *now, const struct full_record *old) {
    uint32_t packed = now->record.record.packed;
    return now->shared && same_warp(now, old) && RECORD_INSN(old->record.packed) != RECORD_INSN(packed) &&
           is_in_step(now->b, old->record.packed) && is_in_step(now->b, packed) &&
           !order_diverged(&now->b->order, now->access->warp, old->record, packed & RECORD_LANE);
}

/* Both are strong accesses, which are made to synchronize. */
static bool is_strong_pair(const struct race *now, const struct full_record *old) {
    uint32_t packed = now->record.record.packed, both = old->record.packed & packed, any = old->record.packed | packed;
    return both & RECORD_STRONG && (same_block(now, old) || !(any & RECORD_BLOCK_SCOPE)) && !counts_on_steps(now, old);
}

/* Parts of one copy by a tensor map may share a shadow word. Blocks that run at once count their times separately. */
static bool same_copy(const struct race *now, const struct full_record *old) {
    return same_block(now, old) && old->record.time == now->record.record.time &&
           old->record.packed == now->record.record.packed;
}

/* The asynchronous proxy reads what the generic one has written. */
static bool is_unfenced(const struct race *now, const struct full_record *old, bool old_write) {
    return now->shared && old_write && !now->write && now->record.record.packed & RECORD_COPY &&
           async_unfenced(now, old);
}

static bool conflicts(const struct race *now, const struct full_record *old, enum shadow_slot slot) {
    bool old_write = slot == SHADOW_WRITE || slot == SHADOW_STRONG;
    /* No record; or two strong accesses, which are meant to meet. */
    if (!old->launch || is_strong_pair(now, old))
        return false;
    /* Ordered among threads. The asynchronous proxy may still see the old value, unless a fence made the new one
     * visible. */
    if (race_happens_before(now, old, old_write))
        return is_unfenced(now, old, old_write);
    /* Not done yet. The one excuse: the same copy, or two writes of the same bytes. */
    if (is_async(now, old))
        return !same_copy(now, old) && !(old_write && now->write && now->same_value(now, old, slot));
    /* Program order of one thread: not between its own cp.async and what follows, before it has waited. */
    if (same_thread(now, old) && !order_copy_unfinished(&now->b->order, old->record))
        return is_unfenced(now, old, old_write);
    return !old_write || !now->write || !now->same_value(now, old, slot);
}

/* ---- reporting ---- */

void race_fill_then(struct hazard *h, const struct launch *l, uint32_t serial, const struct full_record *old) {
    struct ran ran;
    const struct kernel *k = l->kernel;
    uint32_t index = RECORD_INSN(old->record.packed);
    /* Only its sizes are needed: the other launch may have ended, and its own structure be gone. */
    struct launch other = {.config = l->config};
    if (old->launch != serial) {
        bool found = stream_order_find(old->launch, &ran);
        k = found ? ran.kernel : NULL;
        for (int i = 0; found && i < 3; i++) {
            other.config.grid[i] = ran.grid[i];
            other.config.block[i] = ran.block[i];
        }
    }
    h->kernel_then = k;
    h->then = k && index < k->code.count ? &k->code.insns[index] : NULL;
    h->who_then =
        hazard_thread_at(&other, old->block, RECORD_WARP(old->record.packed), old->record.packed & RECORD_LANE);
}

void race_fill_submissions(struct hazard *h, uint32_t serial, uint32_t serial_then) {
    struct ran ran;
    if (stream_order_find(serial, &ran))
        h->submitted = ran.submission;
    if (stream_order_find(serial_then, &ran))
        h->submitted_then = ran.submission;
}

/* A race between lanes of one warp that ran together, although nothing guarantees that. */
static bool only_warns(const struct race *now, const struct full_record *old) {
    return same_warp(now, old) && !check_is_on(CHECK_STRICT) &&
           !order_diverged(&now->b->order, now->access->warp, old->record, (uint32_t)now->access->lane);
}

static enum hazard_relation relation(const struct race *now, const struct full_record *old) {
    return old->launch != now->record.launch ? RELATION_LAUNCHES
           : !same_block(now, old)           ? (now->shared ? RELATION_CLUSTER : RELATION_GRID)
           : same_warp(now, old)             ? RELATION_WARP
                                             : RELATION_BLOCK;
}

/* A plain read in global memory of what other threads update with atomics, which may be intended. */
static bool is_plain_read(const struct race *now, const struct insn *then, bool old_write) {
    return !now->shared && ((now->access->atomic && !old_write) || (!now->write && hazard_is_atomic(then)));
}

/* That another block has not waited for it adds nothing where nothing else orders the two. */
static enum hazard_kind kind_of_copy(const struct race *now, const struct full_record *old, bool old_write) {
    if (now->shared)
        return HAZARD_ASYNC + async_fact_of(now->b->launch, old_write, old->record);
    /* As if an ordinary store had written it: would that be ordered? */
    struct full_record plain = *old;
    plain.record.packed &= ~(uint32_t)RECORD_COPY;
    return same_block(now, old) || race_happens_before(now, &plain, old_write) ? HAZARD_ASYNC + ASYNC_WRITES
                                                                               : HAZARD_RACE;
}

static void fill_launches(struct hazard *h, const struct operation_order *now, uint32_t then) {
    struct ran ran;
    race_fill_submissions(h, now->serial, then);
    h->beside =
        now->primary && stream_order_find(then, &ran) && ran.stream == now->stream && ran.number == now->primary;
}

static void note_race(const struct race *now, const struct full_record *old, bool old_write) {
    const struct lane_access *la = now->access;
    const struct warp *w = la->warp;
    struct hazard h = {.kind = HAZARD_RACE,
                       .relation = relation(now, old),
                       .kernel = w->launch->kernel,
                       .now = la->in,
                       .who = hazard_thread(w, la->lane),
                       .space = now->shared ? SPACE_SHARED : SPACE_GLOBAL,
                       .address = la->address,
                       .bytes = la->bytes,
                       .write = la->write,
                       .write_then = old_write,
                       .allocation = la->allocation};
    if (now->shared) {
        memcpy(h.owner, la->target->ctaid, sizeof h.owner);
        h.foreign = la->target != w->block;
    }
    race_fill_then(&h, w->launch, now->record.launch, old);
    if (h.relation == RELATION_LAUNCHES)
        fill_launches(&h, &now->b->launch->operation, old->launch);
    /* The most special explanation first, since it decides the advice. */
    if (is_async(now, old))
        h.kind = kind_of_copy(now, old, old_write);
    else if (is_unfenced(now, old, old_write) && (same_thread(now, old) || race_happens_before(now, old, old_write)))
        h.kind = HAZARD_UNFENCED;
    else if (order_copy_unfinished(&now->b->order, old->record) && same_block(now, old))
        h.kind = HAZARD_COPY;
    else if (is_plain_read(now, h.then, old_write))
        h.kind = HAZARD_PLAIN_READ;
    if (hazard_is_of_proxy(&h) && same_block(now, old))
        h.relation = RELATION_BLOCK; /* how far apart the threads are is irrelevant to it */
    h.warning = h.kind == HAZARD_PLAIN_READ || (h.kind == HAZARD_RACE && only_warns(now, old));
    hazards_note(&now->b->launch->hazards, &h);
}

/* ---- a shadow word ---- */

static bool against(const struct race *now, const struct full_record *old, enum shadow_slot slot) {
    if (!conflicts(now, old, slot))
        return false;
    note_race(now, old, slot == SHADOW_WRITE || slot == SHADOW_STRONG);
    return true;
}

/* Are two reads by the same party: warp in shared memory, block in global memory? Reads by two warps of shared memory
 * find more races than reads by two lanes of one, and so do reads by two blocks of global memory. */
static bool same_party(const struct race *now, const struct full_record reads[2]) {
    return reads[0].block == reads[1].block &&
           (!now->shared || RECORD_WARP(reads[0].record.packed) == RECORD_WARP(reads[1].record.packed));
}

void race_remember_read(const struct race *now, struct full_record reads[2]) {
    for (int i = 0; i < 2; i++)
        if (!reads[i].launch || same_thread(now, &reads[i]) || race_happens_before(now, &reads[i], true)) {
            reads[i] = now->record;
            return;
        }
    /* Both stay, for neither is ordered before this read. If they are by one party, the second gives way: two reads
     * by different parties remember more orders that a later write may lack. */
    if (same_party(now, reads))
        reads[1] = now->record;
}

/* Two strong writes, two atomics for example, do not race with each other, but a strong write does not make the plain
 * one before it right. */
bool race_with_word(const struct race *now, struct shadow_word *word, bool quiet) {
    bool found = quiet || against(now, &word->write, SHADOW_WRITE) || against(now, &word->strong, SHADOW_STRONG);
    if (!now->write) {
        if (!(now->record.record.packed & RECORD_COPY)) /* async_remember_read() does it */
            race_remember_read(now, word->reads);
        return found;
    }
    found = found || against(now, &word->reads[0], SHADOW_READ) || against(now, &word->reads[1], SHADOW_READ_TOO);
    /* A plain write stands for all before it: what is ordered after the write is ordered after them, too, or they have
     * raced with the write. A strong write replaces only the strong record. */
    if (now->record.record.packed & RECORD_STRONG)
        word->strong = now->record;
    else
        *word = (struct shadow_word){.write = now->record};
    return found;
}
