/* The second tier's classification of each decoded instruction. */
#include <string.h>

#include "isa/instruction.h"
#include "machine/operation.h"
#include "ops/load_store.h"
#include "ptx/opcode.h"
#include "tier/translator.h"

extern const struct operation_name __start_operations[] __attribute__((weak, visibility("hidden"))),
    __stop_operations[] __attribute__((weak, visibility("hidden")));

/* Operations that do not become vector code would make their whole region slow. */
static bool may_be_compiled(const struct ptx_insn *p) {
    enum ptx_type type = opcode_type(p->opcode, 0);
    bool wide = type == TYPE_U64 || type == TYPE_S64;
    return p->row->compiling == COMPILED_LANES || (p->row->compiling == COMPILED_NARROW && !wide);
}

static const char *lane_name(const struct kernel *k, const struct insn *in) {
    if (!(in->flags & INSN_FORM) || strchr(((const struct form *)in->extra)->operands, 'q') ||
        !may_be_compiled(k->code.sources[in->index]))
        return NULL;
    /* The operation's name from its address: a table that the macros of ops/ fill when the library is linked.
     * Operations with 128-bit operands (q) do not fit the frame of one lane. */
    for (const struct operation_name *o = __start_operations; o < __stop_operations; o++)
        if (o->handler == in->handler)
            return o->name;
    return NULL;
}

bool steps_fast_memory(const struct insn *in, char name[static 32]) {
    return in->flags & INSN_MEMORY && memory_operation(in->extra) == in->handler && memory_fast_name(in->extra, name);
}

static bool is_fast_memory(const struct kernel *k, const struct insn *in) {
    const struct ptx_insn *p = k->code.sources[in->index];
    char name[32];
    return p && p->opcode && p->row->compiling == COMPILED_ACCESS && steps_fast_memory(in, name);
}

void steps_classify(struct translator *t) {
    const struct insn *code = t->k->code.insns;
    uint32_t n = t->k->code.count;
    char name[32];
    for (uint32_t i = 0; i < n; i++) {
        t->names[i] = lane_name(t->k, &code[i]);
        t->steps[i] = t->names[i]                          ? STEP_LANES
                      : is_fast_memory(t->k, &code[i])     ? STEP_MEMORY
                      : probed_name(t->k, &code[i], name)  ? STEP_PROBED
                      : code[i].effect == EFFECT_LABEL     ? STEP_LABEL
                      : code[i].effect == EFFECT_BRANCH    ? STEP_BRANCH
                      : code[i].effect == EFFECT_BRANCH_IF ? STEP_BRANCH_IF
                                                           : STEP_OTHER;
    }
    for (uint32_t i = 0; i + 1 < n; i++)
        if (code[i].effect == EFFECT_PREDICATE) {
            /* Decode has put the predicate before the instruction that it guards; the two are one step. An
             * instruction that does not compute in lanes (a predicated load or store) is executed by the
             * predicate's own handler. */
            t->steps[i] = t->steps[i + 1] == STEP_LANES ? STEP_PREDICATE : STEP_OTHER;
            t->steps[i + 1] = STEP_INSIDE;
        }
}

unsigned steps_operands(const struct insn *in, struct operand out[INSN_OPERANDS]) {
    unsigned n = 0, k = 0;
    const char *letters = ((const struct form *)in->extra)->operands;
    for (const char *c = letters; *c; c++) {
        /* h, w, l: registers of 16, 32 and 64 bits; W and P have a predicate as second destination; all other letters
         * are predicates. The first operand is the destination. */
        uint8_t bits = *c == 'h' ? 16 : *c == 'w' || *c == 'W' ? 32 : *c == 'l' ? 64 : 1;
        if (*c == 'i' || (!c[1] && in->flags & INSN_CONSTANT))
            continue; /* in insn.imm */
        out[n++] = (struct operand){in->op[k], bits, (uint8_t)k, c == letters};
        k++;
        if (*c == 'P' || *c == 'W') {
            out[n++] = (struct operand){in->op[k], 1, (uint8_t)k, true};
            k++;
        }
    }
    return n;
}
