/* Decoding loads, stores, atomics and address instructions. */
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/decode_async.h"
#include "memory/memory.h"
#include "ops/atomic.h"
#include "ops/cluster.h"
#include "ops/forms.h"
#include "ops/load_store.h"
#include "ops/control.h"

int64_t decode_cluster_window(const char *opcode) {
    return opcode_has(opcode, "shared::cluster") ? (int64_t)SHARED_WINDOW : 0;
}

static enum ptx_space space_of(const char *opcode) {
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{"global", SPACE_GLOBAL},
                  {"shared", SPACE_SHARED},
                  {"local", SPACE_LOCAL},
                  {"param", SPACE_PARAM},
                  {"const", SPACE_CONST}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (opcode_has(opcode, spaces[i].name))
            return spaces[i].space;
    return SPACE_GENERIC;
}

/* ptxas takes a variable's own space where an instruction names it without one. */
static bool names_other_space(const struct ptx_operand *o) {
    const struct ptx_variable *v = o->kind == OPERAND_ADDRESS && !o->reg ? o->variable : NULL;
    return v && (v->space == SPACE_SHARED || v->space == SPACE_LOCAL);
}

static struct access *new_access(struct decoder *d, const struct ptx_insn *p, enum access_kind kind) {
    static const char *const ordered[] = {"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"};
    struct access *a = arena_alloc(d->arena, sizeof *a);
    a->kind = (uint8_t)kind;
    a->space = (uint8_t)(decode_cluster_window(p->opcode) ? SPACE_GENERIC : space_of(p->opcode));
    a->type = (uint8_t)opcode_type(p->opcode, 0);
    a->bytes = (uint8_t)(ptx_type_bits[a->type] / 8);
    a->count = opcode_has(p->opcode, "v8") ? 8 : opcode_has(p->opcode, "v4") ? 4 : opcode_has(p->opcode, "v2") ? 2 : 1;
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++)
        a->ordered |= opcode_has(p->opcode, ordered[i]);
    a->slot = d->access_count++;
    if (!a->bytes)
        decode_fail(d, "'%s' has no type", p->opcode);
    return a;
}

/* A local variable's address: depot + offset. */
static void emit_local_address(struct decoder *d, const struct ptx_operand *o, uint32_t slot) {
    struct insn *in = decode_emit(d, op_local_address);
    in->op[0] = slot;
    in->op[1] = d->function->depot_slot;
    in->imm = (int64_t)o->variable->address + o->value;
    in->kind = 64;
}

int64_t decode_address(struct decoder *d, const struct ptx_operand *o, struct access *a) {
    if (o->kind != OPERAND_ADDRESS)
        decode_fail(d, "'%s' needs an address in brackets", d->at->opcode);
    if (o->reg) {
        a->address_reg = o->reg->slot;
        a->address_bits = ptx_type_bits[o->reg->type];
        if (a->address_bits != 32 && a->address_bits != 64)
            decode_fail(d, "register '%s' cannot hold an address", o->reg->name);
        return o->value;
    }
    if (!o->symbol)
        return o->value;
    if (o->variable && o->variable->space == SPACE_SHARED) {
        a->address_reg = decode_constant(d, FRAME_SHARED_32, 0);
        a->address_bits = 32;
    }
    if (!o->variable || o->variable->space != SPACE_LOCAL)
        return (int64_t)decode_symbol(d, o);
    a->address_reg = decode_frame(d, 8 * WARP_SIZE, 64);
    a->address_bits = 64;
    emit_local_address(d, o, a->address_reg);
    return 0;
}

static unsigned register_width(struct decoder *d, const struct ptx_operand *o, unsigned bits) {
    if (o->kind != OPERAND_REGISTER)
        return bits < 16 ? 16 : bits;
    unsigned have = ptx_type_bits[o->reg->type];
    if (have == 1 || have < bits)
        decode_fail(d, "register '%s' is too narrow for '%s'", o->reg->name, d->at->opcode);
    return have < 16 ? 16 : have;
}

/* The registers of an ld or st: one, or those of a vector. */
static void data_registers(struct decoder *d, const struct ptx_operand *o, struct access *a, bool load) {
    const struct ptx_operand *items = o->kind == OPERAND_VECTOR ? o->items : o;
    unsigned n = o->kind == OPERAND_VECTOR ? o->count : 1, bits = ptx_type_bits[a->type];
    if (n != a->count)
        decode_fail(d, "'%s' needs %u registers, not %u", d->at->opcode, a->count, n);
    unsigned width = bits < 16 ? 16 : bits;
    for (unsigned i = 0; i < n; i++)
        if (items[i].kind == OPERAND_REGISTER)
            width = register_width(d, &items[i], bits);
    a->reg_bits = (uint8_t)width;
    for (unsigned i = 0; i < n; i++)
        a->regs[i] = load ? decode_destination(d, &items[i], width) : decode_source(d, &items[i], width);
}

static bool is_kernel_param(const struct decoder *d, const struct ptx_variable *v) {
    for (const struct ptx_variable *p = d->kernel->ptx->params; p; p = p->next)
        if (p == v)
            return true;
    return false;
}

/* A parameter of a function call: a place in the frame. */
static void param_slot(struct decoder *d, const struct ptx_operand *o, struct access *a) {
    if (!o->variable || o->reg)
        decode_fail(d, "'%s' with a computed address is not supported in a function that is called", d->at->opcode);
    a->stride = ((uint32_t)o->variable->size + 15) & ~15u;
    a->address_reg = (uint32_t)o->variable->address;
    if (o->value < 0 || (uint64_t)o->value + (uint64_t)a->bytes * a->count > a->stride)
        decode_fail(d, "'%s' reaches beyond parameter '%s'", d->at->opcode, o->symbol);
}

static void load_or_store(struct decoder *d, const struct ptx_insn *p, bool load) {
    struct access *a = new_access(d, p, load ? ACCESS_LOAD : ACCESS_STORE);
    const struct ptx_operand *where = &p->operands[load ? 1 : 0], *data = &p->operands[load ? 0 : 1];
    bool in_frame = a->space == SPACE_PARAM && !where->reg && !is_kernel_param(d, where->variable);
    int64_t offset = where->value;
    if (p->operand_count < 2)
        decode_fail(d, "'%s' needs two operands", p->opcode);
    if (a->space == SPACE_GENERIC && !decode_cluster_window(p->opcode) && names_other_space(where))
        a->space = (uint8_t)where->variable->space;
    if (in_frame)
        param_slot(d, where, a);
    else
        offset = decode_address(d, where, a) + decode_cluster_window(p->opcode);
    data_registers(d, data, a, load);
    struct insn *in = decode_emit(d, in_frame ? memory_frame_operation(a) : memory_operation(a));
    if (!in->handler)
        decode_fail(d, "'%s' is not supported", p->opcode);
    in->imm = offset;
    in->extra = a;
    in->op[0] = a->regs[0];
    in->op[1] = a->address_reg;
    in->flags = in_frame || a->space == SPACE_PARAM ? 0 : INSN_MEMORY;
    in->effect = in_frame ? EFFECT_MOVE : a->space == SPACE_PARAM ? EFFECT_NONE : EFFECT_ACCESS;
}

bool decode_load(struct decoder *d, const struct ptx_insn *p) {
    load_or_store(d, p, true);
    return true;
}

bool decode_store(struct decoder *d, const struct ptx_insn *p) {
    load_or_store(d, p, false);
    return true;
}

bool decode_atomic(struct decoder *d, const struct ptx_insn *p) {
    struct access *a = new_access(d, p, ACCESS_ATOMIC);
    bool result = p->row->first == FIRST_WRITTEN;
    if (!atomic_operation(p->opcode, result, a))
        decode_fail(d, "'%s' is not supported", p->opcode);
    unsigned bits = ptx_type_bits[a->type], at = 0;
    a->reg_bits = (uint8_t)bits;
    for (unsigned i = 0; i < 8; i++)
        a->regs[i] = ~0u;
    const struct ptx_operand *to = &p->operands[0];
    if (result) {
        at = 1;
        if (to->kind == OPERAND_VECTOR && a->count > 1 && to->count != a->count)
            decode_fail(d, "'%s' needs %u registers, not %u", p->opcode, a->count, to->count);
        if (to->kind == OPERAND_VECTOR && a->count > 1)
            for (unsigned i = 0; i < to->count && i < 8; i++)
                a->regs[i] = decode_destination(d, &to->items[i], bits);
        else if (to->kind != OPERAND_SINK)
            a->regs[0] = decode_destination(d, to, bits);
    }
    if (p->operand_count < at + 2)
        decode_fail(d, "'%s' needs more operands", p->opcode);
    int64_t offset = decode_address(d, &p->operands[at], a) + decode_cluster_window(p->opcode);
    const struct ptx_operand *b = &p->operands[at + 1];
    if (a->count > 1 && (b->kind != OPERAND_VECTOR || b->count != a->count))
        decode_fail(d, "'%s' needs %u values", p->opcode, a->count);
    if (b->kind == OPERAND_VECTOR && a->count > 1) {
        for (unsigned i = 0; i < b->count && i < 8; i++)
            a->data[i] = decode_source(d, &b->items[i], bits);
        a->regs2[0] = a->data[0];
    } else {
        a->data[0] = a->regs2[0] = decode_source(d, b, bits);
    }
    if (p->operand_count > at + 2)
        a->regs2[1] = decode_source(d, &p->operands[at + 2], bits);
    struct insn *in = decode_emit(d, op_atomic);
    in->imm = offset;
    in->extra = a;
    in->flags = INSN_MEMORY;
    if (result && a->count == 1 && to->kind != OPERAND_SINK)
        decode_destination_done(d, to, bits, a->regs[0], false);
    return true;
}

/* ---- st.async, red.async: a store or a reduction, and its bytes arrive at an mbarrier ---- */

static void bytes_arrive(struct decoder *d, const struct ptx_insn *p) {
    if (p->operand_count != 3 || !opcode_has(p->opcode, "mbarrier::complete_tx::bytes"))
        decode_fail(d, "'%s' needs an mbarrier", p->opcode);
    unsigned count = opcode_has(p->opcode, "v4") ? 4 : opcode_has(p->opcode, "v2") ? 2 : 1;
    decode_arriving_bytes(d, &p->operands[2], count * ptx_type_bits[opcode_type(p->opcode, 0)] / 8);
}

static void need_cluster(struct decoder *d) {
    decode_emit(d, op_cluster_needed)->flags = INSN_PSEUDO;
}

bool decode_store_async(struct decoder *d, const struct ptx_insn *p) {
    need_cluster(d);
    load_or_store(d, p, false);
    bytes_arrive(d, p);
    return true;
}

/* The reduction is that of the same opcode without .async and the words that concern the mbarrier. */
bool decode_reduce_async(struct decoder *d, const struct ptx_insn *p) {
    const char *bytes = strstr(p->opcode, ".mbarrier::complete_tx::bytes");
    char opcode[64];
    if (!bytes)
        decode_fail(d, "'%s' is not supported", p->opcode);
    int length = snprintf(opcode, sizeof opcode, "%.*s%s%s", (int)strcspn(p->opcode, "."), p->opcode,
                          opcode_has(p->opcode, "shared") ? ".shared::cluster" : "",
                          bytes + strlen(".mbarrier::complete_tx::bytes"));
    struct ptx_insn reduction = *p;
    need_cluster(d);
    reduction.opcode = arena_intern(d->arena, opcode, (size_t)length);
    reduction.operand_count = 2;
    decode_atomic(d, &reduction);
    bytes_arrive(d, p);
    return true;
}

static uint64_t window_of(enum ptx_space space) {
    return space == SPACE_SHARED  ? SHARED_WINDOW
           : space == SPACE_LOCAL ? LOCAL_WINDOW
           : space == SPACE_PARAM ? PARAM_WINDOW
                                  : 0;
}

/* A register, or a variable's name: a local one's address is not a constant. */
static uint32_t address_source(struct decoder *d, const struct ptx_operand *o) {
    if (o->kind != OPERAND_SYMBOL || !o->variable || o->variable->space != SPACE_LOCAL)
        return decode_source(d, o, 64);
    uint32_t slot = decode_frame(d, 8 * WARP_SIZE, 64);
    emit_local_address(d, o, slot);
    return slot;
}

bool decode_cvta(struct decoder *d, const struct ptx_insn *p) {
    uint64_t window = window_of(space_of(p->opcode));
    uint32_t source = address_source(d, &p->operands[1]), slot = decode_destination(d, &p->operands[0], 64);
    struct insn *in = decode_emit(d, op_cvta);
    in->op[0] = slot;
    in->op[1] = source;
    in->imm = (int64_t)(opcode_has(p->opcode, "to") ? 0 - window : window);
    return true;
}

bool decode_isspacep(struct decoder *d, const struct ptx_insn *p) {
    handler_fn handler = opcode_has(p->opcode, "const")    ? op_isspacep_const
                         : opcode_has(p->opcode, "global") ? op_isspacep_global
                                                           : op_isspacep;
    uint32_t source = decode_source(d, &p->operands[1], 64), slot = decode_destination(d, &p->operands[0], 1);
    struct insn *in = decode_emit(d, handler);
    in->op[0] = slot;
    in->op[1] = source;
    in->imm = (int64_t)window_of(space_of(p->opcode));
    in->kind = in->imm == (int64_t)SHARED_WINDOW && !decode_cluster_window(p->opcode);
    return true;
}

/* CUDA no longer has variables of these types: no address belongs to one. */
bool decode_istypep(struct decoder *d, const struct ptx_insn *p) {
    if (p->operand_count != 2)
        return false;
    uint32_t never = decode_constant(d, 1, 0), slot = decode_destination(d, &p->operands[0], 1);
    struct insn *in = decode_emit(d, form_find("mov.pred")->handler);
    in->op[0] = slot;
    in->op[1] = never;
    return true;
}

bool decode_prefetch(struct decoder *d, const struct ptx_insn *p) {
    (void)p;
    decode_emit(d, op_nothing);
    return true;
}
