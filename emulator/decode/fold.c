#include "decode/fold.h"

#include <string.h>

#include "decode/registers.h"

static void count_definition(struct ptx_register *r, bool written, void *context) {
    (void)context;
    if (written && r->definitions < 2)
        r->definitions++;
}

static bool plain_register(const struct ptx_operand *o, unsigned bits) {
    /* Written once in the whole function, so that it is that constant wherever it is read: before its definition its
     * value is undefined anyway. */
    return o->kind == OPERAND_REGISTER && o->reg->definitions == 1 && register_bits(o->reg) == bits && bits > 1;
}

/* The constant that `mov` gives its register, or ~0. */
static uint32_t mov_constant(struct decoder *d, const struct ptx_insn *p) {
    const struct ptx_operand *from = &p->operands[1];
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    if (p->operand_count != 2 || bits == 1 || !plain_register(&p->operands[0], bits))
        return ~0u;
    if (from->kind == OPERAND_SPECIAL)
        return bits == 32 ? decode_fixed_special(d, from->symbol) : ~0u;
    if (from->kind == OPERAND_REGISTER)
        return from->reg->constant && register_bits(from->reg) == bits ? from->reg->slot : ~0u;
    /* A local variable's address differs from lane to lane and from call to call. */
    if (from->kind == OPERAND_SYMBOL && from->variable && from->variable->space == SPACE_LOCAL)
        return ~0u;
    bool known = from->kind == OPERAND_INTEGER || from->kind == OPERAND_FLOAT || from->kind == OPERAND_SYMBOL;
    return known ? decode_source(d, from, bits) : ~0u;
}

/* ld.param of a kernel's parameter, as wide as its register */
static uint32_t param_constant(struct decoder *d, const struct ptx_function *f, const struct ptx_insn *p) {
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    const struct ptx_operand *from = &p->operands[1];
    if (!f->entry || !opcode_has(p->opcode, "param") || p->operand_count != 2 || opcode_has(p->opcode, "v2") ||
        opcode_has(p->opcode, "v4") || bits < 32 || bits > 64 || !plain_register(&p->operands[0], bits) || from->reg ||
        !from->variable)
        return ~0u;
    for (const struct ptx_variable *v = f->params; v; v = v->next)
        if (v == from->variable && from->value >= 0 && (uint64_t)from->value + bits / 8 <= v->size)
            return decode_constant(d, bits == 32 ? FRAME_PARAM_32 : FRAME_PARAM_64, v->address + (uint64_t)from->value);
    return ~0u;
}

/* cvta of a constant to global: the generic address is the same */
static uint32_t cvta_constant(const struct ptx_insn *p) {
    const struct ptx_operand *from = &p->operands[1];
    bool same = opcode_has(p->opcode, "global") || opcode_has(p->opcode, "const");
    return same && p->operand_count == 2 && plain_register(&p->operands[0], 64) && from->kind == OPERAND_REGISTER &&
                   from->reg->constant
               ? from->reg->slot
               : ~0u;
}

void fold_constants(struct decoder *d, const struct ptx_function *f) {
    for (size_t i = 0; i < f->register_count; i++) {
        f->registers[i]->definitions = 0;
        f->registers[i]->constant = false;
    }
    for (size_t i = 0; i < f->insn_count; i++)
        visit_registers(&f->insns[i], count_definition, NULL);
    /* One pass from top to bottom: a mov of a register that has just become a constant is a constant, too. */
    for (size_t i = 0; i < f->insn_count; i++) {
        struct ptx_insn *p = &f->insns[i];
        p->folded = false;
        if (!p->opcode || p->predicate)
            continue;
        d->at = p;
        uint32_t slot = p->row->decoding == DECODING_mov    ? mov_constant(d, p)
                        : p->row->decoding == DECODING_load ? param_constant(d, f, p)
                        : p->row->decoding == DECODING_cvta ? cvta_constant(p)
                                                            : ~0u;
        if (slot == ~0u)
            continue;
        p->folded = true;
        p->operands[0].reg->constant = true;
        p->operands[0].reg->slot = slot;
    }
}
