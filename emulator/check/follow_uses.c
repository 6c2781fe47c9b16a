/* Uses of undefined values: see follow.h. */
#include <string.h>

#include "base/checks.h"
#include "check/follow.h"
#include "machine/block_cluster.h"

static uint8_t told_lane(const struct origin *o, const struct warp *w, int lane) {
    /* The value may come from another lane, by a shuffle: then the first lane that the origin has. */
    bool own = o->warp == w->index && o->lanes >> lane & 1;
    return (uint8_t)(own ? lane : first_lane(o->lanes));
}

void follow_use(const struct warp *w, const struct insn *in, int lane, uint8_t byte, enum use use) {
    struct follow *f = follow_of(w);
    unsigned number = byte & ORIGIN_NUMBER;
    /* Without a number (a predicate whose origin was replaced): the newest one. */
    struct origin *o = &f->origins[number ? number : f->count];
    if (!o->lanes)
        return;
    int from = told_lane(o, w, lane);
    if (o->reported >> from & 1)
        return;
    o->reported |= 1u << from;
    struct hazard h = {.kind = o->shuffle ? HAZARD_NOBODY : HAZARD_UNWRITTEN,
                       .warning = o->shuffle && !check_is_on(CHECK_STRICT),
                       .kernel = w->launch->kernel,
                       .now = o->in,
                       .used = in,
                       .use = use,
                       .who = hazard_thread_at(w->launch, w->block->index, o->warp, (uint32_t)from),
                       .space = (enum ptx_space)o->space,
                       .address = o->address[from],
                       .bytes = o->bytes,
                       .asked = o->asked[from],
                       .allocation = o->allocation};
    if (o->space == SPACE_SHARED) {
        memcpy(h.owner, cluster_block(w->block, o->rank[from])->ctaid, sizeof h.owner);
        h.foreign = o->rank[from] != w->block->rank;
    }
    hazards_note(&w->launch->watch->hazards, &h);
}

void follow_use_register(const struct warp *w, const struct insn *in, uint32_t slot, unsigned bytes, enum use use) {
    for (uint32_t rest = follow_undefined(w, slot, bytes, w->mask); rest; rest &= rest - 1)
        follow_use(w, in, first_lane(rest), follow_byte(w, slot, bytes, first_lane(rest)), use);
}

const char *follow_use_words(enum use use) {
    static const char *const words[] = {[USE_BRANCH] = "it decides a branch",
                                        [USE_PREDICATE] = "it is the predicate of this instruction",
                                        [USE_ADDRESS] = "it is used to compute an address",
                                        [USE_ATOMIC] = "it is an operand of an atomic operation",
                                        [USE_LANE] = "it selects the lanes that participate or are read",
                                        [USE_STORED] = "a result that depends on it is stored",
                                        [USE_ARGUMENT] = "it is an argument",
                                        [USE_VOTE] = "it is a vote at a barrier"};
    return words[use];
}
