/* A *_sync function in an if, whose mask names lanes that go around it. The machine waits for lanes that have not
 * arrived yet, but no longer for those that have left the kernel, so the mistake may pass: CUDA's guide calls it
 * undefined. Here lanes are noted that work past such a function while others wait for them there, and that leave the
 * kernel without having executed it. Lanes that return early, from a place that the others do not reach, are not
 * reported; neither are loops, where a lane may be late in the previous iteration. */
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/block_watch.h"
#include "machine/code.h"

static void add_reachable(struct reachable *r, uint32_t *open, uint32_t *count, uint32_t to) {
    uint64_t bit = (uint64_t)1 << to % 64;
    if (r->bits[to / 64] & bit)
        return;
    r->bits[to / 64] |= bit;
    open[(*count)++] = to;
}

static void reach_next(struct reachable *r, const struct insn *in, uint32_t *open, uint32_t *count) {
    const struct branch_table *table = in->effect == EFFECT_BRANCH_TABLE ? in->extra : NULL;
    for (uint32_t i = 0; table && i < table->count; i++)
        add_reachable(r, open, count, table->insns[i]);
    if (in->effect == EFFECT_BRANCH || in->effect == EFFECT_BRANCH_IF)
        add_reachable(r, open, count, (uint32_t)(in->index + (in->target - in)));
    if (!table && in->effect != EFFECT_BRANCH && in->effect != EFFECT_EXIT && in->effect != EFFECT_RETURN &&
        in->effect != EFFECT_TRAP)
        add_reachable(r, open, count, in->index + 1);
}

/* What may be executed after an instruction of the kernel. */
static const struct reachable *reachable_from(struct block_watch *b, const struct insn *in) {
    const struct code *code = &b->launch->kernel->code;
    struct reachable *r = &b->sync.reachable;
    /* The result for the last instruction is kept: the same query recurs for as long as lanes wait. */
    uint32_t count = 0, *open = r->from == in ? NULL : zeroed(code->count, sizeof *open);
    if (!open)
        return r;
    r->from = in;
    r->bits = r->bits ? r->bits : zeroed(code->count / 64 + 1, sizeof *r->bits);
    memset(r->bits, 0, (code->count / 64 + 1) * sizeof *r->bits);
    reach_next(r, in, open, &count);
    while (count)
        reach_next(r, &code->insns[open[--count]], open, &count);
    free(open);
    return r;
}

static bool comes_behind(struct block_watch *b, const struct insn *in, const struct warp_split *f) {
    const struct reachable *r = reachable_from(b, f->pc);
    bool again = r->bits[f->pc->index / 64] >> f->pc->index % 64 & 1;
    /* In a loop the sync can be reached from itself, and a lane may be late in the previous iteration: then nothing is
     * reported. */
    return !again && r->bits[in->index / 64] >> in->index % 64 & 1;
}

void skipped_sync_note(struct block_watch *b, const struct warp *w, const struct insn *in) {
    struct skipped_sync *g = &b->sync.skipped_syncs[w->index];
    for (unsigned i = 0; i < w->count; i++) {
        const struct warp_split *f = &w->splits[i];
        /* Only in the kernel itself (depth 0): reachable_from() does not follow calls. */
        if (i == w->current || f->state != SPLIT_AT_SYNC || f->depth || !(f->sync_mask & w->mask) ||
            !comes_behind(b, in, f))
            continue;
        if (g->sync != f->pc || !g->lanes)
            *g = (struct skipped_sync){f->pc, in, 0};
        g->lanes |= f->sync_mask & w->mask;
    }
}

void skipped_sync_check(const struct warp *w, const struct insn *in, uint32_t named) {
    struct block_watch *b = w->block->watch;
    struct skipped_sync *g = b ? &b->sync.skipped_syncs[w->index] : NULL;
    /* Named by the mask, noted as working past it, and gone: lanes that live may still arrive. */
    uint32_t lanes = g && g->lanes && g->sync->index == in->index ? g->lanes & named & ~w->live : 0;
    if (!g)
        return;
    /* The lanes that execute it now have arrived. */
    g->lanes &= ~w->mask;
    if (!lanes)
        return;
    struct hazard h = {.kind = HAZARD_SKIPPED_SYNC,
                       .warning = !check_is_on(CHECK_STRICT),
                       .kernel = w->launch->kernel,
                       .now = g->sync,
                       .used = g->where,
                       .who = hazard_thread(w, first_lane(w->mask)),
                       .asked = (unsigned)first_lane(lanes)};
    hazards_note(&b->launch->hazards, &h);
    g->lanes = 0;
}
