/* Vector clocks of warps, lanes and blocks, and how barriers, fences, atomics and copies advance them. */
#include "check/order.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

/* A set of facts is a hash table with open addressing that is at most half full. FACTS_MOST bounds what a barrier of
 * a large grid costs: each of its n blocks would otherwise learn n facts, n * n in all. */
#define FACTS_LEAST 16
#define FACTS_MOST  1024

static uint32_t later(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static void known_join(uint32_t to[MAX_WARPS], const uint32_t from[MAX_WARPS]) {
    for (int i = 0; i < MAX_WARPS; i++)
        to[i] = later(to[i], from[i]);
}

/* ---- facts about other blocks: a hash table by block ---- */

void facts_free(struct facts *f) {
    free(f->items);
    free(f->clock);
    *f = (struct facts){0};
}

static void facts_clear(struct facts *f) {
    if (f->count)
        memset(f->items, 0, f->capacity * sizeof *f->items);
    free(f->clock);
    f->clock = NULL;
    f->count = 0;
    f->everything = false;
}

static struct fact *fact_slot(const struct facts *f, uint64_t block) {
    /* Multiplicative hashing by 2^64 / golden ratio, of which the upper half is mixed best; then linear probing. It
     * ends, since half of the slots are free. Facts are never removed one by one, so no probing is cut short by a
     * hole. */
    for (uint64_t at = block * 0x9e3779b97f4a7c15u >> 32;; at++) {
        struct fact *slot = &f->items[at & (f->capacity - 1)];
        if (!slot->id.block || slot->id.block == block)
            return slot;
    }
}

/* Does the launch happen before as a whole? */
static bool clock_covers(const struct facts *f, struct block_id by) {
    return f->clock && f->clock->last[by.stream] >= by.number;
}

/* Does the fact add nothing to what is known, or only what will never be needed? */
static bool superseded(const struct facts *f, const struct fact *fact) {
    return clock_covers(f, fact->id) || fact->id.block >> 32 <= stream_order_floor();
}

static void facts_add(struct facts *f, struct fact new);

/* Drops what is superseded, and makes room for twice as many as are left. */
static void facts_rehash(struct facts *f) {
    struct facts again = {.capacity = FACTS_LEAST, .clock = f->clock};
    uint32_t left = 0;
    for (uint32_t i = 0; i < f->capacity; i++)
        left += f->items[i].id.block && !superseded(f, &f->items[i]);
    /* After it, a quarter of the slots is in use: facts_add() rehashes again when half of them are. `again` has the
     * same clock, so facts_add() drops what is superseded. */
    while (again.capacity < 4 * (left + 1))
        again.capacity *= 2;
    again.items = zeroed(again.capacity, sizeof *again.items);
    for (uint32_t i = 0; i < f->capacity; i++)
        if (f->items[i].id.block)
            facts_add(&again, f->items[i]);
    free(f->items);
    *f = again;
}

/* Joins two facts about one block. Where they are about two warps, the result is about the whole block. */
static void fact_join(struct fact *to, const struct fact *from) {
    /* A fact is "all before base, and what warp did before time". Of the two extra parts (warp, time) only those beyond
     * the common base still matter: neither (warp is irrelevant), one of them (its warp is kept), or both. If both are
     * about different warps, a fact has no room for two: the result is about the whole block, up to the later time.
     * That claims more than is known, so a race may be missed, but an ordered access is never reported. Example: {base
     * 5, warp 1 to 9} and {base 7, warp 2 to 8} become {base 7, all to 9}. */
    uint32_t base = later(to->base, from->base);
    bool keep = to->time > base, take = from->time > base;
    to->base = base;
    if (take && keep && to->warp != from->warp)
        to->warp = WHOLE_BLOCK;
    else if (take && !keep)
        to->warp = from->warp;
    if (take)
        to->time = later(to->time, from->time);
    to->written =
        to->writer == from->writer ? later(to->written, from->written) : ~0u; /* of one warp only it is known */
}

static void facts_add(struct facts *f, struct fact new) {
    if (f->everything || superseded(f, &new))
        return;
    if (2 * (f->count + 1) > f->capacity || f->count == FACTS_MOST)
        facts_rehash(f);
    struct fact *slot = fact_slot(f, new.id.block);
    /* Too many even after facts_rehash(): from now on everything counts as known, and the table is no longer needed. */
    if (slot->id.block) {
        fact_join(slot, &new);
        return;
    }
    if (f->count == FACTS_MOST) {
        facts_clear(f);
        f->everything = true;
        return;
    }
    *slot = new;
    f->count++;
}

static void facts_join_clock(struct facts *to, const struct stream_clock *clock) {
    if (!to->clock)
        to->clock = zeroed(1, sizeof *to->clock);
    stream_clock_join(to->clock, clock);
}

/* Copies a set of facts into an empty one. */
static void facts_copy(struct facts *to, const struct facts *from) {
    if (to->capacity != from->capacity) {
        free(to->items);
        to->items = zeroed(from->capacity, sizeof *to->items);
        to->capacity = from->capacity;
    }
    memcpy(to->items, from->items, from->capacity * sizeof *to->items);
    to->count = from->count;
}

void facts_join(struct facts *to, const struct facts *from) {
    if (from->everything) {
        facts_clear(to);
        to->everything = true;
    }
    if (from->clock)
        facts_join_clock(to, from->clock);
    if (!from->count || to->everything)
        return;
    /* A block that increments a counter in global memory acquires a fact about each of the blocks before it, and
     * releases them again: n * n facts for n blocks. In such kernels this is the innermost loop of the checks. */
    if (!to->count) {
        facts_copy(to, from);
        return;
    }
    for (uint32_t i = 0; i < from->capacity; i++) {
        const struct fact *new = &from->items[i];
        if (!new->id.block)
            continue;
        /* What was acquired from this set, and is released to it again, is mostly in the same slot. */
        struct fact *slot = to->capacity == from->capacity ? &to->items[i] : NULL;
        if (slot && slot->id.block == new->id.block)
            fact_join(slot, new);
        else
            facts_add(to, *new);
    }
}

bool facts_cover(const struct facts *f, struct block_id by, struct access_record record) {
    if (f->everything || clock_covers(f, by))
        return true;
    const struct fact *fact = f->count ? fact_slot(f, by.block) : NULL;
    if (!fact || !fact->id.block)
        return false;
    /* A bulk copy into global memory is not done just because its warp has continued: `written` is the time before
     * which the copies of warp `writer` are known to be done. About other warps' copies facts record nothing, and these
     * count as done. */
    if (record.packed & RECORD_COPY && fact->writer == RECORD_WARP(record.packed) && record.time >= fact->written)
        return false;
    return record.time < fact->base ||
           (record.time < fact->time && (fact->warp == WHOLE_BLOCK || fact->warp == RECORD_WARP(record.packed)));
}

/* ---- a block ---- */

static void warp_start_again(struct warp_order *w) {
    struct facts learned = w->learned, pending = w->pending, late = w->late;
    struct lane_order *lanes = w->lanes;
    facts_clear(&learned);
    facts_clear(&pending);
    facts_clear(&late);
    if (lanes)
        memset(lanes, 0, sizeof *lanes);
    *w = (struct warp_order){.learned = learned, .pending = pending, .late = late, .lanes = lanes};
}

void order_start(struct block_order *o, struct order_launch *launch, uint32_t index, uint32_t warps) {
    if (!o->warps) {
        o->warps = zeroed(warps, sizeof *o->warps);
    }
    o->warp_count = warps;
    o->index = index;
    o->launch = launch;
    o->start = o->base = o->fence_base = ++o->time; /* the clock is not reset: records of the block before are older */
    o->any_fence = o->pending_any = o->partly = false;
    facts_clear(&o->learned);
    facts_clear(&o->late);
    facts_clear(&o->pending);
    memset(o->pending_known, 0, sizeof o->pending_known);
    for (struct warp_order *w = o->warps; w < o->warps + warps; w++) {
        if (w->used)
            warp_start_again(w);
        w->synced = w->whole = w->mask_at = 0;
        w->dirty = false;
        memset(w->masks, 0, sizeof w->masks);
    }
}

void order_free(struct block_order *o) {
    for (uint32_t i = 0; o->warps && i < o->warp_count; i++) {
        facts_free(&o->warps[i].learned);
        facts_free(&o->warps[i].pending);
        facts_free(&o->warps[i].late);
        free(o->warps[i].lanes);
    }
    free(o->warps);
    free(o->async);
    facts_free(&o->learned);
    facts_free(&o->late);
    facts_free(&o->pending);
}

/* An unfinished copy happens before nothing, not even its own lane's accesses. */
bool order_copy_unfinished(const struct block_order *o, struct access_record record) {
    return (record.packed & RECORD_COPY) && record.time >= o->start &&
           record.time >= o->warps[RECORD_WARP(record.packed)].copies_done[record.packed & RECORD_LANE];
}

bool order_in_block(const struct block_order *o, struct access_record record, uint32_t warp, uint32_t lane) {
    const struct warp_order *w = &o->warps[warp];
    uint32_t by = RECORD_WARP(record.packed), by_lane = record.packed & RECORD_LANE;
    /* In the order of cost, and of how often it is the answer: made by an earlier block with this clock; an unfinished
     * copy; before the last barrier of the whole block; by a warp whose clock was joined to this one's (w->known); and
     * within this warp program order, bar.warp.sync of all its lanes, or of some of them. */
    if (record.time < o->start)
        return true;
    if (order_copy_unfinished(o, record))
        return false;
    if (record.time < o->base)
        return true;
    if (record.time < w->known[by])
        return true;
    if (by != warp)
        return false;
    return by_lane == lane || record.time < w->synced || (w->lanes && record.time < w->lanes->known[lane][by_lane]);
}

bool order_before_strong_in_block(const struct block_order *o, struct access_record record, uint32_t warp,
                                  uint32_t lane) {
    const struct warp_order *w = &o->warps[warp];
    uint32_t by = RECORD_WARP(record.packed);
    return order_in_block(o, record, warp, lane) || record.time < w->pending_known[by] ||
           record.time < o->pending_known[by];
}

bool order_before_strong(const struct block_order *o, struct block_id by, struct access_record record, uint32_t warp) {
    return order_between_blocks(o, by, record, warp) || facts_cover(&o->warps[warp].pending, by, record) ||
           facts_cover(&o->pending, by, record);
}

bool order_read_in_block(const struct block_order *o, struct access_record record, uint32_t warp, uint32_t lane) {
    return order_in_block(o, record, warp, lane) || record.time < o->warps[warp].late_known[RECORD_WARP(record.packed)];
}

bool order_read_between_blocks(const struct block_order *o, struct block_id by, struct access_record record,
                               uint32_t warp) {
    return order_between_blocks(o, by, record, warp) || facts_cover(&o->late, by, record) ||
           facts_cover(&o->warps[warp].late, by, record);
}

bool order_between_blocks(const struct block_order *o, struct block_id by, struct access_record record, uint32_t warp) {
    return facts_cover(&o->learned, by, record) || facts_cover(&o->warps[warp].learned, by, record) ||
           facts_cover(o->launch->inherited, by, record);
}

/* The end of a launch orders what relaxed reads have acquired, as a fence does. */
void order_harvest(const struct block_order *o, struct facts *to) {
    facts_join(to, &o->learned);
    facts_join(to, &o->pending);
    facts_join(to, &o->late);
    for (uint32_t i = 0; o->warps && i < o->warp_count; i++) {
        facts_join(to, &o->warps[i].learned);
        facts_join(to, &o->warps[i].pending);
        facts_join(to, &o->warps[i].late);
    }
}

/* ---- lanes ---- */

void order_mask(struct block_order *o, const struct warp *w) {
    struct warp_order *warp = &o->warps[w->index];
    if (w->mask == warp->masks[warp->mask_at].mask)
        return;
    /* Each change of the mask but the first advances the clock, so that two accesses with different masks never have
     * the same time, and mask_at() can tell from the time alone with which lanes an access was made. */
    bool first = !warp->masks[warp->mask_at].mask; /* or all lanes, if it ran before: that time is never queried */
    uint32_t time = first ? o->time : ++o->time;
    if (w->mask == w->live)
        warp->whole = time;
    warp->mask_at = (warp->mask_at + !first) % MASK_HISTORY;
    warp->masks[warp->mask_at].time = time;
    warp->masks[warp->mask_at].mask = w->mask;
}

/* The lanes that ran together at some time; all when that is long ago. */
static uint32_t mask_at(const struct warp_order *w, uint32_t time) {
    for (uint32_t i = 0; i < MASK_HISTORY; i++) {
        uint32_t at = (w->mask_at + MASK_HISTORY - i) % MASK_HISTORY;
        if (w->masks[at].time <= time)
            return w->masks[at].mask;
    }
    return ~0u;
}

bool order_diverged(const struct block_order *o, const struct warp *w, struct access_record record, uint32_t lane) {
    const struct warp_order *warp = &o->warps[w->index];
    if (!(record.packed & RECORD_DIVERGED) || record.time < warp->whole)
        return false;
    /* If the recorded lane runs now, the two have reconverged; if this lane ran then, they had not diverged. */
    return !(w->mask >> (record.packed & RECORD_LANE) & 1) && !(mask_at(warp, record.time) >> lane & 1);
}

/* Lanes that synchronize join their clocks. */
static void some_lanes_sync(struct warp_order *w, uint32_t members, uint32_t time) {
    w->used = true;
    if (!w->lanes)
        w->lanes = zeroed(1, sizeof *w->lanes);
    /* The join of the members' clocks: what one of them knew of any lane, all of them know afterwards. What the
     * members did themselves up to now happens before all of them, which is entry `time` for each member. Lanes that
     * are no members keep theirs; what the members know of those is the join, not `time`. */
    uint32_t all[WARP_SIZE] = {0};
    for (uint32_t m = members; m; m &= m - 1) {
        const uint32_t *known = w->lanes->known[__builtin_ctz(m)];
        for (int i = 0; i < WARP_SIZE; i++)
            all[i] = later(all[i], known[i]);
    }
    for (uint32_t m = members; m; m &= m - 1)
        all[__builtin_ctz(m)] = time;
    for (uint32_t m = members; m; m &= m - 1)
        memcpy(w->lanes->known[__builtin_ctz(m)], all, sizeof all);
}

void order_lanes_sync(struct block_order *o, uint32_t warp, uint32_t members, bool all) {
    struct warp_order *w = &o->warps[warp];
    uint32_t time = ++o->time;
    /* A synchronization of the whole warp is one number for all 32 * 32 pairs; a single lane orders nothing. */
    if (all)
        w->synced = time;
    else if (members & (members - 1)) {
        o->partly = true;
        some_lanes_sync(w, members, time);
    }
}

/* ---- barriers and fences ---- */

/* Stores before the barrier count as fenced when every warp that stored has executed a fence since. */
static void barrier_after_fences(struct block_order *o, uint32_t base) {
    /* fence_base is the time before which the block's stores have been followed by a fence of some warp and a
     * barrier: then a relaxed flag that any warp of the block sets afterwards publishes them (the end of many
     * reductions over blocks: all threads store and fence, __syncthreads(), thread 0 increments a counter).
     * `covered`: up to the last barrier (o->base) all stores are, by an earlier fence or by one that a warp executed
     * since then. If no warp has stored since its last fence, what came since the last barrier is covered as well, so
     * that the limit moves to this barrier (base); else it stays at the last one. */
    bool covered = o->fence_base == o->base, dirty = false;
    for (uint32_t i = 0; i < o->warp_count; i++) {
        covered |= o->warps[i].fenced && o->warps[i].fence_base == o->base;
        dirty |= o->warps[i].dirty;
    }
    if (covered)
        o->fence_base = dirty ? o->base : base;
}

void order_barrier_whole(struct block_order *o) {
    uint32_t base = ++o->time;
    barrier_after_fences(o, base);
    o->base = base;
    if (o->async)
        async_barrier(o->async, o->warp_count);
    for (uint32_t i = 0; i < o->warp_count; i++) {
        facts_join(&o->learned, &o->warps[i].learned);
        facts_clear(&o->warps[i].learned);
        facts_join(&o->late, &o->warps[i].late);
        facts_clear(&o->warps[i].late);
        o->warps[i].dirty = false;
    }
    /* What relaxed reads have acquired stays pending beyond the barrier: a fence by any warp of the block makes it
     * count for that warp, since the barrier has ordered the read before that fence. */
    for (uint32_t i = 0; o->pending_any && i < o->warp_count; i++) {
        facts_join(&o->pending, &o->warps[i].pending);
        facts_clear(&o->warps[i].pending);
        known_join(o->pending_known, o->warps[i].pending_known);
    }
}

/* Acquisitions of relaxed reads before the fence count from now on, and so do those of the block's other warps before
 * the last barrier. */
static void acquire_pending_signals(struct block_order *o, struct warp_order *w) {
    o->partly = w->used = true;
    facts_join(&w->learned, &w->pending);
    facts_clear(&w->pending);
    facts_join(&w->learned, &o->pending);
    known_join(w->known, w->pending_known);
    known_join(w->known, o->pending_known);
}

void order_fence(struct block_order *o, uint32_t warp) {
    struct warp_order *w = &o->warps[warp];
    w->fenced = w->used = o->any_fence = true;
    w->dirty = false;
    w->fence_base = o->base;
    /* A later relaxed store of this warp releases what the warp knew at this moment: stores between the fence and that
     * store are not covered. So the clock is copied now, and not when the flag is set. */
    memcpy(w->fence_known, w->known, sizeof w->known);
    w->fence_known[warp] = ++o->time;
    if (o->pending_any)
        acquire_pending_signals(o, w);
}

void order_learn(struct block_order *o, uint32_t warp, const struct facts *facts) {
    o->warps[warp].used = true;
    facts_join(&o->warps[warp].learned, facts);
}

bool order_may_release(const struct block_order *o) {
    return o->any_fence;
}

static struct block_id own_id(const struct block_order *o) {
    return block_id(o->launch->serial, o->index, o->launch->stream, o->launch->number);
}

/* A fact about this block: its base and the time of one warp, or of all when more than one is ahead of the base. */
static struct fact fact_of(const struct block_order *o, uint32_t warp, uint32_t base, const uint32_t known[MAX_WARPS]) {
    struct fact fact = {own_id(o), base, known[warp], warp, known[warp], warp};
    uint32_t written = o->async ? async_written(o->async, warp) : ~0u;
    if (written != ~0u)
        fact.written = written;
    /* A fact has room for one warp beyond the base. If the releasing warp has learned of others since the last
     * barrier (by a flag in shared memory, say), the fact is widened to the whole block. */
    for (uint32_t i = 0; i < o->warp_count; i++)
        if (i != warp && known[i] > base) {
            fact.warp = WHOLE_BLOCK;
            fact.time = later(fact.time, known[i]);
        }
    return fact;
}

static void note_change(struct sync_variable *s) {
    static _Atomic uint64_t changes;
    s->change = 1 + atomic_fetch_add_explicit(&changes, 1, memory_order_relaxed);
}

static void release(struct released *r, const struct block_order *o, uint32_t warp, uint32_t base,
                    const uint32_t known[MAX_WARPS]) {
    if (o->async)
        async_release(o->async, warp, &r->async);
    /* `known` is about the warps of one block: released by a second block, the clock is that one's, and what the
     * first one released is in r->facts alone. fact_of() below puts every release there, so nothing is lost. */
    if (r->used && r->block == own_id(o).block) {
        r->base = later(r->base, base);
        known_join(r->known, known);
    } else {
        r->base = base;
        memcpy(r->known, known, sizeof r->known);
        r->block = own_id(o).block;
        r->used = true;
    }
    facts_join(&r->facts, &o->learned);
    facts_join(&r->facts, &o->warps[warp].learned);
    facts_add(&r->facts, fact_of(o, warp, base, known));
}

static void released_clear(struct released *r) {
    struct facts facts = r->facts;
    struct async_clock *async = r->async;
    facts_clear(&facts);
    if (async)
        async_clock_forget(async);
    *r = (struct released){.facts = facts, .async = async};
}

void released_free(struct released *r) {
    facts_free(&r->facts);
    free(r->async);
}

static bool clock_includes(const struct stream_clock *clock, const struct stream_clock *other) {
    bool all = true;
    for (int i = 0; i < ORDER_STREAMS; i++)
        all &= clock->last[i] >= other->last[i];
    return all;
}

/* A launch releases a variable in global memory: with its own accesses, all that happens before the launch. Releases by
 * earlier launches alone add nothing from now on. */
static void release_launch(const struct order_launch *l, struct sync_variable *s, struct released *r) {
    if (!s->global)
        return;
    /* All launches that have released it so far happen before this launch, and so before any acquire of what it
     * releases. Forgetting them keeps a variable that every launch uses (a grid barrier's counter) from collecting the
     * facts of all launches. */
    if (clock_includes(l->before, &s->who)) {
        released_clear(&s->all);
        released_clear(&s->reads);
        s->who = (struct stream_clock){{0}};
    }
    s->who.last[l->stream] = later(s->who.last[l->stream], l->number);
    facts_join_clock(&r->facts, l->before);
    facts_join(&r->facts, l->inherited);
}

void order_release(struct block_order *o, uint32_t warp, struct sync_variable *s, bool strongly) {
    struct warp_order *w = &o->warps[warp];
    uint32_t base = o->base, known[MAX_WARPS];
    memcpy(known, w->known, sizeof known);
    if (strongly) {
        known[warp] = ++o->time;
    } else {
        /* Relaxed: what the warp's own last fence covers, or what the block's barriers and fences do; of the warps of
         * the block what was known at that fence. known[warp] is the time of the fence, not of this store. */
        base = later(w->fenced ? w->fence_base : 0, o->fence_base);
        memcpy(known, w->fence_known, sizeof known);
    }
    release_launch(o->launch, s, &s->all);
    release(&s->all, o, warp, base, known);
    note_change(s);
}

void order_arrive(struct block_order *o, uint32_t warp, struct sync_variable *s, int copied) {
    uint32_t known[MAX_WARPS];
    memcpy(known, o->warps[warp].known, sizeof known);
    known[warp] = ++o->time;
    release(&s->arrived, o, warp, o->base, known);
    /* The arrival of a bulk copy's bytes: a warp that sees the end of the phase knows that this warp's copies into that
     * block's shared memory are done up to now. Entry [fact of that rank][warp of the cluster] of the clock. */
    if (copied != ARRIVES_ITSELF && o->async)
        s->arrived.async->before[ASYNC_LOADS_OF((uint32_t)copied) * o->async->width + o->async->first + warp] =
            known[warp];
}

bool order_knows_copies(const struct block_order *o, uint32_t warp, const struct sync_variable *s) {
    const struct async_order *a = o->async;
    const struct async_clock *over = s->all.used && s->all.block == own_id(o).block ? s->all.async : NULL;
    if (!a || !over || over->cluster != a->cluster || a->width != ASYNC_WARPS)
        return true;
    /* Warp `by` began copies before `time` whose bytes have ended earlier phases. A warp that has waited for such an
     * end, or has acquired from one that has, has that entry in its own clock. */
    for (uint32_t by = 0; by < ASYNC_WARPS; by++) {
        uint32_t time = over->before[ASYNC_LOADS * a->width + by];
        if (time && !async_is_known(a, ASYNC_LOADS, by, time - 1, warp))
            return false;
    }
    return true;
}

void order_phase_over(struct sync_variable *s) {
    struct released *r = &s->arrived;
    if (!r->used)
        return;
    if (s->all.used && s->all.block == r->block) {
        s->all.base = later(s->all.base, r->base);
        known_join(s->all.known, r->known);
    } else { /* clocks of different blocks cannot be joined; the facts have them all */
        s->all.block = r->block;
        s->all.base = r->base;
        memcpy(s->all.known, r->known, sizeof r->known);
    }
    note_change(s);
    s->all.used = true;
    if (r->async)
        async_clock_join(&s->all.async, r->async);
    facts_join(&s->all.facts, &r->facts);
    released_clear(r);
}

void order_release_reads(struct block_order *o, uint32_t warp, struct sync_variable *s) {
    struct warp_order *w = &o->warps[warp];
    uint32_t known[MAX_WARPS];
    memcpy(known, w->known, sizeof known);
    /* Transitively: reads that were ordered before this warp only as reads (late_known) are passed on in the same
     * way. */
    known_join(known, w->late_known);
    known[warp] = ++o->time;
    release_launch(o->launch, s, &s->reads);
    release(&s->reads, o, warp, o->base, known);
    facts_join(&s->reads.facts, &o->late);
    facts_join(&s->reads.facts, &w->late);
    note_change(s);
}

/* The entries of a variable's clocks about this block itself, perhaps by way of another block, go to `known`; the rest
 * to `facts`. */
static void acquire(const struct block_order *o, const struct released *r, uint32_t known[MAX_WARPS],
                    struct facts *facts) {
    const struct fact *own = r->facts.count ? fact_slot(&r->facts, own_id(o).block) : NULL;
    if (!r->used)
        return;
    if (r->block == own_id(o).block)
        known_join(known, r->known);
    /* Another block released it last, but it has learned of this block before (a ring of two blocks passes a buffer
     * back and forth): its fact about this block is translated back into the clock of warps. */
    else if (own && own->id.block)
        for (uint32_t i = 0; i < o->warp_count; i++)
            if (own->warp == WHOLE_BLOCK || own->warp == i)
                known[i] = later(known[i], own->time);
    facts_join(facts, &r->facts);
}

/* Is there anything to acquire from a variable in global memory? Notes that it comes from another launch. */
static bool acquires_from_launches(const struct block_order *o, const struct sync_variable *s) {
    struct order_launch *l = o->launch;
    bool own = false, other = false;
    for (uint32_t i = 0; i < ORDER_STREAMS; i++)
        if (s->who.last[i] > l->before->last[i]) {
            /* Beyond what the order of streams gives anyway: releases by launches that do not happen before this one.
             * Its own blocks are among them, and so are kernels that run at the same time. */
            bool mine = i == l->stream && s->who.last[i] == l->number;
            own |= mine;
            other |= !mine;
        }
    if (other)
        atomic_store_explicit(&l->meets, true, memory_order_relaxed);
    return own || other;
}

/* A spinning thread reads what it has read before: there is nothing new to learn, although a grid barrier's variable
 * may have facts about all its blocks. Knowledge of the asynchronous proxy changes without a release. */
static bool knows_already(const struct block_order *o, struct warp_order *w, const struct sync_variable *s,
                          bool strongly) {
    /* A direct-mapped cache of ACQUIRED entries by word address. `change` is unique among all releases of all
     * variables, so that it also distinguishes variables: the entry of another variable never matches. */
    unsigned i = (s->key >> 2) % ACQUIRED;
    bool known = w->acquired[i].change == s->change && (w->acquired[i].strongly || !strongly);
    w->acquired[i].strongly = strongly || (known && w->acquired[i].strongly);
    w->acquired[i].change = s->change;
    return known && s->change && !o->async;
}

void order_acquire(struct block_order *o, uint32_t warp, const struct sync_variable *s, bool strongly) {
    struct warp_order *w = &o->warps[warp];
    if ((s->global && !acquires_from_launches(o, s)) || knows_already(o, w, s, strongly))
        return;
    o->partly = w->used = true;
    if (o->async && s->all.async)
        async_acquire(o->async, warp, s->all.async);
    /* Reads that were released count at once, even for a relaxed acquire: the value that was read could not have been
     * computed before them. Writes count at once only after an acquire; after a relaxed read they wait for a fence. */
    acquire(o, &s->reads, w->late_known, &w->late);
    acquire(o, &s->all, strongly ? w->known : w->pending_known, strongly ? &w->learned : &w->pending);
    o->pending_any |= !strongly && s->all.used;
}

/* ---- cp.async ---- */

void order_copies_commit(struct block_order *o, uint32_t warp, uint32_t mask) {
    uint32_t time = ++o->time;
    o->warps[warp].used = true;
    for (; mask; mask &= mask - 1) {
        uint32_t *commits = o->warps[warp].commits[__builtin_ctz(mask)];
        /* Group k from the end is commits[k]: cp.async.wait_group N leaves the newest N, so that commits[N] and all
         * before it are done. Eight are remembered; a wait that leaves more orders nothing. */
        memmove(commits + 1, commits, 7 * sizeof *commits);
        commits[0] = time;
    }
}

void order_copies_wait(struct block_order *o, uint32_t warp, uint32_t mask, unsigned left) {
    o->warps[warp].used = true;
    for (; left < 8 && mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        uint32_t *done = &o->warps[warp].copies_done[lane];
        *done = later(*done, o->warps[warp].commits[lane][left]);
    }
}

void order_copies_all_done(struct block_order *o, uint32_t warp, uint32_t mask) {
    uint32_t time = ++o->time;
    o->warps[warp].used = true;
    for (; mask; mask &= mask - 1)
        o->warps[warp].copies_done[__builtin_ctz(mask)] = time;
}

/* ---- the asynchronous proxy ---- */

void order_products_commit(struct block_order *o, uint32_t warp) {
    async_commit(&o->async->products[warp], ++o->time, ~0u);
}

void order_stores_commit(struct block_order *o, uint32_t warp, uint32_t lanes) {
    async_commit(&o->async->stores[warp], ++o->time, lanes);
}

/* It covers what the warp has done, and what happens before that. */
void order_proxy_fence(struct block_order *o, uint32_t warp) {
    uint32_t before[MAX_WARPS];
    /* Accesses of other warps are fenced as well, as far as they happen before the fence. A flag that was read with a
     * relaxed load and no fence counts here (pending_known): fence.proxy.async is a fence. */
    for (uint32_t i = 0; i < MAX_WARPS; i++)
        before[i] = later(later(o->warps[warp].known[i], o->warps[warp].pending_known[i]), o->base);
    before[warp] = ++o->time;
    async_fence(o->async, warp, o->async->first, before);
}
