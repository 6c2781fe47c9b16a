/* Wrong uses of setmaxnreg. A GPU redistributes the registers of a block among its warpgroups; here registers are never
 * short, so the instruction does nothing but these checks. How many a thread begins with is ptxas's decision, and
 * checks that need that number are skipped where it is not known. */
#include "check/block_watch.h"
#include "fatbin/resources.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

#define WARPGROUP 4

/* Of a warp: what a thread has now, the last setmaxnreg and all of them. */
struct register_use {
    uint32_t count;
    const struct insn *last;
    uint64_t sequence;
    uint32_t first; /* what a thread of the kernel begins with; 0: not known */
};

/* ptxas drops setmaxnreg where it cannot determine how many registers a thread begins with: advisory C7508, "unable to
 * determine register count at entry". The number of threads alone does not determine it; together with the minimum
 * number of blocks it does. -maxrregcount does not appear in PTX. */
static bool count_at_entry(const struct ptx_function *f) {
    return f->maxnreg || f->minnctapersm;
}

struct register_use *registers_new(const struct launch *l) {
    struct register_use *uses = zeroed(l->warps_per_block, sizeof *uses);
    struct kernel_registers found;
    bool known = count_at_entry(l->kernel->ptx) && resources_registers_of_one(l->kernel->name, &found) &&
                 found.arch >= 90; /* others have no setmaxnreg */
    uses->first = known ? found.count : 0;
    return uses;
}

void registers_start(struct block_watch *b, const struct launch *l) {
    uint32_t first = b->registers ? b->registers->first : 0;
    for (uint32_t i = 0; b->registers && i < l->warps_per_block; i++)
        b->registers[i] = (struct register_use){.count = first, .first = first};
}

static void note_register_use(const struct block_watch *b, const struct block *block, uint32_t warp,
                              const struct insn *in, enum register_mistake mistake, uint32_t asked, uint32_t more) {
    const struct hazard h = {.kind = HAZARD_SETMAXNREG,
                             .kernel = block->launch->kernel,
                             .now = in,
                             .who = hazard_thread_at(block->launch, block->index, warp, 0),
                             .use = mistake,
                             .asked = asked,
                             .bytes = more};
    hazards_note(&b->launch->hazards, &h);
}

void registers_change(struct block_watch *b, const struct warp *w, const struct insn *in, const struct probe *s) {
    struct register_use *u = b->registers ? &b->registers[w->index] : NULL;
    uint32_t wanted = 8u * s->value;
    if (!u)
        return;
    if (w->mask != w->live)
        note_register_use(b, w->block, w->index, in, REGISTERS_OF_SOME_LANES,
                          (uint32_t)__builtin_popcount(w->live & ~w->mask), 0);
    if (u->count && (s->flags & PROBE_ACQUIRE ? wanted < u->count : wanted > u->count))
        note_register_use(b, w->block, w->index, in, REGISTERS_THE_OTHER_WAY, u->count, 0);
    if (u->first)
        u->count = wanted;
    u->last = in;
    u->sequence = u->sequence * 31 + in->index + 1;
}

/* Have the warps of a warpgroup executed the same? */
static void check_group(const struct block_watch *b, const struct block *block, uint32_t first) {
    const struct register_use *uses = b->registers + first;
    uint32_t count =
        block->launch->warps_per_block - first < WARPGROUP ? block->launch->warps_per_block - first : WARPGROUP;
    uint32_t who = 0;
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        same &= uses[i].sequence == uses[0].sequence;
        who = uses[i].last ? i : who;
    }
    if (!same)
        note_register_use(b, block, first + who, uses[who].last, REGISTERS_OF_SOME_WARPS, 0, 0);
}

void registers_end(struct block_watch *b, const struct block *block) {
    const struct register_use *uses = b->registers;
    uint32_t warps = block->launch->warps_per_block, has = 0, wanted = 0, most = 0;
    if (!uses)
        return;
    for (uint32_t i = 0; i < warps; i += WARPGROUP)
        check_group(b, block, i);
    for (uint32_t i = 0; i < warps; i++) {
        has += uses[i].first * WARP_SIZE;
        wanted += uses[i].count * WARP_SIZE;
        most = uses[i].last && uses[i].count > uses[most].count ? i : most;
    }
    if (wanted > has && uses[most].last)
        note_register_use(b, block, most, uses[most].last, REGISTERS_TOO_MANY, uses[most].first, wanted - has);
}
