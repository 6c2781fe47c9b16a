/* Decoding video instructions that ops/video.c has no form for: parts of registers, masks, saturation, a second
 * operation. */
#include <string.h>

#include "decode/decode.h"
#include "ops/forms.h"
#include "ops/video.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bool is_signed(enum ptx_type type) {
    return type == TYPE_S32;
}

/* The result of vset has no type. */
static void read_modifiers(const char *op, struct video *v) {
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    bool three = v->operation != VIDEO_OP_SET;
    v->b_signed = is_signed(opcode_type(op, 0));
    v->a_signed = is_signed(opcode_type(op, 1));
    v->d_signed = three && is_signed(opcode_type(op, 2));
    v->saturates = opcode_has(op, "sat");
    v->wraps = opcode_has(op, "wrap");
    v->plus_one = opcode_has(op, "po");
    v->shift = opcode_has(op, "shr7") ? 7 : opcode_has(op, "shr15") ? 15 : 0;
    v->second = opcode_has(op, "add")   ? VIDEO_SECOND_ADD
                : opcode_has(op, "min") ? VIDEO_SECOND_MIN
                : opcode_has(op, "max") ? VIDEO_SECOND_MAX
                                        : VIDEO_NO_SECOND;
    for (size_t i = 0; i < COUNT(comparisons); i++)
        if (opcode_has(op, comparisons[i]))
            v->comparison = (uint8_t)i;
}

/* b0 ... b3, h0, h1; the whole register where there is no selector */
static struct video_part read_part(struct decoder *d, const struct ptx_operand *o) {
    const char *s = o->selector;
    if (!s)
        return (struct video_part){32, 0};
    unsigned n = (unsigned)(s[1] - '0');
    if (strlen(s) != 2 || (s[0] != 'b' && s[0] != 'h') || n >= (s[0] == 'b' ? 4 : 2))
        decode_fail(d, "'%s' cannot take part '.%s' of a register", d->at->opcode, s);
    return s[0] == 'b' ? (struct video_part){8, (uint8_t)(8 * n)} : (struct video_part){16, (uint8_t)(16 * n)};
}

/* .h32, .b7654: the source of each element, the highest first */
static void read_parts(struct decoder *d, const struct ptx_operand *o, const struct video *v, unsigned first,
                       uint8_t *parts) {
    for (unsigned k = 0; k < v->elements; k++)
        parts[k] = (uint8_t)(first + k);
    if (!o->selector)
        return;
    if (strlen(o->selector) != v->elements + 1u || o->selector[0] != (v->elements == 2 ? 'h' : 'b'))
        decode_fail(d, "'%s' cannot take parts '.%s' of a register", d->at->opcode, o->selector);
    for (unsigned k = 0; k < v->elements; k++) {
        unsigned from = (unsigned)(o->selector[v->elements - k] - '0');
        if (from >= 2u * v->elements)
            decode_fail(d, "'%s' has no part '.%s'", d->at->opcode, o->selector);
        parts[k] = (uint8_t)from;
    }
}

static uint8_t read_mask(struct decoder *d, const struct ptx_operand *o, const struct video *v) {
    uint8_t mask = 0;
    if (!o->selector)
        return (uint8_t)((1u << v->elements) - 1);
    for (const char *s = o->selector + 1; *s; s++) {
        if (*s < '0' || *s >= '0' + v->elements || o->selector[0] != (v->elements == 2 ? 'h' : 'b'))
            decode_fail(d, "'%s' cannot write part '.%s' of a register", d->at->opcode, o->selector);
        mask |= (uint8_t)(1u << (*s - '0'));
    }
    return mask;
}

static void read_operands(struct decoder *d, const struct ptx_insn *p, struct video *v) {
    const struct ptx_operand *o = p->operands;
    if (v->elements > 1) {
        v->mask = read_mask(d, &o[0], v);
        read_parts(d, &o[1], v, 0, v->a_parts);
        read_parts(d, &o[2], v, v->elements, v->b_parts);
        return;
    }
    v->d = read_part(d, &o[0]);
    v->a = read_part(d, &o[1]);
    v->b = read_part(d, &o[2]);
    if (o[0].selector)
        v->second = VIDEO_MERGE;
    for (unsigned i = 0; v->operation == VIDEO_OP_MAD && i < 3; i++)
        v->negative[i] = o[i + 1].negated;
}

static struct ptx_operand whole(struct decoder *d, const struct ptx_operand *o, bool may_be_negative) {
    struct ptx_operand copy = *o;
    if (o->negated && !may_be_negative)
        decode_fail(d, "'%s' cannot negate a register", d->at->opcode);
    copy.selector = NULL;
    copy.negated = false;
    return copy;
}

/* The spellings for whole words on which the manual and an H200 disagree: no program can rely on them. Into the upper
 * half of a word an H200 writes the upper half of the result. */
static bool is_disputed(const struct video *v) {
    bool all_signed = v->a_signed && v->b_signed;
    if (v->elements > 1)
        return false;
    if (v->second == VIDEO_SECOND_MIN || v->second == VIDEO_SECOND_MAX || (v->d.bits == 16 && v->d.shift == 16))
        return true;
    if (v->operation == VIDEO_OP_ABSDIFF)
        return v->saturates && !v->d_signed && v->a_signed != v->b_signed;
    if (v->saturates && v->d.bits < 32)
        return true;
    if (v->operation == VIDEO_OP_MAD)
        return (v->saturates || v->shift) && !all_signed;
    if (v->operation == VIDEO_OP_ADD || v->operation == VIDEO_OP_SUB)
        return v->saturates && !(all_signed && v->d_signed);
    return v->saturates && v->operation == VIDEO_OP_SHL;
}

static bool is_plain(const struct ptx_insn *p) {
    for (unsigned i = 0; i < p->operand_count; i++)
        if (p->operands[i].selector || p->operands[i].negated)
            return false;
    const struct form *form = form_find(p->opcode);
    return form && strlen(form->operands) == p->operand_count;
}

bool decode_video(struct decoder *d, const struct ptx_insn *p) {
    struct video read = {0};
    if (!video_read_operation(p->opcode, &read) || is_plain(p))
        return false;
    if (p->operand_count < 3 || p->operand_count > 4)
        decode_fail(d, "'%s' needs 3 or 4 operands", p->opcode);
    struct video *v = arena_alloc(d->arena, sizeof *v);
    read_modifiers(p->opcode, &read);
    read_operands(d, p, &read);
    *v = read;
    if (is_disputed(v))
        decode_fail(d, "'%s' is not supported: GPUs do not do what the manual specifies", p->opcode);
    bool third = p->operand_count == 4, mad = v->operation == VIDEO_OP_MAD;
    if (!third && (v->second || v->elements > 1 || mad))
        decode_fail(d, "'%s' needs 4 operands", p->opcode);
    uint32_t slots[4] = {0};
    for (unsigned i = 1; i < p->operand_count; i++) {
        struct ptx_operand o = whole(d, &p->operands[i], mad);
        slots[i] = decode_source(d, &o, 32);
    }
    if (!third)
        slots[3] = slots[2];
    struct ptx_operand to = whole(d, &p->operands[0], false);
    slots[0] = decode_destination(d, &to, 32);
    struct insn *in = decode_emit(d, op_video);
    memcpy(in->op, slots, sizeof slots);
    in->extra = v;
    return true;
}
