/* Which shared variable, or which of the kernel's parameters, an address was computed from. Arrays are adjacent, so an
 * index past the end of one reaches the next without leaving the block's memory; the PTX still shows which one was
 * meant.
 *
 * Every register gets one of: nothing seen yet, no address, the address of one variable (or the pointer that one
 * parameter holds) plus something, or unknown. Copies, additions and conversions keep a variable; any other operation
 * on an address makes it unknown. */
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/probes.h"
#include "isa/instruction.h"
#include "ptx/opcode.h"

static const struct ptx_variable none, unknown; /* two records; NULL: nothing seen yet */

static const struct ptx_variable *join_origins(const struct ptx_variable *a, const struct ptx_variable *b) {
    /* The lattice's join: nothing seen yet, then one variable (or none), then unknown. */
    return !a || a == b ? b : !b ? a : &unknown;
}

/* An address plus an offset. */
static const struct ptx_variable *sum_origins(const struct ptx_variable *a, const struct ptx_variable *b) {
    if (a == &none || !a)
        return b;
    return b == &none || !b ? a : &unknown;
}

struct flow {
    const struct ptx_function *function;
    enum ptx_space space;               /* of the variables that are looked for: shared, or parameters */
    uint64_t pointers;                  /* parameters that hold one: a bit for each of the first 64 */
    const struct ptx_variable **values; /* by register number */
    bool changed;
};

static const struct ptx_variable *origin_of(const struct flow *f, const struct ptx_operand *o) {
    if (o->kind == OPERAND_REGISTER)
        return f->values[o->reg->number];
    if (f->space == SPACE_SHARED && (o->kind == OPERAND_SYMBOL || o->kind == OPERAND_ADDRESS))
        return o->variable && o->variable->space == SPACE_SHARED ? o->variable : &none;
    return &none;
}

static unsigned number_of(const struct ptx_function *f, const struct ptx_variable *v) {
    unsigned number = 1;
    for (const struct ptx_variable *p = f->params; p; p = p->next, number++)
        if (p == v)
            return number;
    return 0;
}

/* The result of a load: a pointer where it reads a parameter that is one, no address where it reads another
 * parameter. */
static const struct ptx_variable *fetched(const struct flow *f, const struct ptx_insn *p) {
    const struct ptx_operand *from = &p->operands[1];
    /* 32 bits are never an address here. 64 that were loaded may be one, of which nothing is known. */
    bool wide = ptx_type_bits[opcode_type(p->opcode, 0)] >= 64;
    if (!wide || f->space != SPACE_PARAM || !from->variable || from->variable->space != SPACE_PARAM || from->reg ||
        from->variable->size != 8)
        return wide ? &unknown : &none;
    unsigned number = number_of(f->function, from->variable);
    return number && number <= 64 && f->pointers >> (number - 1) & 1 ? from->variable : &none;
}

static bool is_no_address(const struct ptx_variable *v) {
    return !v || v == &none;
}

static const struct ptx_variable *unknown_if_any(const struct flow *f, const struct ptx_insn *p) {
    for (unsigned i = 1; i < p->operand_count; i++)
        if (!is_no_address(origin_of(f, &p->operands[i])))
            return &unknown;
    return &none;
}

static const struct ptx_variable *result_of(const struct flow *f, const struct ptx_insn *p) {
    const struct ptx_operand *o = p->operands;
    switch ((enum address_flow)p->row->address) {
    case ADDRESS_COPIED:
        return origin_of(f, &o[1]);
    case ADDRESS_SUM:
        return sum_origins(origin_of(f, &o[1]), origin_of(f, &o[2]));
    case ADDRESS_CHOICE:
        return join_origins(origin_of(f, &o[1]), origin_of(f, &o[2]));
    case ADDRESS_DIFFERENCE:
        return is_no_address(origin_of(f, &o[2])) ? origin_of(f, &o[1]) : &unknown;
    case ADDRESS_PRODUCT_SUM:
        return origin_of(f, &o[1]) == &none && origin_of(f, &o[2]) == &none ? origin_of(f, &o[3]) : &unknown;
    case ADDRESS_FETCHED:
        return fetched(f, p);
    default:
        return unknown_if_any(f, p);
    }
}

static void set_origin(struct flow *f, const struct ptx_register *r, const struct ptx_variable *v) {
    const struct ptx_variable *now = join_origins(f->values[r->number], v);
    f->changed |= now != f->values[r->number];
    f->values[r->number] = now;
}

static void visit_insn(struct flow *f, const struct ptx_insn *p) {
    if (!p->opcode || !p->operand_count)
        return;
    const struct ptx_operand *to = &p->operands[0];
    if (to->kind == OPERAND_REGISTER)
        set_origin(f, to->reg, result_of(f, p));
    for (unsigned i = 0; to->kind == OPERAND_VECTOR && i < to->count; i++)
        if (to->items[i].kind == OPERAND_REGISTER)
            set_origin(f, to->items[i].reg, &unknown);
}

static struct flow find_origins(const struct ptx_function *function, enum ptx_space space, uint64_t pointers) {
    struct flow f = {.function = function, .space = space, .pointers = pointers, .changed = true};
    f.values = zeroed(function->register_count + 1, sizeof *f.values);
    /* Without regard to control flow: a register has one value for all of the function, the join of all that is
     * written to it. Each can change twice at most (to a variable, to unknown), so this ends; nvcc's registers are
     * nearly all written once. */
    for (int round = 0; f.changed && round < 100; round++) {
        f.changed = false;
        for (size_t i = 0; i < function->insn_count; i++)
            visit_insn(&f, &function->insns[i]);
    }
    return f;
}

/* Only variables of the kernel itself: no other kernel places the variables that are declared in it. */
static bool is_own(const struct ptx_function *f, const struct ptx_variable *v) {
    for (const struct ptx_variable *own = f->variables; own; own = own->next)
        if (own == v)
            return v->space == SPACE_SHARED && v->size && !v->external;
    return false;
}

static const struct ptx_variable *address_origin(const struct flow *f, const struct ptx_insn *p) {
    for (unsigned i = 0; i < p->operand_count; i++) {
        const struct ptx_operand *o = &p->operands[i];
        if (o->kind == OPERAND_ADDRESS)
            return o->reg ? f->values[o->reg->number] : o->variable;
    }
    return NULL;
}

void probes_find_variables(const struct kernel *kernel, struct probes *probes) {
    const struct ptx_function *function = kernel->ptx;
    struct flow f = find_origins(function, SPACE_SHARED, 0);
    for (uint32_t i = 0; i < kernel->code.count; i++) {
        const struct ptx_insn *p = kernel->code.sources[i];
        if (probes->items[i].kind != PROBE_ACCESS || p < function->insns || p >= function->insns + function->insn_count)
            continue;
        const struct ptx_variable *v = address_origin(&f, p);
        if (is_own(function, v))
            probes->items[i].variable = v;
    }
    free(f.values);
}

unsigned probes_find_parameter(const struct kernel *kernel, const struct insn *in, uint64_t pointers) {
    const struct ptx_function *function = kernel->ptx;
    const struct ptx_insn *p = kernel->code.sources[in->index];
    if (!p || p < function->insns || p >= function->insns + function->insn_count)
        return 0;
    struct flow f = find_origins(function, SPACE_PARAM, pointers);
    unsigned number = number_of(function, address_origin(&f, p));
    free(f.values);
    return number;
}
