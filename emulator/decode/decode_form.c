/* Decoding by the tables of forms (ops/): instructions that only compute in registers. Any instruction that no table
 * has and no other decode_*.c takes is refused here: it is not supported, or does not exist. */
#include <string.h>

#include "decode/decode.h"
#include "decode/registers.h"
#include "base/checks.h"
#include "isa/instruction.h"
#include "ops/forms.h"
#include "ops/inexact.h"

static unsigned letter_bits(char letter) {
    switch (letter) {
    case 'p':
    case 'P':
        return 1;
    case 'h':
        return 16;
    case 'w':
    case 'W':
        return 32;
    case 'l':
        return 64;
    default:
        return 128;
    }
}

static bool type_is_signed(enum ptx_type t) {
    return t == TYPE_S8 || t == TYPE_S16 || t == TYPE_S32 || t == TYPE_S64;
}

/* d or d|p: two slots */
static void pair_slots(struct decoder *d, const struct ptx_operand *o, unsigned bits, uint32_t slots[2]) {
    const struct ptx_operand *first = o->kind == OPERAND_PAIR ? &o->items[0] : o;
    if (first->kind == OPERAND_REGISTER && register_bits(first->reg) != bits)
        decode_fail(d, "register '%s' has the wrong type for '%s'", first->reg->name, d->at->opcode);
    slots[0] = decode_destination(d, first, bits);
    slots[1] = o->kind == OPERAND_PAIR ? decode_destination(d, &o->items[1], 1) : d->trash_predicate;
}

/* setp with an immediate as its second source, as nearly all of them have. */
static bool setp_constant(struct decoder *d, const struct ptx_insn *p, const struct form *form) {
    const struct ptx_operand *b = &p->operands[2];
    if (form->operands[0] != 'P' || p->operand_count != 3 || (b->kind != OPERAND_INTEGER && b->kind != OPERAND_FLOAT))
        return false;
    handler_fn handler = setp_with_constant(form->handler);
    if (!handler)
        return false;
    unsigned bits = letter_bits(form->operands[1]);
    uint32_t slots[3];
    pair_slots(d, &p->operands[0], 1, slots);
    slots[2] = decode_source(d, &p->operands[1], bits);
    struct insn *in = decode_emit(d, handler);
    memcpy(in->op, slots, sizeof slots);
    in->imm = b->kind == OPERAND_FLOAT ? (int64_t)decode_float_bits(b, bits) : b->value;
    in->extra = form;
    in->flags = form->flags | INSN_FORM | INSN_CONSTANT;
    return true;
}

bool decode_form(struct decoder *d, const struct ptx_insn *p) {
    const struct form *form = form_find(p->opcode);
    if (!form && !instruction_exists(p->opcode))
        decode_fail(d, "'%.*s' is not the name of any instruction", (int)strcspn(p->opcode, "."), p->opcode);
    if (!form)
        decode_fail(d, "instruction '%s' is not supported", p->opcode);
    if (setp_constant(d, p, form))
        return true;
    uint32_t slots[INSN_OPERANDS] = {0};
    unsigned n = 0, i = 0;
    int64_t immediate = 0;
    for (const char *letter = form->operands; *letter; letter++, i++) {
        if (i >= p->operand_count)
            decode_fail(d, "'%s' needs %zu operands, not %u", p->opcode, strlen(form->operands), p->operand_count);
        const struct ptx_operand *o = &p->operands[i];
        unsigned bits = letter_bits(*letter);
        if (*letter == 'i') {
            immediate = decode_immediate(d, o);
        } else if (*letter == 'P' || *letter == 'W') {
            pair_slots(d, o, bits, &slots[n]);
            n += 2;
        } else {
            slots[n++] = i == 0 ? decode_destination(d, o, bits) : decode_source(d, o, bits);
        }
    }
    if (i != p->operand_count)
        decode_fail(d, "'%s' takes %u operands, not %u", p->opcode, i, p->operand_count);
    struct insn *in = decode_emit(d, form->handler);
    memcpy(in->op, slots, sizeof slots);
    in->imm = immediate;
    in->extra = form;
    in->flags = form->flags | INSN_FORM;
    in->kind = form->kind;
    int inexact = check_is_on(CHECK_APPROX) ? inexact_number(form->name) : -1;
    if (inexact >= 0) {
        in->handler = op_inexact;
        in->imm = inexact;
    }
    char first = form->operands[0];
    if (first != 'P' && first != 'W' && first != 'p' && p->operand_count)
        decode_destination_done(d, &p->operands[0], letter_bits(first), slots[0],
                                type_is_signed(opcode_type(p->opcode, p->row->class == CLASS_CONVERSION ? 1 : 0)));
    return true;
}
