/* Undefined values in instructions in which lanes read each other's values: see follow.h. The operations call these
 * functions when all participating lanes have arrived. */
#include "check/follow.h"

#include <string.h>

#include "base/checks.h"

#define REGISTER 4 /* bytes */

/* Where lanes from different places in the code meet, the instruction is a copy that is gone afterwards. */
static const struct insn *in_code(const struct warp *w, const struct insn *in) {
    return &w->launch->kernel->code.insns[in->index];
}

static void use_operand(const struct warp *w, const struct insn *in, unsigned k) {
    follow_use_register(w, in_code(w, in), in->op[k], REGISTER, USE_LANE);
}

/* op: d, p, a, b, c, membermask */
void follow_shuffle(struct warp *w, const struct insn *in, const uint8_t source[WARP_SIZE], uint32_t answered) {
    uint32_t unanswered = w->mask & ~answered;
    uint8_t values[WARP_SIZE][REGISTER], nobodys = 0;
    if (!follow_is_on(w) && !(unanswered && w->block->watch && check_is_on(CHECK_INIT)))
        return;
    struct follow *f = follow_begin(w);
    if (unanswered) {
        struct origin new = {.lanes = unanswered, .shuffle = true, .bytes = REGISTER};
        memcpy(new.asked, source, sizeof new.asked);
        nobodys = follow_origin(f, w, in_code(w, in), &new);
    }
    for (unsigned k = 3; k < 6; k++)
        use_operand(w, in, k);
    /* Copied first, since the destination may be the source. */
    memcpy(values, follow_registers(w) + in->op[2], sizeof values);
    uint8_t(*to)[REGISTER] = (void *)(follow_registers(w) + in->op[0]);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        if (answered >> l & 1)
            memcpy(to[l], values[source[l]], REGISTER);
        else
            memset(to[l], nobodys, REGISTER);
    }
    follow_define(w, in->op[1], 0, w->mask);
}

/* ---- votes ---- */

uint32_t follow_voters(const struct warp *w, const struct insn *in, unsigned value, unsigned mask) {
    if (!follow_is_on(w))
        return 0;
    use_operand(w, in, mask);
    return follow_undefined(w, in->op[value], 0, w->mask);
}

static uint8_t origin_of_voters(const struct warp *w, const struct insn *in, unsigned value, uint32_t voters) {
    return voters ? follow_byte(w, in->op[value], 0, first_lane(voters)) | COMPUTED : 0;
}

void follow_verdict(const struct warp *w, const struct insn *in, uint32_t voters, uint32_t changed) {
    if (!follow_is_on(w))
        return;
    uint8_t origin = origin_of_voters(w, in, 1, voters);
    follow_define(w, in->op[0], 0, w->mask);
    for (uint32_t rest = changed & w->mask; rest; rest &= rest - 1)
        follow_set(w, in->op[0], 0, first_lane(rest), origin);
}

void follow_ballot(const struct warp *w, const struct insn *in, uint32_t voters) {
    const uint32_t *mask = (const uint32_t *)(const void *)(w->regs + in->op[2]);
    if (!follow_is_on(w))
        return;
    uint8_t origin = origin_of_voters(w, in, 1, voters);
    uint8_t(*to)[REGISTER] = (void *)(follow_registers(w) + in->op[0]);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1)
        for (unsigned i = 0; i < REGISTER; i++) {
            int l = first_lane(rest);
            /* A byte of the ballot is undefined if one of the eight votes in it is. */
            to[l][i] = (voters & mask[l]) >> 8 * i & 0xff ? origin : 0;
        }
}

/* ---- match, redux ---- */

void follow_gather(const struct warp *w, const struct insn *in, unsigned value, unsigned bytes, unsigned mask) {
    const uint32_t *named = (const uint32_t *)(const void *)(w->regs + in->op[mask]);
    if (!follow_is_on(w))
        return;
    use_operand(w, in, mask);
    uint32_t unknown = follow_undefined(w, in->op[value], bytes, w->mask);
    uint8_t origin = unknown ? follow_byte(w, in->op[value], bytes, first_lane(unknown)) | COMPUTED : 0;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint8_t result = unknown & named[l] ? origin : 0;
        follow_set(w, in->op[0], REGISTER, l, result);
        if (value == 2) /* match.all: op is d, p, a, membermask */
            follow_set(w, in->op[1], 0, l, result);
    }
}
