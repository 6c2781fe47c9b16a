/* PTX's manual, "Type Checking of Operands": an operand of an instruction for .u32 may be .u32, .s32 or .b32, one for
 * .f32 only .f32 or .b32, one for .b32 anything of its size. The rules were tested with ptxas 13.0 for each instruction
 * and type of register. */
#include "decode/typing.h"

#include <stdio.h>

#include "isa/operand_types.h"

/* ---- types ---- */

enum kind { KIND_OTHER, KIND_PREDICATE, KIND_BITS, KIND_INTEGER, KIND_FLOAT };

static enum kind kind_of(enum ptx_type t) {
    switch (t) {
    case TYPE_PRED:
        return KIND_PREDICATE;
    case TYPE_B8:
    case TYPE_B16:
    case TYPE_B32:
    case TYPE_B64:
        return KIND_BITS;
    case TYPE_U8:
    case TYPE_S8:
    case TYPE_U16:
    case TYPE_S16:
    case TYPE_U32:
    case TYPE_S32:
    case TYPE_U64:
    case TYPE_S64:
        return KIND_INTEGER;
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F16X2:
    case TYPE_BF16X2:
    case TYPE_F32:
    case TYPE_F64:
        return KIND_FLOAT;
    default:
        return KIND_OTHER;
    }
}

/* For ptxas, registers of these types are only a number of bits. */
static bool is_untyped(enum ptx_type t) {
    return t == TYPE_BF16 || t == TYPE_F16X2 || t == TYPE_BF16X2;
}

static bool agrees(enum ptx_type wanted, enum ptx_type has, bool wider) {
    enum kind want = kind_of(wanted), is = is_untyped(has) ? KIND_OTHER : kind_of(has);
    if (want == KIND_OTHER || is == KIND_OTHER)
        return true;
    if (want == KIND_PREDICATE || is == KIND_PREDICATE)
        return want == is;
    if (want == KIND_FLOAT && is == KIND_FLOAT)
        return wanted == has;
    bool fits = ptx_type_bits[has] == ptx_type_bits[wanted] || (wider && ptx_type_bits[has] > ptx_type_bits[wanted]);
    return fits && (want == KIND_BITS || is == KIND_BITS || want == is);
}

static enum ptx_type wider_integer(enum ptx_type t) {
    return t == TYPE_U16   ? TYPE_U32
           : t == TYPE_S16 ? TYPE_S32
           : t == TYPE_U32 ? TYPE_U64
           : t == TYPE_S32 ? TYPE_S64
                           : TYPE_NONE;
}

/* TYPE_NONE: any. */
static enum ptx_type wanted_type(const char *opcode, char letter) {
    switch (letter) {
    case 't':
    case 'T':
        return opcode_type(opcode, 0);
    case 'u':
    case 'U':
        return opcode_type(opcode, 1);
    case 'w':
        return wider_integer(opcode_type(opcode, 0));
    case 'n':
        return TYPE_U32;
    case 'p':
        return TYPE_PRED;
    default:
        return TYPE_NONE;
    }
}

/* ---- operands ---- */

static void check_register(struct decoder *d, enum ptx_type wanted, const struct ptx_register *r, bool wider) {
    char other[32] = "";
    if (agrees(wanted, r->type, wider))
        return;
    if (kind_of(wanted) != KIND_BITS && kind_of(wanted) != KIND_PREDICATE)
        snprintf(other, sizeof other, " or .b%u", ptx_type_bits[wanted]);
    decode_fail(d, "register '%s' has the wrong type for '%s': it is .%s, and .%s%s is expected", r->name,
                d->at->opcode, ptx_type_name(r->type), ptx_type_name(wanted), other);
}

static void check_address(struct decoder *d, const struct ptx_operand *o) {
    enum kind kind = o->kind == OPERAND_ADDRESS && o->reg ? kind_of(o->reg->type) : KIND_OTHER;
    if (kind == KIND_FLOAT || kind == KIND_PREDICATE)
        decode_fail(d, "register '%s' has the wrong type for an address: it is .%s", o->reg->name,
                    ptx_type_name(o->reg->type));
}

static void check_constant(struct decoder *d, enum ptx_type wanted, const struct ptx_operand *o) {
    enum kind kind = kind_of(wanted);
    bool is_float = o->kind == OPERAND_FLOAT;
    if ((kind == KIND_INTEGER && is_float) || ((wanted == TYPE_F32 || wanted == TYPE_F64) && !is_float))
        decode_fail(d, "'%s' cannot take a constant that is %s here", d->at->opcode,
                    is_float ? "a floating-point number" : "an integer");
}

static void check_operand(struct decoder *d, char letter, const struct ptx_operand *o) {
    enum ptx_type wanted = wanted_type(d->at->opcode, letter);
    bool wider = letter == 'T' || letter == 'U';
    if (letter == 'a')
        check_address(d, o);
    else if (o->kind == OPERAND_REGISTER && !o->selector)
        check_register(d, wanted, o->reg, wider);
    else if ((o->kind == OPERAND_INTEGER || o->kind == OPERAND_FLOAT) && letter != '-')
        check_constant(d, wanted, o);
}

void typing_check(struct decoder *d, const struct ptx_function *f) {
    for (size_t i = 0; i < f->insn_count; i++) {
        const struct ptx_insn *p = &f->insns[i];
        const char *letters = p->opcode ? instruction_operands(p->opcode, p->operand_count) : NULL;
        d->at = p;
        for (unsigned k = 0; letters && letters[k]; k++)
            check_operand(d, letters[k], &p->operands[k]);
    }
}
