/* A region: consecutive instructions that only compute, translated to one loop over the lanes. */
#include "decode/decode.h"
#include "decode/registers.h"
#include "tier/translator.h"

/* ---- places ---- */

static const struct frame_constant *constant_at(const struct kernel *k, uint32_t slot) {
    for (uint32_t i = 0; i < k->constant_count; i++)
        if (k->constants[i].slot == slot)
            return &k->constants[i];
    return NULL;
}

/* NULL when the slot is known with another width: the region must end before. */
static struct place *place_of(struct translator *t, uint32_t slot, unsigned bits) {
    /* A linear search: a region has few places, and is translated once. Two C variables cannot represent one place, so
     * where a slot is known with another width the region ends before that instruction, and the value goes through the
     * frame. */
    for (unsigned i = 0; i < t->place_count; i++)
        if (t->places[i].slot == slot)
            return t->places[i].bits == bits ? &t->places[i] : NULL;
    struct place *p = &t->places[t->place_count++];
    *p = (struct place){.slot = slot, .bits = (uint8_t)bits, .value = -1, .constant = constant_at(t->k, slot)};
    return p;
}

static bool note_operands(struct translator *t, uint32_t i, bool predicated, uint32_t predicate) {
    struct operand o[INSN_OPERANDS];
    unsigned n = steps_operands(&t->k->code.insns[i], o);
    if (predicated && !place_of(t, predicate, 1))
        return false;
    for (unsigned j = 0; j < n; j++)
        if (!place_of(t, o[j].slot, o[j].bits))
            return false;
    for (int written = 0; written < 2; written++) /* sources are read before anything is written */
        for (unsigned j = 0; j < n; j++) {
            struct place *p = place_of(t, o[j].slot, o[j].bits);
            /* Read before the region has written it. The destination of a predicated instruction counts as read:
             * lanes whose predicate is false keep what it held. */
            p->live_in |= !p->written && (!o[j].written || predicated);
            p->written |= written && o[j].written;
        }
    if (predicated) {
        struct place *p = place_of(t, predicate, 1);
        p->live_in |= !p->written;
    }
    return true;
}

/* The region that begins at instruction `begin`; returns its end. */
static uint32_t gather(struct translator *t, uint32_t begin) {
    uint32_t i = begin;
    t->place_count = 0;
    while (i < t->k->code.count && i - begin < MAX_REGION) {
        unsigned places = t->place_count;
        bool predicate = t->steps[i] == STEP_PREDICATE;
        if (!predicate && t->steps[i] != STEP_LANES)
            break;
        if (!note_operands(t, predicate ? i + 1 : i, predicate, t->k->code.insns[i].op[0])) {
            /* The instruction is not part of the region, so its places are not either. */
            t->place_count = places;
            break;
        }
        i += predicate ? 2 : 1;
    }
    return i;
}

/* values read after a region */

static long source_index(const struct translator *t, uint32_t i) {
    const struct ptx_function *f = t->k->ptx;
    const struct ptx_insn *p = i < t->k->code.count ? t->k->code.sources[i] : NULL;
    return p >= f->insns && p < f->insns + f->insn_count ? p - f->insns : -1;
}

static bool live_at(const struct translator *t, long insn, uint32_t number) {
    return insn < (long)t->k->ptx->insn_count && t->live[(size_t)insn * t->words + number / 64] >> number % 64 & 1;
}

/* Marks the written places that are read after instruction end - 1. A place that is no PTX register is a temporary of
 * decode's: kept. */
static void find_live_out(struct translator *t, uint32_t end) {
    const struct ptx_function *f = t->k->ptx;
    /* Liveness is known for the instructions of the PTX text, of which decode may have made several each: `next` may
     * still be the one of `last`, whose remaining parts and whose successor must both be checked. Where an end of the
     * region is no instruction of the kernel itself (a function's, or one that decode added), everything written is
     * kept. */
    long last = source_index(t, end - 1), next = source_index(t, end);
    bool known = last >= 0 && next >= 0;
    for (unsigned j = 0; j < t->place_count; j++) {
        struct place *p = &t->places[j];
        bool is_register = false, live = !known;
        /* Registers share slots: live if any register in this slot is. */
        for (size_t r = 0; known && r < f->register_count; r++) {
            const struct ptx_register *reg = f->registers[r];
            if (reg->constant || reg->slot != p->slot)
                continue;
            is_register = true;
            live |= live_at(t, next, reg->number) || (next == last && live_at(t, next + 1, reg->number));
        }
        p->live_out = p->written && (live || !is_register) && p->slot != TRASH_PREDICATE;
    }
}

/* ---- the loop over the lanes ---- */

static const char *type_of(unsigned bits) {
    return bits == 16 ? "uint16_t" : bits == 64 ? "uint64_t" : "uint32_t";
}

static bool same_for_all(const struct frame_constant *c) {
    /* %ntid and %nctaid are the same for all lanes; other special registers, as %tid and %laneid, are not. */
    return c && (c->bits != FRAME_SPECIAL || (c->value >= FRAME_NTID_X && c->value <= FRAME_NCTAID_Z));
}

static void declare_places(struct translator *t) {
    for (unsigned j = 0; j < t->place_count; j++) {
        const struct place *p = &t->places[j];
        const char *type = type_of(p->bits);
        /* A predicate is one word in the frame, of which each lane needs a bit. It is read once; results are collected
         * as a vector of 32 masks (t), because a loop whose lanes all change one word does not become vector code. */
        if (p->bits == 1) {
            if (p->live_in || p->live_out)
                fprintf(t->out, "  const uint32_t p%u = *(const uint32_t *)(r + %u);\n", p->slot, p->slot);
            if (p->live_out)
                fprintf(t->out, "  int32_t t%u[32] __attribute__((aligned(64)));\n", p->slot);
        } else if (same_for_all(p->constant)) {
            fprintf(t->out, "  const %s c%u = *(const %s *)(r + %u);\n", type, p->slot, type, p->slot);
        } else if (p->live_in || p->live_out) {
            fprintf(t->out, "  %s *const s%u = (%s *)(r + %u);\n", type, p->slot, type, p->slot);
        }
    }
}

static int read_place(struct translator *t, struct place *p) {
    if (p->value >= 0)
        return p->value;
    p->value = t->value_count++;
    /* At most one load for each place and region: v%d is the value until another one is written. Constants of the
     * launch are literals if they fit the width and are no addresses, otherwise read once before the loop (c%u). */
    const struct frame_constant *c = p->constant;
    fprintf(t->out, "    const %s v%d = ", type_of(p->bits), p->value);
    if (p->bits == 1)
        fprintf(t->out, "p%u >> l & 1;\n", p->slot);
    else if (c && c->bits == p->bits && !may_be_address(c->value))
        fprintf(t->out, "(%s)0x%llxu;\n", type_of(p->bits), (unsigned long long)c->value);
    else
        fprintf(t->out, same_for_all(c) ? "c%u;\n" : "s%u[l];\n", p->slot);
    return p->value;
}

/* The value with its NaN made canonical, as anything outside the region may read it. */
static int read_canonical(struct translator *t, struct place *p) {
    int value = read_place(t, p);
    if (p->raw) {
        p->raw = false;
        p->value = t->value_count++;
        fprintf(t->out, "    const uint32_t v%d = CANONICAL(v%d);\n", p->value, value);
    }
    return p->value;
}

/* A single-precision result that is NaN is the canonical NaN. The result of arithmetic does not depend on which NaN it
 * gets, so a value that goes from one such operation to the next stays as the host made it ("raw"), and is made
 * canonical when any other operation reads it. */
static void emit_operation(struct translator *t, uint32_t i, const uint32_t *predicate, bool negated) {
    const struct insn *in = &t->k->code.insns[i];
    struct operand o[INSN_OPERANDS];
    unsigned n = steps_operands(in, o);
    int on = predicate ? read_place(t, place_of(t, *predicate, 1)) : -1, values[INSN_OPERANDS], before[INSN_OPERANDS];
    bool takes = in->flags & INSN_RAW_SOURCES;
    /* Lanes whose predicate is false keep their bits, which need not be a canonical NaN. */
    bool raw = in->flags & INSN_RAW_RESULT && (!predicate || place_of(t, o[0].slot, o[0].bits)->raw);
    for (unsigned j = 0; j < n; j++) {
        struct place *p = place_of(t, o[j].slot, o[j].bits);
        /* The old value: of a source always, of a destination only where lanes may keep it. Raw NaNs go only to
         * operations for which they make no difference, or into a result that may be raw itself. */
        before[j] = o[j].written && !predicate       ? -1
                    : takes || (o[j].written && raw) ? read_place(t, p)
                                                     : read_canonical(t, p);
    }
    if (predicate)
        counted_emit_lane(t, i, on, negated);
    for (unsigned j = 0; j < n; j++)
        if (o[j].written)
            fprintf(t->out, "    %s v%d;\n", type_of(o[j].bits), values[j] = t->value_count++);
    /* The operation is called on a frame of one lane, 16 bytes an operand. After inlining nothing of that frame
     * remains: the compiler keeps its slots in registers, and makes vectors of them across the lanes. */
    fprintf(t->out, "    {\n      OPERATION(%lldll, %u);\n", (long long)in->imm, in->kind);
    for (unsigned j = 0; j < n; j++)
        if (!o[j].written)
            fprintf(t->out, "      OPERAND(%s, %u) = v%d;\n", type_of(o[j].bits), o[j].k, before[j]);
    fprintf(t->out, "      %s%s(&x, &n);\n", t->names[i], raw ? "_raw" : "");
    for (unsigned j = 0; j < n; j++)
        if (o[j].written && on >= 0)
            /* Computed for all lanes, and chosen by the predicate: a select instead of a branch. */
            fprintf(t->out, "      v%d = %sv%d ? OPERAND(%s, %u) : v%d;\n", values[j], negated ? "!" : "", on,
                    type_of(o[j].bits), o[j].k, before[j]);
        else if (o[j].written)
            fprintf(t->out, "      v%d = OPERAND(%s, %u);\n", values[j], type_of(o[j].bits), o[j].k);
    fprintf(t->out, "    }\n");
    for (unsigned j = 0; j < n; j++)
        if (o[j].written) {
            struct place *p = place_of(t, o[j].slot, o[j].bits);
            p->value = values[j];
            p->raw = raw;
        }
}

static void emit_results(struct translator *t) {
    for (unsigned j = 0; j < t->place_count; j++) {
        struct place *p = &t->places[j];
        if (!p->live_out)
            continue;
        read_canonical(t, p);
        if (p->bits == 1)
            fprintf(t->out, "    t%u[l] = -(int32_t)v%d;\n", p->slot, p->value);
        /* Any set of lanes: the others keep their values. A masked store would be a branch, see BLEND. */
        else if (t->full)
            fprintf(t->out, "    s%u[l] = v%d;\n", p->slot, p->value);
        else
            fprintf(t->out, "    s%u[l] = BLEND(%s, s%u[l], v%d);\n", p->slot, type_of(p->bits), p->slot, p->value);
    }
    fprintf(t->out, "  }\n");
    for (unsigned j = 0; j < t->place_count; j++) {
        const struct place *p = &t->places[j];
        if (p->live_out && p->bits == 1)
            /* The 32 masks as bits of one word. */
            fprintf(t->out, "  *(uint32_t *)(r + %u) = (p%u & ~m) | (simd_lane_bits(t%u) & m);\n", p->slot, p->slot,
                    p->slot);
    }
}

uint32_t region_emit(struct translator *t, uint32_t begin) {
    uint32_t end = gather(t, begin);
    find_live_out(t, end);
    fprintf(t->out, " {\n");
    declare_places(t);
    for (uint32_t i = begin; i < end; i++)
        if (t->steps[i] == STEP_PREDICATE)
            counted_emit_lanes(t, i + 1);
    /* No lane reads what another one writes: registers are vectors, and predicates are collected. */
    fprintf(t->out, "#pragma GCC ivdep\n  for (int l = 0; l < 32; l++) {\n");
    t->value_count = 0;
    for (uint32_t i = begin; i < end; i++) {
        bool predicate = t->steps[i] == STEP_PREDICATE;
        const struct insn *in = &t->k->code.insns[i];
        if (predicate)
            emit_operation(t, ++i, &in->op[0], in->kind);
        else
            emit_operation(t, i, NULL, false);
    }
    emit_results(t);
    for (uint32_t i = begin; i < end; i++)
        if (t->steps[i] == STEP_PREDICATE)
            counted_emit_predicated(t, i + 1);
    fprintf(t->out, " }\n");
    return end;
}
