/* Operands of all participating lanes, which are in different slots at different places, are copied to a separate
 * frame, where the instruction is executed once. */
#include "ops/joint_sync.h"

#include <string.h>

#include "base/checks.h"
#include "machine/observer.h"

#define SLOT_BYTES (WARP_SIZE * sizeof(uint64_t))

static bool waits_alike(const struct warp_split *f, const struct insn *in) {
    return f->state == SPLIT_AT_SYNC && f->pc->handler == in->handler && f->pc->kind == in->kind;
}

static uint32_t names_of(const struct warp *w, const struct insn *at, uint32_t lanes, unsigned k) {
    const uint32_t *mask = (const uint32_t *)(const void *)(w->regs + at->op[k]);
    uint32_t names = 0;
    for (; lanes; lanes &= lanes - 1)
        names |= mask[first_lane(lanes)];
    return names;
}

uint32_t joint_lanes(const struct warp *w, const struct insn *in, unsigned k) {
    uint32_t here = w->mask, names = names_of(w, in, here, k), before = 0;
    if (!(in->flags & INSN_FORM))
        return 0;
    /* Lanes at different places take part together if one names the other, directly or through a third. Repeated until
     * no new lane is named; all named ones must have arrived, or no lane executes it yet (0). */
    while (here != before) { /* the named lanes may name others */
        before = here;
        for (unsigned i = 0; i < w->count; i++) {
            const struct warp_split *f = &w->splits[i];
            if (i == w->current || !(f->mask & names & ~here) || !waits_alike(f, in))
                continue;
            here |= f->mask;
            names |= names_of(w, f->pc, f->mask, k);
        }
    }
    return names & w->live & ~here ? 0 : here;
}

/* ---- operands ---- */

/* A letter for each slot of the instruction, in order: p, w or l, and capitals for destinations. */
static unsigned slots_of(const struct insn *in, char letters[INSN_OPERANDS]) {
    const char *operands = ((const struct form *)in->extra)->operands;
    unsigned count = 0;
    for (unsigned i = 0; operands[i] && count < INSN_OPERANDS; i++) {
        if (operands[i] == 'W' && count + 1 < INSN_OPERANDS) { /* d|p */
            letters[count++] = 'W';
            letters[count++] = 'P';
        } else {
            letters[count++] = (char)(i == 0 ? operands[i] - 'a' + 'A' : operands[i]);
        }
    }
    return count;
}

static void move_lanes(char letter, uint8_t *to, const uint8_t *from, uint32_t lanes) {
    if (letter == 'p' || letter == 'P') {
        uint32_t old, new;
        memcpy(&old, to, sizeof old);
        memcpy(&new, from, sizeof new);
        old = (old & ~lanes) | (new &lanes);
        memcpy(to, &old, sizeof old);
        return;
    }
    size_t bytes = letter == 'l' || letter == 'L' ? sizeof(uint64_t) : sizeof(uint32_t);
    for (; lanes; lanes &= lanes - 1) {
        size_t at = bytes * (size_t)first_lane(lanes);
        memcpy(to + at, from + at, bytes);
    }
}

static bool is_destination(char letter) {
    return letter < 'a';
}

/* `from`, `to`: the warp's frame, or its shadow, in which undefined values are followed. */
static void bring(const uint8_t *from, const struct insn *at, uint32_t lanes, const char *letters, unsigned count,
                  uint8_t frame[][SLOT_BYTES]) {
    for (unsigned k = 0; k < count; k++)
        if (!is_destination(letters[k]))
            move_lanes(letters[k], frame[k], from + at->op[k], lanes);
}

static void take(uint8_t *to, const struct insn *at, uint32_t lanes, const char *letters, unsigned count,
                 uint8_t frame[][SLOT_BYTES]) {
    for (unsigned k = count; k-- > 0;) /* the first destination last: the second may be a slot for unused results */
        if (is_destination(letters[k]))
            move_lanes(letters[k], to + at->op[k], frame[k], lanes);
}

struct joint {
    uint32_t lanes, here; /* all participating lanes, and those of the running split */
    unsigned count;
    char letters[INSN_OPERANDS];
};

/* For the operands of all participating lanes. */
static void bring_all(const struct warp *w, const struct insn *in, const struct joint *m, const uint8_t *from,
                      uint8_t frame[][SLOT_BYTES]) {
    bring(from, in, m->here, m->letters, m->count, frame);
    for (unsigned i = 0; i < w->count; i++)
        if (i != w->current && w->splits[i].mask & m->lanes)
            bring(from, w->splits[i].pc, w->splits[i].mask, m->letters, m->count, frame);
}

static void take_all(const struct warp *w, const struct insn *in, const struct joint *m, uint8_t *to,
                     uint8_t frame[][SLOT_BYTES]) {
    take(to, in, m->here, m->letters, m->count, frame);
    for (unsigned i = 0; i < w->count; i++)
        if (i != w->current && w->splits[i].mask & m->lanes)
            take(to, w->splits[i].pc, w->splits[i].mask, m->letters, m->count, frame);
}

static const struct insn *execute(struct warp *w, const struct insn *in, const struct joint *m,
                                  uint8_t frame[][SLOT_BYTES]) {
    struct insn together = *in;
    uint8_t *regs = w->regs;
    /* The same operation on a small frame, in which slot k is operand k of all participating lanes. */
    for (unsigned k = 0; k < m->count; k++)
        together.op[k] = (uint32_t)(k * SLOT_BYTES);
    w->mask = m->lanes;
    w->regs = &frame[0][0];
    const struct insn *done = in->handler(w, &together);
    w->regs = regs;
    w->mask = m->here;
    return done;
}

/* execute(), and follows undefined bits of the operands. */
static const struct insn *execute_followed(struct warp *w, const struct insn *in, const struct joint *m,
                                           uint8_t frame[][SLOT_BYTES]) {
    _Alignas(64) uint8_t beside[INSN_OPERANDS][SLOT_BYTES] = {{0}};
    observer.follow(w);
    bool hand_on = w->hand_on;
    uint8_t *shadow = w->shadow;
    bring_all(w, in, m, shadow, beside);
    w->shadow = beside[0];
    w->hand_on = false; /* not in here */
    const struct insn *done = execute(w, in, m, frame);
    w->hand_on = hand_on;
    w->shadow = shadow;
    if (done)
        take_all(w, in, m, shadow, beside);
    return done;
}

const struct insn *joint_execute(struct warp *w, const struct insn *in, uint32_t lanes) {
    _Alignas(64) uint8_t frame[INSN_OPERANDS][SLOT_BYTES] = {{0}};
    struct joint m = {.lanes = lanes, .here = w->mask};
    m.count = slots_of(in, m.letters);
    bool follow = w->block->watch && check_is_on(CHECK_INIT);
    bring_all(w, in, &m, w->regs, frame);
    if (!(follow ? execute_followed : execute)(w, in, &m, frame))
        return NULL;
    take_all(w, in, &m, w->regs, frame);
    for (unsigned i = 0; i < w->count; i++) {
        struct warp_split *f = &w->splits[i];
        if (i == w->current || !(f->mask & lanes))
            continue;
        f->state = SPLIT_READY;
        f->pc++;
    }
    return warp_hand_on(w, warp_reconverge(w, in + 1));
}
