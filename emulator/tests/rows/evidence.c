#include "evidence.h"

#include <stdlib.h>
#include <string.h>

#include "check/probes.h"
#include "isa/instruction.h"
#include "machine/access.h"
#include "ops/async.h"
#include "ops/matrix.h"
#include "ops/stack.h"
#include "ops/texture_fetch.h"
#include "ops/warp_wide.h"
#include "ops/wgmma.h"
#include "tier/translator.h"

static const struct ptx_register *first_register(const struct ptx_insn *p) {
    const struct ptx_operand *o = p->operand_count ? &p->operands[0] : NULL;
    while (o && o->items && o->count && o->kind != OPERAND_ADDRESS)
        o = &o->items[0];
    return o && o->kind == OPERAND_REGISTER ? o->reg : NULL;
}

static bool is_product(handler_fn handler) {
    static const handler_fn products[] = {op_mma_float, op_mma_volta,        op_mma_double,        op_mma_integer,
                                          op_mma_bits,  op_mma_sparse_float, op_mma_sparse_integer};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (products[i] == handler)
            return true;
    return false;
}

static bool writes(const struct insn *in, handler_fn handler, uint32_t slot) {
    if (handler == op_stack_restore || handler == op_bar_warp_sync || in->effect == EFFECT_BRANCH_TABLE)
        return false; /* op[0] is a source */
    if (in->op[0] == slot)
        return true;
    if (in->effect == EFFECT_ACCESS)
        return ((const struct access *)in->extra)->regs[0] == slot;
    if (in->effect == EFFECT_TEXTURE || in->effect == EFFECT_SURFACE || in->effect == EFFECT_TEXTURE_QUERY)
        return ((const struct texture_access *)in->extra)->regs[0] == slot;
    if (is_product(handler))
        return ((const struct mma *)in->extra)->d_regs[0] == slot;
    if (handler == op_wgmma)
        return ((const struct wgmma *)in->extra)->d_regs[0] == slot;
    return false;
}

static void see_access(struct evidence *e, const struct insn *in) {
    const struct access *a = in->extra; /* all of these begin with it */
    if (in->effect == EFFECT_SURFACE)
        e->stores |= ((const struct texture_access *)in->extra)->store;
    if (in->effect != EFFECT_ACCESS && in->effect != EFFECT_MATRIX_ROWS && in->effect != EFFECT_TILE &&
        in->effect != EFFECT_DESCRIPTORS)
        return;
    e->loads |= a->kind == ACCESS_LOAD;
    e->stores |= a->kind == ACCESS_STORE;
    e->atomic |= a->kind == ACCESS_ATOMIC;
}

static void add(struct evidence *e, const struct kernel *k, const struct translator *t, uint32_t i) {
    const struct insn *in = &k->code.insns[i];
    const struct ptx_register *first = first_register(e->p);
    e->effects |= (uint64_t)1 << in->effect;
    e->probes |= (uint64_t)1 << k->probes->items[i].kind;
    e->notes_mask |= k->probes->items[i].kind == PROBE_WARP_SYNC && k->probes->items[i].flags & PROBE_NOTES_MASK;
    e->steps |= 1u << t->steps[i];
    e->form |= (in->flags & INSN_FORM) != 0;
    e->reduces |= in->effect == EFFECT_BULK_WRITE && ((const struct bulk *)in->extra)->reduces;
    e->first_is_register = first != NULL;
    e->first_written |= first && writes(in, probes_handler(k, in), first->slot);
    e->first_updated |= probes_handler(k, in) == op_wgmma;
    see_access(e, in);
}

/* Of what stands around a statement the family says nothing. */
static bool begins_with(const char *statement, const char *opcode) {
    size_t n = strlen(opcode);
    statement += strspn(statement, "{ ");
    return strncmp(statement, opcode, n) == 0 && strchr(" ;", statement[n]);
}

void evidence_of(struct kernel *kernel, const char *statement, const char *family,
                 void (*see)(const struct evidence *)) {
    uint32_t n = kernel->code.count;
    struct translator *t = calloc(1, sizeof *t);
    if (!t || !(t->steps = calloc(n, 1)) || !(t->names = calloc(n, sizeof *t->names)))
        abort();
    t->k = kernel;
    steps_classify(t);
    probes_of(kernel);
    for (uint32_t i = 0; i < n;) {
        struct evidence e = {.p = kernel->code.sources[i], .family = ""};
        uint32_t end = i;
        do
            add(&e, kernel, t, end);
        while (++end < n && kernel->code.sources[end] == e.p);
        if (e.p && e.p->opcode) {
            e.family = begins_with(statement, e.p->opcode) ? family : "";
            see(&e);
        }
        i = end;
    }
    free(t->steps);
    free((void *)t->names);
    free(t);
}
