/* What is undefined in the results of an instruction that only computes: see follow.h.
 *
 * Instructions that move bits around (logic, shifts, fields, permutations, selections, conversions between integers)
 * are tried out: where they give the same for zeros and ones in place of the undefined bits, the result does not
 * depend on them. Of sums and products the bytes from the lowest undefined one on are undefined, and of pairs of
 * halves each on its own. All else is undefined as a whole. */
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/follow.h"
#include "check/lane_access.h"
#include "check/probes.h"
#include "decode/registers.h"
#include "isa/instruction.h"
#include "ptx/opcode.h"

#define SLOT_BYTES (16 * WARP_SIZE)

struct operand {
    uint32_t slot;
    uint8_t bytes; /* of a lane; 0: a predicate */
};

struct operands {
    struct operand all[INSN_OPERANDS];
    unsigned count, destinations; /* those come first */
};

/* How undefined bits of the operands spread to the result. */
enum spread {
    SPREAD_WHOLE,    /* any of them makes all of it undefined */
    SPREAD_BITS,     /* the operands before `controls` are bits that are moved */
    SPREAD_NEW_BITS, /* the same, and what comes out is no copy */
    SPREAD_UPWARD,   /* by carries: the bytes from the lowest undefined one on */
    SPREAD_HALVES,   /* each pair of halves on its own */
};

struct rule {
    enum spread spread;
    unsigned controls; /* the number of the last operands of which nothing may be undefined, or the whole result is */
};

static const struct ptx_insn *source_of(const struct warp *w, const struct insn *in) {
    return w->launch->kernel->code.sources[in->index];
}

static unsigned letter_bytes(char letter) {
    return letter == 'h' ? 2 : letter == 'w' || letter == 'W' ? 4 : letter == 'l' ? 8 : letter == 'q' ? 16 : 0;
}

static void add_operand(struct operands *o, const struct insn *in, unsigned bytes) {
    if (o->count < INSN_OPERANDS)
        o->all[o->count] = (struct operand){in->op[o->count], (uint8_t)bytes};
    o->count += o->count < INSN_OPERANDS;
}

static struct operands operands_of(const struct insn *in) {
    const struct form *form = in->extra;
    struct operands o = {0};
    for (const char *letter = form->operands; *letter; letter++) {
        if (*letter == 'i' || (!letter[1] && in->flags & INSN_CONSTANT))
            continue; /* in insn.imm */
        add_operand(&o, in, letter_bytes(*letter));
        /* p|q and d|p: one operand of PTX, and two slots here. */
        if (*letter == 'P' || *letter == 'W')
            add_operand(&o, in, 0);
        if (letter == form->operands)
            o.destinations = o.count;
    }
    return o;
}

/* ---- rules ---- */

static bool is_integer(enum ptx_type t) {
    return t >= TYPE_B8 && t <= TYPE_S64;
}

static bool moves_bits(const char *opcode) {
    return is_integer(opcode_type(opcode, 0)) && is_integer(opcode_type(opcode, 1)) && !opcode_has(opcode, "sat");
}

static enum spread spread_of(const struct instruction *row, const char *opcode) {
    switch ((enum undefined_flow)row->undefined) {
    case UNDEFINED_BITS:
    case UNDEFINED_CHOICE:
        return SPREAD_BITS;
    case UNDEFINED_NEW_BITS:
    case UNDEFINED_XOR:
        return SPREAD_NEW_BITS;
    case UNDEFINED_UPWARD:
    case UNDEFINED_DIFFERENCE:
        return is_integer(opcode_type(opcode, 0)) ? SPREAD_UPWARD : SPREAD_WHOLE;
    case UNDEFINED_CONVERSION:
        return moves_bits(opcode) ? SPREAD_BITS : SPREAD_WHOLE;
    default:
        return SPREAD_WHOLE;
    }
}

static struct rule rule_of(const struct instruction *row, const char *opcode) {
    if (strstr(opcode, "x2") && row->undefined != UNDEFINED_CONVERSION)
        return (struct rule){SPREAD_HALVES, 0};
    return (struct rule){spread_of(row, opcode), row->controls};
}

/* ---- lanes ---- */

static uint8_t first_origin(const struct warp *w, const struct operands *o, int lane) {
    for (unsigned k = o->destinations; k < o->count; k++) {
        uint8_t byte = follow_byte(w, o->all[k].slot, o->all[k].bytes, lane);
        if (byte)
            return byte;
    }
    return 0;
}

static void set_whole(const struct warp *w, const struct operands *o, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        uint8_t origin = first_origin(w, o, first_lane(lanes)) | COMPUTED;
        for (unsigned k = 0; k < o->destinations; k++)
            follow_set(w, o->all[k].slot, o->all[k].bytes, first_lane(lanes), origin);
    }
}

static uint8_t *lane_bytes(const struct warp *w, const struct operand *o, int lane) {
    return follow_registers(w) + o->slot + (size_t)lane * o->bytes;
}

/* Carries go up: the lowest undefined byte makes those above it undefined. */
static void set_upward(const struct warp *w, const struct operands *o, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        int l = first_lane(lanes);
        uint8_t origin = first_origin(w, o, l) | COMPUTED;
        unsigned lowest = o->all[0].bytes;
        for (unsigned k = o->destinations; k < o->count; k++)
            for (unsigned i = 0; i < o->all[k].bytes && i < lowest; i++)
                lowest = lane_bytes(w, &o->all[k], l)[i] ? i : lowest;
        memset(lane_bytes(w, &o->all[0], l), 0, lowest);
        memset(lane_bytes(w, &o->all[0], l) + lowest, origin, o->all[0].bytes - lowest);
    }
}

static void set_halves(const struct warp *w, const struct operands *o, uint32_t lanes) {
    if (!o->all[0].bytes) {
        set_whole(w, o, lanes);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        int l = first_lane(lanes);
        uint8_t origin = first_origin(w, o, l) | COMPUTED, undefined[16] = {0};
        for (unsigned k = o->destinations; k < o->count; k++)
            for (unsigned i = 0; i < o->all[k].bytes; i++)
                /* Two bytes make one half; each pair of halves is computed on its own. */
                undefined[i / 2] |= lane_bytes(w, &o->all[k], l)[i];
        for (unsigned i = 0; i < o->all[0].bytes; i++)
            lane_bytes(w, &o->all[0], l)[i] = undefined[i / 2] ? origin : 0;
    }
}

/* ---- trying out ---- */

/* The sources, with undefined bits all 0 or all 1. */
static void fill(const struct warp *w, const struct operands *o, uint8_t frame[][SLOT_BYTES], uint8_t with) {
    for (unsigned k = 0; k < o->count; k++) {
        size_t n = o->all[k].bytes ? o->all[k].bytes * (size_t)WARP_SIZE : sizeof(uint32_t);
        const uint8_t *undefined = follow_registers(w) + o->all[k].slot;
        memcpy(frame[k], w->regs + o->all[k].slot, n);
        for (size_t i = 0; k >= o->destinations && i < n; i++)
            /* A predicate: bits of lanes, of which the undefined ones are replaced. Otherwise whole bytes. */
            if (!o->all[k].bytes)
                frame[k][i] = (uint8_t)((frame[k][i] & ~undefined[i]) | (undefined[i] & with));
            else if (undefined[i])
                frame[k][i] = with;
    }
}

static void try_out(struct warp *w, const struct insn *in, handler_fn handler, const struct operands *o,
                    uint8_t frame[][SLOT_BYTES], uint8_t with) {
    struct insn trial = *in;
    uint8_t *regs = w->regs;
    uint32_t carry = w->carry;
    fill(w, o, frame, with);
    for (unsigned k = 0; k < INSN_OPERANDS; k++)
        /* The instruction runs on a small frame of its own, so that neither registers nor the carry flag change. */
        trial.op[k] = k * SLOT_BYTES;
    w->regs = frame[0];
    handler(w, &trial);
    w->regs = regs;
    w->carry = carry;
}

/* Whole bytes that were moved are a copy; bits that were moved in a byte are something new. */
static bool is_moved_whole(const struct operand *d, const uint8_t *zeros, const uint8_t *ones, int lane) {
    for (unsigned i = (unsigned)lane * d->bytes; i < (unsigned)(lane + 1) * d->bytes; i++)
        /* All eight bits differ: the byte is an undefined byte itself, unchanged or inverted. Some differ: bits of it
         * were moved into a byte with others. */
        if (zeros[i] != ones[i] && (zeros[i] ^ ones[i]) != 0xff)
            return false;
    return d->bytes;
}

static void set_tried_lane(const struct warp *w, const struct operand *d, const uint8_t *zeros, const uint8_t *ones,
                           int lane, uint8_t origin) {
    uint8_t flag = is_moved_whole(d, zeros, ones, lane) ? 0 : COMPUTED;
    if (!d->bytes)
        follow_set(w, d->slot, 0, lane, (zeros[lane / 8] ^ ones[lane / 8]) >> lane % 8 & 1 ? origin | flag : 0);
    for (unsigned i = (unsigned)lane * d->bytes; i < (unsigned)(lane + 1) * d->bytes; i++)
        follow_registers(w)[d->slot + i] = zeros[i] == ones[i] ? 0 : origin | flag;
}

static void set_tried(struct warp *w, const struct insn *in, handler_fn handler, const struct operands *o,
                      uint32_t lanes, uint8_t flag) {
    _Alignas(64) uint8_t zeros[INSN_OPERANDS][SLOT_BYTES], ones[INSN_OPERANDS][SLOT_BYTES];
    try_out(w, in, handler, o, zeros, 0);
    try_out(w, in, handler, o, ones, 0xff);
    for (; lanes; lanes &= lanes - 1) {
        int l = first_lane(lanes);
        uint8_t origin = first_origin(w, o, l) | flag;
        for (unsigned k = 0; k < o->destinations; k++)
            set_tried_lane(w, &o->all[k], zeros[k], ones[k], l, origin);
    }
}

/* ---- instructions ---- */

static uint32_t undefined_in(const struct warp *w, const struct operands *o, unsigned from, unsigned to) {
    uint32_t lanes = 0;
    for (unsigned k = from; k < to; k++)
        lanes |= follow_undefined(w, o->all[k].slot, o->all[k].bytes, w->mask);
    return lanes;
}

/* A comparison that is combined with a predicate: where what is compared is defined, or does not matter, it is
 * known. */
static bool is_combined(const struct ptx_insn *p) {
    return p->row->undefined == UNDEFINED_COMPARISON && (opcode_has(p->opcode, "and") || opcode_has(p->opcode, "or"));
}

static uint32_t decided_by_predicate(const struct warp *w, const char *opcode, const struct operands *o) {
    uint32_t slot = o->all[o->count - 1].slot, value = *(uint32_t *)(void *)(w->regs + slot);
    uint32_t known = ~follow_undefined(w, slot, 0, FULL_MASK);
    return known & (opcode_has(opcode, "and") ? ~value : value);
}

static void set_combined(struct warp *w, const struct insn *in, handler_fn handler, const struct operands *o,
                         uint32_t lanes) {
    /* setp.and: false & anything is false; setp.or: true | anything is true. Lanes in which the predicate decides that
     * have a defined result, whatever is compared. */
    uint32_t compared = undefined_in(w, o, o->destinations, o->count - 1);
    uint32_t decided = decided_by_predicate(w, source_of(w, in)->opcode, o);
    for (unsigned k = 0; k < o->destinations; k++)
        follow_define(w, o->all[k].slot, 0, compared & decided);
    set_whole(w, o, compared & ~decided);
    if (lanes & ~compared)
        set_tried(w, in, handler, o, lanes & ~compared, COMPUTED);
}

/* x ^ x and x - x are 0 whatever x is. */
static bool is_zero(const struct insn *in, const struct ptx_insn *p) {
    bool cancels = p->row->undefined == UNDEFINED_DIFFERENCE || p->row->undefined == UNDEFINED_XOR;
    return cancels && is_integer(opcode_type(p->opcode, 0)) && in->op[1] == in->op[2];
}

static void set_by_rule(struct warp *w, const struct insn *in, handler_fn handler, const struct operands *o,
                        uint32_t lanes) {
    const struct ptx_insn *p = source_of(w, in);
    struct rule rule = rule_of(p->row, p->opcode);
    /* Lanes in which an operand that selects the bits (the shift of a shl, the selector of a prmt) is undefined: zeros
     * and ones in its place would be two selections of many, so trying out proves nothing. */
    uint32_t controlled = undefined_in(w, o, o->count - rule.controls, o->count), rest = lanes & ~controlled;
    if (is_combined(p) && !(in->flags & INSN_CONSTANT)) {
        set_combined(w, in, handler, o, lanes);
        return;
    }
    if (controlled && p->row->undefined == UNDEFINED_CHOICE) /* between two that may be alike in some bytes */
        set_tried(w, in, handler, o, controlled, COMPUTED);
    else
        set_whole(w, o, rule.spread == SPREAD_WHOLE ? lanes : controlled);
    if (rule.spread == SPREAD_UPWARD)
        set_upward(w, o, rest);
    else if (rule.spread == SPREAD_HALVES)
        set_halves(w, o, rest);
    else if (rule.spread != SPREAD_WHOLE && rest)
        set_tried(w, in, handler, o, rest, rule.spread == SPREAD_NEW_BITS ? COMPUTED : 0);
}

static void form_results(struct warp *w, const struct insn *in, handler_fn handler) {
    const struct operands o = operands_of(in);
    uint32_t lanes = undefined_in(w, &o, o.destinations, o.count);
    if (lanes && is_zero(in, source_of(w, in)))
        lanes = 0;
    if (lanes)
        set_by_rule(w, in, handler, &o, lanes);
    /* All other lanes get defined results, also where the destination was undefined before. */
    for (unsigned k = 0; k < o.destinations; k++)
        follow_define(w, o.all[k].slot, o.all[k].bytes, w->mask & ~lanes);
}

/* ---- instructions that are no forms ---- */

/* Moves whole elements: the shadow frame undergoes the same moves as the registers. */
static void move_along(struct warp *w, const struct insn *in, handler_fn handler) {
    /* The shadow frame has the same layout, so the instruction itself moves the origins along, lane by lane. */
    uint8_t *regs = w->regs;
    w->regs = follow_registers(w);
    handler(w, in);
    w->regs = regs;
}

static void copy_results(const struct warp *w, const struct insn *in, unsigned to, unsigned from) {
    for (uint32_t rest = w->mask; rest; rest &= rest - 1)
        follow_set(w, in->op[0], to, first_lane(rest), follow_byte(w, in->op[1], from, first_lane(rest)));
}

/* By the PTX instruction: registers that are read, and those that are written. */
struct visited {
    const struct warp *warp;
    uint32_t lanes; /* in which something that is read is undefined */
    uint8_t origin;
};

static void visit_read(struct ptx_register *r, bool written, void *context) {
    struct visited *v = context;
    unsigned bytes = register_bits(r) / 8;
    uint32_t lanes = written || r->constant ? 0 : follow_undefined(v->warp, r->slot, bytes, v->warp->mask);
    /* One origin is used for all that are read. */
    if (lanes && !v->lanes)
        v->origin = follow_byte(v->warp, r->slot, bytes, first_lane(lanes));
    v->lanes |= lanes;
}

static void visit_written(struct ptx_register *r, bool written, void *context) {
    struct visited *v = context;
    unsigned bytes = register_bits(r) / 8;
    if (!written || r->constant)
        return;
    follow_define(v->warp, r->slot, bytes, v->warp->mask & ~v->lanes);
    for (uint32_t rest = v->lanes; rest; rest &= rest - 1)
        follow_set(v->warp, r->slot, bytes, first_lane(rest), v->origin | COMPUTED);
}

/* ---- matrices ---- */

/* The whole frame, with undefined bytes that are all zeros, or ones: NaN, which no product or sum loses. */
static uint8_t *trial_frame(struct warp *w, const struct insn *in, handler_fn handler, uint8_t with) {
    size_t n = w->launch->kernel->frame_bytes;
    uint8_t *frame = or_out_of_memory(aligned_alloc(64, n)), *regs = w->regs;
    const uint8_t *undefined = follow_registers(w);
    for (size_t i = 0; i < n; i++)
        frame[i] = undefined[i] ? with : regs[i];
    w->regs = frame;
    handler(w, in);
    w->regs = regs;
    return frame;
}

struct product {
    const struct warp *warp;
    const uint8_t *zeros, *ones; /* frames */
    uint8_t origin;
};

static void visit_product(struct ptx_register *r, bool written, void *context) {
    const struct product *v = context;
    uint8_t *to = follow_registers(v->warp);
    for (uint32_t i = r->slot; written && !r->constant && i < r->slot + register_bits(r) / 8 * WARP_SIZE; i++)
        to[i] = v->zeros[i] == v->ones[i] ? 0 : v->origin;
}

/* An element of the product is undefined if it depends on one that is. */
static void set_product(struct warp *w, const struct insn *in, handler_fn handler, const struct ptx_insn *p,
                        uint8_t origin) {
    uint8_t *zeros = trial_frame(w, in, handler, 0), *ones = trial_frame(w, in, handler, 0xff);
    struct product v = {w, zeros, ones, origin | COMPUTED};
    visit_registers(p, visit_product, &v);
    free(zeros);
    free(ones);
}

/* ---- by the PTX instruction ---- */

/* The kind of use of an operand that is not a value to compute with. */
static enum use use_of(const struct warp *w, const struct insn *in, const struct instruction *row) {
    switch ((enum undefined_flow)row->undefined) {
    case UNDEFINED_VOTE:
        return USE_VOTE;
    case UNDEFINED_STORED:
        return access_space(in->extra, access_address(w, in, first_lane(w->mask))) == SPACE_GLOBAL ? USE_STORED
                                                                                                   : USE_NONE;
    case UNDEFINED_PRODUCT: /* some lanes of the warp are still on their way */
    case UNDEFINED_CHECKED:
        return USE_NONE;
    default:
        return USE_ADDRESS;
    }
}

static void use_all(struct warp *w, const struct insn *in, const struct visited *v, enum use use) {
    for (uint32_t rest = use == USE_NONE ? 0 : v->lanes; rest; rest &= rest - 1)
        follow_use(w, in, first_lane(rest), v->origin, use);
}

static void other_results(struct warp *w, const struct insn *in, handler_fn handler) {
    const struct ptx_insn *p = source_of(w, in);
    struct visited v = {.warp = w};
    if (!p || !p->opcode)
        return;
    visit_registers(p, visit_read, &v);
    if (v.lanes && p->row->undefined == UNDEFINED_PRODUCT && w->mask == FULL_MASK) {
        set_product(w, in, handler, p, v.origin);
        return;
    }
    if (v.lanes && p->row->undefined != UNDEFINED_WHOLE) {
        use_all(w, in, &v, use_of(w, in, p->row));
        v.lanes = 0;
    }
    visit_registers(p, visit_written, &v);
}

/* An operand that decode makes a separate instruction compute first, into a temporary. */
static bool makes_temporary(const struct warp *w, const struct insn *in) {
    /* Its value goes to an instruction that follows; that one is examined itself. */
    const struct ptx_insn *p = source_of(w, in);
    return (in->effect == EFFECT_LOCAL_ADDRESS || in->effect == EFFECT_SPECIAL) &&
           !(p && p->opcode && p->row->decoding == DECODING_mov);
}

void follow_results(struct warp *w, const struct insn *in) {
    handler_fn handler = probes_handler(w->launch->kernel, in);
    if (in->flags & INSN_FORM)
        form_results(w, in, handler);
    else if (in->effect == EFFECT_MOVE)
        move_along(w, in, handler);
    else if (in->effect == EFFECT_NEGATION)
        copy_results(w, in, 0, 0);
    else if (in->effect == EFFECT_GENERIC_ADDRESS)
        copy_results(w, in, 8, 8);
    else if (!(in->flags & INSN_PSEUDO) && in->effect != EFFECT_NOTHING && !makes_temporary(w, in))
        other_results(w, in, handler);
}
