/* A __syncthreads() that only some threads execute. The machine lets a barrier open when the others have left the
 * kernel, so the mistake may pass; here lanes are noted that go on with their work behind a barrier at which others
 * wait, and that leave the kernel without having come to it. Whoever returns early and does no more is not meant. */
#include <string.h>

#include "check/block_watch.h"
#include "core/function.h"

void barrier_start(struct block_watch *b) {
    memset(b->passed, 0, sizeof b->passed);
    memset(b->arrived, 0, sizeof b->arrived);
    b->reads.easy = b->reads.ready = 0;
}

void barrier_arrives(struct block_watch *b, const struct warp *w, const struct insn *in) {
    b->first_wait = in->index < b->first_wait ? in->index : b->first_wait;
    b->passed[w->index] &= ~w->mask;
    b->arrived[w->index] |= w->mask;
}

/* Where others of them stay closed, it is not looked for who waits first now. */
void barrier_opens(struct block_watch *b, const struct block *block) {
    b->first_wait = block->awaited ? b->first_wait : ~0u;
}

static bool waits_before(const struct fragment *f, const struct insn *in) {
    return f->state == FRAGMENT_AT_BARRIER && in >= f->pc && !((f->pc - 1)->kind & BARRIER_UNALIGNED);
}

static bool any_waits_before(const struct warp *w, const struct insn *in) {
    for (unsigned i = 0; i < w->count; i++)
        if (waits_before(&w->fragments[i], in))
            return true;
    return false;
}

void barrier_note_passing(struct block_watch *b, const struct warp *w, const struct insn *in) {
    const struct block *block = w->block;
    if (!block->awaited)
        return;
    if (any_waits_before(w, in))
        b->passed[w->index] |= w->mask;
    if (!(w->mask & ~b->arrived[w->index]))
        return; /* it may be late in the round before */
    for (uint32_t i = 0; i < block->launch->warps_per_block; i++)
        if (i != w->index && any_waits_before(&block->warps[i], in))
            b->passed[w->index] |= w->mask & ~b->arrived[w->index];
}

static const struct fragment *waiting(const struct warp *w, unsigned barrier) {
    for (unsigned i = 0; i < w->count; i++)
        if (w->fragments[i].state == FRAGMENT_AT_BARRIER && w->fragments[i].barrier == barrier)
            return &w->fragments[i];
    return NULL;
}

void barrier_check_passed(struct block_watch *b, const struct block *block, unsigned barrier) {
    bool own_warp = false, any = false;
    const struct warp *who = NULL;
    const struct fragment *where = NULL;
    for (uint32_t i = 0; i < block->launch->warps_per_block; i++) {
        const struct warp *w = &block->warps[i];
        uint32_t skipped = b->passed[i] & ~w->live;
        const struct fragment *f = waiting(w, barrier);
        any |= skipped != 0;
        own_warp |= skipped && f;
        if (f && (!where || (skipped && f))) {
            who = w;
            where = f;
        }
    }
    if (!any || !where)
        return;
    report_insn(
        who, where->pc - 1, FINDING_DIVERGENT_BARRIER, where->mask,
        own_warp ? "Barrier error detected. Divergent thread(s) in warp."
                 : "Barrier error detected. Divergent thread(s) in block.",
        "These threads wait at a __syncthreads() that other threads of the block went around: every thread of the "
        "block has to reach it. Move it out of the if or the loop.");
    barrier_start(b);
}
