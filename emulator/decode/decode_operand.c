/* Decoding operands, and mov, which is nothing but its operands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/registers.h"
#include "base/demangle.h"
#include "isa/instruction.h"
#include "memory/memory.h"
#include "ops/forms.h"
#include "ops/cluster.h"
#include "ops/control.h"
#include "base/limits.h"

int64_t decode_immediate(struct decoder *d, const struct ptx_operand *o) {
    if (o->kind != OPERAND_INTEGER)
        decode_fail(d, "'%s' needs an integer constant", d->at->opcode);
    return o->value;
}

/* ---- symbols ---- */

void decode_undefined(struct decoder *d, const char *what, const char *mangled) {
    char name[256];
    demangle(mangled, name, sizeof name);
    if (strncmp(name, "__cudaCDP", 9) == 0 || strncmp(name, "cuda", 4) == 0)
        decode_fail(
            d,
            "dynamic parallelism, which is a kernel that launches kernels or calls the CUDA runtime ('%s'), is not "
            "supported: launch from the host",
            name);
    decode_fail(
        d,
        "%s '%s' " UNDEFINED_WORDS
        ": compile the file that defines it to PTX as well (with -arch=sm_90, for example), and link it with -rdc=true",
        what, name);
}

static uint64_t function_address(struct decoder *d, const struct ptx_operand *o) {
    if (!o->function)
        decode_fail(d, "'%s' is not declared", o->symbol);
    if (o->function->external)
        decode_undefined(d, "function", o->symbol);
    return CODE_WINDOW + 16 * o->function->number;
}

uint64_t decode_symbol(struct decoder *d, const struct ptx_operand *o) {
    if (!o->variable)
        return function_address(d, o);
    if (o->variable->external && !o->variable->definition)
        decode_undefined(d, "variable", o->symbol);
    if (o->variable->space == SPACE_LOCAL && !d->function->ptx->entry)
        decode_fail(d, "the address of local variable '%s' is not a constant here", o->symbol);
    return o->variable->address + (uint64_t)o->value;
}

/* ---- special registers ---- */

static const struct {
    const char *name;
    uint8_t kind;
} specials[] = {
    {"%clock", SPECIAL_CLOCK},
    {"%clock_hi", SPECIAL_CLOCK_HI},
    {"%clock64", SPECIAL_CLOCK64},
    {"%globaltimer", SPECIAL_GLOBALTIMER},
    {"%globaltimer_lo", SPECIAL_GLOBALTIMER_LO},
    {"%globaltimer_hi", SPECIAL_GLOBALTIMER_HI},
    {"%warpid", SPECIAL_WARPID},
    {"%smid", SPECIAL_SMID},
    {"%gridid", SPECIAL_GRIDID},
    {"%ctaid.x", SPECIAL_CTAID_X},
    {"%ctaid.y", SPECIAL_CTAID_Y},
    {"%ctaid.z", SPECIAL_CTAID_Z},
    {"%clusterid.x", SPECIAL_CLUSTERID_X},
    {"%clusterid.y", SPECIAL_CLUSTERID_Y},
    {"%clusterid.z", SPECIAL_CLUSTERID_Z},
    {"%cluster_ctaid.x", SPECIAL_CLUSTER_CTAID_X},
    {"%cluster_ctaid.y", SPECIAL_CLUSTER_CTAID_Y},
    {"%cluster_ctaid.z", SPECIAL_CLUSTER_CTAID_Z},
    {"%cluster_ctarank", SPECIAL_CLUSTER_CTARANK},
};

/* Vectors that are the same for every block of a launch are filled when a frame is made. */
static const struct {
    const char *name;
    enum frame_special special;
} fixed[] = {
    {"%tid.x", FRAME_TID_X},
    {"%tid.y", FRAME_TID_Y},
    {"%tid.z", FRAME_TID_Z},
    {"%ntid.x", FRAME_NTID_X},
    {"%ntid.y", FRAME_NTID_Y},
    {"%ntid.z", FRAME_NTID_Z},
    {"%nctaid.x", FRAME_NCTAID_X},
    {"%nctaid.y", FRAME_NCTAID_Y},
    {"%nctaid.z", FRAME_NCTAID_Z},
    {"%laneid", FRAME_LANEID},
    {"%lanemask_eq", FRAME_LANEMASK_EQ},
    {"%lanemask_lt", FRAME_LANEMASK_LT},
    {"%lanemask_le", FRAME_LANEMASK_LE},
    {"%lanemask_gt", FRAME_LANEMASK_GT},
    {"%lanemask_ge", FRAME_LANEMASK_GE},
    {"%nwarpid", FRAME_NWARPID},
    {"%nsmid", FRAME_NSMID},
    {"%dynamic_smem_size", FRAME_DYNAMIC_SHARED},
    {"%total_smem_size", FRAME_TOTAL_SHARED},
    {"%aggr_smem_size", FRAME_AGGREGATE_SHARED},
    {"%cluster_nctaid.x", FRAME_CLUSTER_NCTAID_X},
    {"%cluster_nctaid.y", FRAME_CLUSTER_NCTAID_Y},
    {"%cluster_nctaid.z", FRAME_CLUSTER_NCTAID_Z},
    {"%cluster_nctarank", FRAME_CLUSTER_NCTARANK},
    {"%nclusterid.x", FRAME_NCLUSTERID_X},
    {"%nclusterid.y", FRAME_NCLUSTERID_Y},
    {"%nclusterid.z", FRAME_NCLUSTERID_Z},
    {"%envreg1", FRAME_GRID_WORKSPACE_HIGH}, /* how the driver passes it to cooperative groups */
    {"%envreg2", FRAME_GRID_WORKSPACE_LOW},
};

/* Special registers that are the same in every launch: the fourth element of vectors is 0, and the bounds of the
 * part of shared memory that the system reserves. */
static const struct {
    const char *name;
    uint32_t value;
} constants[] = {
    {"%tid.w", 0},
    {"%ntid.w", 0},
    {"%ctaid.w", 0},
    {"%nctaid.w", 0},
    {"%reserved_smem_offset_begin", 0},
    {"%reserved_smem_offset_end", LIMIT_SHARED_RESERVED},
    {"%reserved_smem_offset_cap", LIMIT_SHARED_RESERVED},
    {"%reserved_smem_offset_0", 0},
    {"%reserved_smem_offset_1", LIMIT_SHARED_RESERVED / 2},
};

static unsigned special_bits(const char *name) {
    static const char *const wide[] = {"%clock64", "%globaltimer", "%gridid", "%current_graph_exec"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strcmp(name, wide[i]) == 0)
            return 64;
    if (strcmp(name, "%is_explicit_cluster") == 0)
        return 1;
    return strncmp(name, "%pm", 3) == 0 && strstr(name, "_64") ? 64 : 32;
}

static bool is_numbered(const char *name, const char *base, unsigned count, const char *end) {
    size_t n = strlen(base);
    char *rest;
    if (strncmp(name, base, n) != 0 || name[n] < '0' || name[n] > '9')
        return false;
    return strtoul(name + n, &rest, 10) < count && strcmp(rest, end) == 0;
}

/* Registers that the driver, a profiler or a graph would set: they are not set here. */
static bool is_environment(const char *name) {
    return is_numbered(name, "%envreg", 32, "") || is_numbered(name, "%pm", 8, "") ||
           is_numbered(name, "%pm", 8, "_64") || strcmp(name, "%current_graph_exec") == 0;
}

uint32_t decode_fixed_special(struct decoder *d, const char *name) {
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(name, constants[i].name) == 0)
            return decode_constant(d, 32, constants[i].value);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(name, fixed[i].name) == 0)
            return decode_constant(d, FRAME_SPECIAL, fixed[i].special);
    if (is_environment(name))
        return decode_constant(d, special_bits(name), 0);
    return ~0u;
}

/* Emits the instruction that reads a special register whose value changes. False if there is none of that name. */
static bool emit_special(struct decoder *d, const char *name, uint32_t slot) {
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(name, specials[i].name) == 0) {
            struct insn *in = decode_emit(d, op_special);
            in->op[0] = slot;
            in->kind = specials[i].kind;
            d->kernel->reads_clock |= in->kind <= SPECIAL_CLOCK64;
            return true;
        }
    bool explicit_cluster = strcmp(name, "%is_explicit_cluster") == 0;
    if (explicit_cluster)
        decode_emit(d, op_cluster_explicit)->op[0] = slot;
    return explicit_cluster;
}

/* ---- sources and destinations ---- */

uint64_t decode_float_bits(const struct ptx_operand *o, unsigned bits) {
    uint64_t value = (uint64_t)o->value;
    if (o->float_bits == 64 && bits == 32) { /* a decimal constant: PTX reads it as a double */
        double wide;
        memcpy(&wide, &value, sizeof wide);
        float narrow = (float)wide;
        value = 0;
        memcpy(&value, &narrow, sizeof narrow);
    }
    return value;
}

static uint32_t negated(struct decoder *d, uint32_t slot) {
    uint32_t copy = decode_frame(d, 4, 4);
    struct insn *in = decode_emit(d, op_not_pred);
    in->op[0] = copy;
    in->op[1] = slot;
    in->flags = INSN_PSEUDO;
    return copy;
}

static void emit_widen(struct decoder *d, uint32_t to, unsigned to_bits, uint32_t from, unsigned from_bits,
                       bool is_signed) {
    struct insn *in = decode_emit(d, op_widen);
    in->op[0] = to;
    in->op[1] = from;
    in->kind = WIDEN(from_bits / 8, to_bits / 8, is_signed);
    in->flags = INSN_PSEUDO;
}

/* A special register, narrowed where that is requested (mov.u16 of %tid.x); a wider one may not be requested. */
static uint32_t special_source(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    unsigned have = special_bits(o->symbol);
    uint32_t slot = decode_fixed_special(d, o->symbol);
    if (slot == ~0u) {
        slot = decode_frame(d, 8 * WARP_SIZE, 64);
        if (!emit_special(d, o->symbol, slot))
            decode_fail(d, "special register '%s' is not supported", o->symbol);
    }
    if (have == bits)
        return slot;
    if (bits > have || bits < 16)
        decode_fail(d, "special register '%s' has %u bits, and '%s' needs %u", o->symbol, have, d->at->opcode, bits);
    uint32_t part = decode_frame(d, bits / 8 * WARP_SIZE, 64);
    emit_widen(d, part, bits, slot, have, false);
    return part;
}

/* r + 1, as an operand that is a value. */
static uint32_t sum_source(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    struct ptx_operand plain = *o;
    plain.value = 0;
    const struct form *add = form_find(bits == 64 ? "add.s64" : bits == 32 ? "add.s32" : "add.s16");
    if (bits < 16 || bits > 64 || o->negated)
        decode_fail(d, "'%s' cannot take register '%s' with an offset", d->at->opcode, o->reg->name);
    uint32_t x = decode_source(d, &plain, bits), y = decode_constant(d, bits, (uint64_t)o->value);
    uint32_t slot = decode_frame(d, bits / 8 * WARP_SIZE, 64);
    struct insn *in = decode_emit(d, add->handler);
    in->op[0] = slot;
    in->op[1] = x;
    in->op[2] = y;
    return slot;
}

static uint32_t register_source(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    unsigned have = register_bits(o->reg);
    if (o->value)
        return sum_source(d, o, bits);
    if (o->selector || (o->negated && have != 1))
        decode_fail(d, "'%s' cannot use a part or the negation of register '%s'", d->at->opcode, o->reg->name);
    if (have == bits)
        return o->negated ? negated(d, o->reg->slot) : o->reg->slot;
    if (have == 1 || bits == 1)
        decode_fail(d, "register '%s' has the wrong type for '%s'", o->reg->name, d->at->opcode);
    uint32_t slot = decode_frame(d, bits / 8 * WARP_SIZE, 64);
    emit_widen(d, slot, bits, o->reg->slot, have, false);
    return slot;
}

/* The width of a vector's elements when the whole is one operand. */
static unsigned part_bits(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    unsigned part = o->count ? bits / o->count : 0;
    if (part * o->count != bits || (part != 8 && part != 16 && part != 32 && part != 64))
        decode_fail(d, "'%s' cannot take %u elements as one operand", d->at->opcode, o->count);
    return part;
}

/* A vector as one wide source: mov.b64 %rd, {%r1, %r2} and the b128 operands of cas. */
static uint32_t packed_source(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    unsigned part = part_bits(d, o, bits);
    uint32_t slot = decode_frame(d, bits / 8 * WARP_SIZE, 64);
    for (unsigned i = 0; i < o->count; i++) {
        uint32_t from = part == 8 ? decode_source(d, &o->items[i], 16) : decode_source(d, &o->items[i], part);
        struct insn *in = decode_emit(d, op_insert);
        in->op[0] = slot;
        in->op[1] = from;
        in->kind = WIDEN(part / 8, bits / 8, 0);
        in->imm = i;
        in->flags = INSN_PSEUDO;
    }
    return slot;
}

/* The address of a variable: an address of shared memory differs between the blocks of a cluster. */
static uint32_t symbol_source(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    bool shared = o->variable && o->variable->space == SPACE_SHARED && (bits == 32 || bits == 64);
    unsigned kind = !shared ? bits : bits == 32 ? FRAME_SHARED_32 : FRAME_SHARED_64;
    return decode_constant(d, kind, decode_symbol(d, o));
}

uint32_t decode_source(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    switch (o->kind) {
    case OPERAND_REGISTER:
        return register_source(d, o, bits);
    case OPERAND_INTEGER:
        return decode_constant(d, bits, bits == 1 ? (o->value ? FULL_MASK : 0) : (uint64_t)o->value);
    case OPERAND_FLOAT:
        return decode_constant(d, bits, decode_float_bits(o, bits));
    case OPERAND_SPECIAL:
        return special_source(d, o, bits);
    case OPERAND_SYMBOL:
        return symbol_source(d, o, bits);
    case OPERAND_VECTOR:
        return packed_source(d, o, bits);
    default:
        decode_fail(d, "an operand of '%s' is not valid", d->at->opcode);
    }
}

uint32_t decode_destination(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    if (o->kind == OPERAND_SINK)
        return bits == 1 ? d->trash_predicate : decode_trash(d);
    if (o->kind == OPERAND_VECTOR)
        return decode_frame(d, bits / 8 * WARP_SIZE, 64);
    if (o->kind != OPERAND_REGISTER || o->selector || o->negated)
        decode_fail(d, "the destination of '%s' is not a register", d->at->opcode);
    unsigned have = register_bits(o->reg);
    if (have == bits)
        return o->reg->slot;
    if (have == 1 || bits == 1 || have < bits)
        decode_fail(d, "register '%s' has the wrong type for '%s'", o->reg->name, d->at->opcode);
    return decode_frame(d, bits / 8 * WARP_SIZE, 64);
}

void decode_destination_done(struct decoder *d, const struct ptx_operand *o, unsigned bits, uint32_t slot,
                             bool is_signed) {
    if (o->kind == OPERAND_VECTOR) {
        unsigned part = part_bits(d, o, bits);
        for (unsigned i = 0; i < o->count; i++) {
            if (o->items[i].kind == OPERAND_SINK)
                continue;
            if (o->items[i].kind != OPERAND_REGISTER || register_bits(o->items[i].reg) != (part == 8 ? 16 : part))
                decode_fail(d, "element %u of the destination of '%s' is not a register of %u bits", i, d->at->opcode,
                            part);
            struct insn *in = decode_emit(d, op_extract);
            in->op[0] = o->items[i].reg->slot;
            in->op[1] = slot;
            in->kind = WIDEN(bits / 8, part / 8, 0);
            in->imm = i;
            in->flags = INSN_PSEUDO;
        }
    } else if (o->kind == OPERAND_REGISTER && register_bits(o->reg) != bits) {
        emit_widen(d, o->reg->slot, register_bits(o->reg), slot, bits, is_signed);
    }
}

/* ---- mov ---- */

/* The address of a local variable differs between activations: depot + offset. */
static bool mov_local(struct decoder *d, const struct ptx_insn *p) {
    const struct ptx_operand *source = &p->operands[1];
    if (source->kind != OPERAND_SYMBOL || !source->variable || source->variable->space != SPACE_LOCAL)
        return false;
    unsigned bits = register_bits(p->operands[0].reg);
    uint32_t slot = decode_destination(d, &p->operands[0], bits);
    struct insn *in = decode_emit(d, op_local_address);
    in->op[0] = slot;
    in->op[1] = d->function->depot_slot;
    in->imm = (int64_t)source->variable->address + source->value;
    in->kind = (uint16_t)bits;
    return true;
}

/* A move is the same for all types of a width. */
static const struct form *move_form(unsigned bits) {
    switch (bits) {
    case 1:
        return form_find("mov.pred");
    case 16:
        return form_find("mov.b16");
    case 32:
        return form_find("mov.b32");
    case 64:
        return form_find("mov.b64");
    case 128:
        return form_find("mov.b128");
    default:
        return NULL;
    }
}

bool decode_mov(struct decoder *d, const struct ptx_insn *p) {
    if (p->operand_count != 2)
        return false;
    const struct ptx_operand *to = &p->operands[0], *from = &p->operands[1];
    if (to->kind == OPERAND_REGISTER && mov_local(d, p))
        return true;
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    if (to->kind == OPERAND_REGISTER && from->kind == OPERAND_SPECIAL && bits == register_bits(to->reg) &&
        bits == special_bits(from->symbol) && emit_special(d, from->symbol, to->reg->slot))
        return true;
    const struct form *form = move_form(bits);
    if (!form)
        decode_fail(d, "'%s' is not supported", p->opcode);
    uint32_t source = decode_source(d, from, bits), slot = decode_destination(d, to, bits);
    struct insn *in = decode_emit(d, form->handler);
    in->op[0] = slot;
    in->op[1] = source;
    in->extra = form;
    in->flags = INSN_FORM;
    decode_destination_done(d, to, bits, slot, false);
    return true;
}
