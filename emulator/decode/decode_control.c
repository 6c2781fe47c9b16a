/* Decoding control-flow instructions: branches, calls, exits and barriers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "memory/memory.h"
#include "ops/stack.h"
#include "ops/warp_wide.h"
#include "ops/control.h"
#include "ops/call.h"

bool decode_branch(struct decoder *d, const struct ptx_insn *p) {
    if (p->operand_count != 1 || p->operands[0].kind != OPERAND_SYMBOL)
        decode_fail(d, "'%s' needs a label", p->opcode);
    struct insn *in = decode_emit(d, p->predicate ? op_branch_if : op_branch);
    if (p->predicate) {
        in->op[0] = p->predicate->slot;
        in->kind = p->predicate_negated;
        in->flags = INSN_BRANCH;
    }
    decode_patch(d, p->operands[0].symbol, NULL);
    return true;
}

static const struct ptx_prototype *prototype(struct decoder *d, const char *label) {
    const struct ptx_function *f = d->function->ptx;
    for (const struct ptx_prototype *t = f->module->prototypes; label && t; t = t->next)
        if (t->label == label && t->function == f)
            return t;
    decode_fail(d, "'%s' is not declared", label ? label : d->at->opcode);
}

bool decode_branch_table(struct decoder *d, const struct ptx_insn *p) {
    const struct ptx_prototype *t = prototype(d, p->operands[1].symbol);
    struct branch_table *table = arena_alloc(d->arena, sizeof *table + t->target_count * sizeof *table->insns);
    uint32_t index = decode_source(d, &p->operands[0], 32);
    table->count = (uint32_t)t->target_count;
    struct insn *in = decode_emit(d, op_branch_table);
    in->op[0] = index;
    in->extra = table;
    in->flags = INSN_BRANCH;
    for (size_t i = 0; i < t->target_count; i++)
        decode_patch(d, t->targets[i], &table->insns[i]);
    return true;
}

/* ---- calls ---- */

static uint32_t frame_place(struct decoder *d, const struct ptx_operand *o, uint32_t *bytes) {
    if (!o->variable || o->variable->space != SPACE_PARAM)
        decode_fail(d, "an argument of '%s' is not a .param variable", d->at->opcode);
    *bytes = ((uint32_t)o->variable->size + 15) & ~15u;
    return (uint32_t)o->variable->address;
}

/* Pairs the caller's parameters with the callee's: to it for arguments, from it for results. */
static struct argument *pair(struct decoder *d, const struct ptx_operand *list, const struct ptx_variable *formal,
                             bool results, uint32_t *count) {
    unsigned n = list ? list->count : 0;
    struct argument *pairs = arena_alloc(d->arena, (n + 1) * sizeof *pairs);
    for (unsigned i = 0; i < n; i++) {
        uint32_t bytes, own = frame_place(d, &list->items[i], &bytes), other = 0;
        if (formal) {
            other = (uint32_t)formal->address;
            if ((((uint32_t)formal->size + 15) & ~15u) != bytes)
                decode_fail(d, "argument %u of the call and the function's parameter differ in size", i + 1);
            formal = formal->next;
        }
        pairs[i] = results ? (struct argument){other, own, bytes} : (struct argument){own, other, bytes};
    }
    *count = n;
    return pairs;
}

struct call {
    const struct ptx_operand *results, *target, *arguments;
    const char *prototype;
};

static struct call call_operands(struct decoder *d, const struct ptx_insn *p) {
    struct call c = {0};
    unsigned i = 0;
    if (i < p->operand_count && p->operands[i].kind == OPERAND_LIST)
        c.results = &p->operands[i++];
    if (i == p->operand_count)
        decode_fail(d, "'%s' does not name a function to call", p->opcode);
    c.target = &p->operands[i++];
    if (i < p->operand_count && p->operands[i].kind == OPERAND_LIST)
        c.arguments = &p->operands[i++];
    if (i < p->operand_count && p->operands[i].kind == OPERAND_SYMBOL)
        c.prototype = p->operands[i].symbol;
    return c;
}

static void fill_site(struct decoder *d, struct call_site *site, const struct call *c, struct function *callee) {
    site->callee = callee;
    site->arguments = pair(d, c->arguments, callee ? callee->ptx->params : NULL, false, &site->argument_count);
    site->results = pair(d, c->results, callee ? callee->ptx->returns : NULL, true, &site->result_count);
}

/* Two calls agree when their parameters have the same sizes: what an indirect call may reach. */
static bool same_sizes(const struct ptx_operand *list, const struct ptx_variable *formal) {
    for (unsigned i = 0; list && i < list->count; i++, formal = formal->next)
        if (!formal || !list->items[i].variable || formal->size != list->items[i].variable->size)
            return false;
    return formal == NULL;
}

static void candidates(struct decoder *d, struct call_site *site, const struct call *c) {
    site->candidates = arena_alloc(d->arena, d->function_count * sizeof *site->candidates);
    for (uint32_t i = 1; i < d->function_count; i++) {
        struct function *f = d->functions[i];
        if (same_sizes(c->arguments, f->ptx->params) && same_sizes(c->results, f->ptx->returns))
            fill_site(d, &site->candidates[site->candidate_count++], c, f);
    }
}

static void landing(struct decoder *d, struct call_site *site) {
    decode_emit(d, op_label)->flags = INSN_PSEUDO; /* lanes that return at different times meet here */
    struct insn *in = decode_emit(d, op_call_landing);
    in->extra = site;
    in->flags = INSN_PSEUDO;
}

static struct function *function_of(struct decoder *d, const struct ptx_function *ptx) {
    for (uint32_t i = 0; i < d->function_count; i++)
        if (d->functions[i]->ptx == ptx)
            return d->functions[i];
    return NULL;
}

static void call_indirect(struct decoder *d, struct call_site *site, const struct call *c) {
    candidates(d, site, c);
    uint32_t target = decode_source(d, c->target, 64);
    struct insn *in = decode_emit(d, op_call_indirect);
    in->op[0] = target;
    in->extra = site;
    in->flags = INSN_BACKWARD;
    landing(d, site);
}

static void call_builtin(struct decoder *d, struct call_site *site, const struct call *c) {
    const char *name = c->target->symbol ? c->target->symbol : "";
    handler_fn builtin = builtin_find(name);
    if (!builtin)
        decode_undefined(d, "function", *name ? name : "?");
    fill_site(d, site, c, NULL);
    struct insn *in = decode_emit(d, builtin);
    in->extra = site;
    in->effect = EFFECT_BUILTIN;
}

bool decode_call(struct decoder *d, const struct ptx_insn *p) {
    struct call c = call_operands(d, p);
    struct call_site *site = arena_alloc(d->arena, sizeof *site);
    const struct ptx_function *ptx = c.target->function;
    if (c.target->kind == OPERAND_REGISTER) {
        call_indirect(d, site, &c);
    } else if (!ptx || ptx->external) {
        call_builtin(d, site, &c);
    } else {
        fill_site(d, site, &c, function_of(d, ptx));
        struct insn *in = decode_emit(d, op_call);
        in->extra = site;
        in->flags = INSN_BACKWARD;
        landing(d, site);
    }
    return true;
}

bool decode_return(struct decoder *d, const struct ptx_insn *p) {
    (void)p;
    decode_emit(d, d->function->ptx->entry ? op_exit : op_return)->extra = d->function;
    return true;
}

/* An instruction that is one operation and has no operands, or none that matter. */
#define DECODE_AS(name, operation)                                                                                     \
    bool decode_##name(struct decoder *d, const struct ptx_insn *p) {                                                  \
        (void)p;                                                                                                       \
        decode_emit(d, operation);                                                                                     \
        return true;                                                                                                   \
    }
DECODE_AS(exit, op_exit)
DECODE_AS(trap, op_trap)
DECODE_AS(fence, op_fence)
DECODE_AS(nanosleep, op_nanosleep)
DECODE_AS(nothing, op_nothing)

/* setmaxnreg: registers are not counted here, but anything that ptxas refuses is refused. */
bool decode_max_registers(struct decoder *d, const struct ptx_insn *p) {
    int64_t count = p->operand_count && p->operands[0].kind == OPERAND_INTEGER ? p->operands[0].value : 0;
    if (!opcode_has(p->opcode, "inc") && !opcode_has(p->opcode, "dec"))
        decode_fail(d, "'%s' is neither .inc nor .dec", p->opcode);
    if (count < 24 || count > 256 || count % 8)
        decode_fail(d, "'%s' needs a multiple of 8 from 24 to 256, not %lld", p->opcode, (long long)count);
    decode_emit(d, op_nothing);
    return true;
}

/* ---- barriers ---- */

static void barrier(struct decoder *d, const struct ptx_insn *p, bool aligned) {
    bool arrive = opcode_has(p->opcode, "arrive"), red = opcode_has(p->opcode, "red");
    bool popc = opcode_has(p->opcode, "popc");
    unsigned kind = !red                           ? (arrive ? BARRIER_ARRIVE : BARRIER_SYNC)
                    : popc                         ? BARRIER_RED_POPC
                    : opcode_has(p->opcode, "and") ? BARRIER_RED_AND
                                                   : BARRIER_RED_OR;
    unsigned at = red ? 1 : 0, last = p->operand_count - (red ? 1u : 0u);
    if (p->operand_count <= at)
        decode_fail(d, "'%s' needs a barrier number", p->opcode);
    uint32_t slots[4] = {0};
    slots[1] = decode_source(d, &p->operands[at], 32);
    slots[2] = at + 1 < last ? decode_source(d, &p->operands[at + 1], 32) : decode_constant(d, 32, 0);
    if (red) {
        slots[0] = decode_destination(d, &p->operands[0], popc ? 32 : 1);
        slots[3] = decode_source(d, &p->operands[p->operand_count - 1], 1);
    }
    bool all =
        kind == BARRIER_SYNC && at + 1 >= last && p->operands[at].kind == OPERAND_INTEGER && !p->operands[at].value;
    struct insn *in = decode_emit(d, all ? op_barrier_all : op_barrier);
    memcpy(in->op, slots, sizeof slots);
    in->kind = (uint16_t)(kind | (aligned ? 0 : BARRIER_UNALIGNED));
    in->flags = INSN_BARRIER;
    if (red) { /* the result is available only when all have arrived: read it after the barrier */
        struct insn *result = decode_emit(d, op_barrier_result);
        memcpy(result->op, slots, sizeof slots);
        result->kind = (uint16_t)kind;
        result->flags = INSN_PSEUDO;
    }
}

bool decode_barrier(struct decoder *d, const struct ptx_insn *p) {
    if (opcode_has(p->opcode, "cluster"))
        return false;
    barrier(d, p, opcode_has(p->opcode, "aligned"));
    return true;
}

bool decode_barrier_aligned(struct decoder *d, const struct ptx_insn *p) {
    barrier(d, p, true);
    return true;
}

bool decode_warp_barrier(struct decoder *d, const struct ptx_insn *p) {
    uint32_t members = decode_source(d, &p->operands[0], 32);
    struct insn *in = decode_emit(d, op_bar_warp_sync);
    in->op[0] = members;
    in->flags = INSN_WARP_BARRIER;
    return true;
}

/* ---- the stack ---- */

static void take_stack(struct decoder *d, handler_fn handler, uint32_t first, uint32_t second, int64_t align) {
    struct insn *in = decode_emit(d, handler);
    in->op[0] = first;
    in->op[1] = second;
    in->imm = align;
    in->kind = ptx_type_bits[opcode_type(d->at->opcode, 0)];
    d->kernel->has_stack = true;
}

/* alloca d, bytes {, alignment} */
bool decode_alloca(struct decoder *d, const struct ptx_insn *p) {
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    int64_t align = p->operand_count > 2 ? decode_immediate(d, &p->operands[2]) : 8;
    if (p->operand_count < 2 || align < 1 || align > 4096 || (align & (align - 1)))
        decode_fail(d, "'%s' needs a size, and an alignment that is a power of two", p->opcode);
    uint32_t size = decode_source(d, &p->operands[1], bits);
    take_stack(d, op_alloca, decode_destination(d, &p->operands[0], bits), size, align);
    return true;
}

bool decode_stacksave(struct decoder *d, const struct ptx_insn *p) {
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    if (p->operand_count != 1)
        return false;
    take_stack(d, op_stack_save, decode_destination(d, &p->operands[0], bits), 0, 0);
    return true;
}

bool decode_stackrestore(struct decoder *d, const struct ptx_insn *p) {
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    if (p->operand_count != 1)
        return false;
    take_stack(d, op_stack_restore, decode_source(d, &p->operands[0], bits), 0, 0);
    return true;
}
