/* Translates a decoded kernel to C.
 *
 * The C function has the shape of the interpreter's loop, with the instructions' numbers as the cases of a switch. A
 * region of instructions that only compute becomes one loop over the lanes: a value that dies inside it never leaves
 * the machine's registers. Everything else (memory, barriers, calls, divergence) is done by the interpreter's own
 * handler, called from there; so a warp may change between the tiers at any instruction.
 *
 * There are two copies of everything: for a warp whose 32 lanes are together, and for any set of lanes. */
#include "tier/translate.h"

#include <stdlib.h>

#include "base/out_of_memory.h"
#include "decode/registers.h"
#include "tier/translator.h"

static uint32_t target_of(const struct translator *t, const struct insn *in) {
    /* A label only reconverges splits. The jump itself checks that (warp_goes_on), so its target is after the label. */
    const struct insn *to = in->target + (in->target->effect == EFFECT_LABEL);
    return (uint32_t)(to - t->k->code.insns);
}

/* The interpreter does instruction i; the warp continues here if it still has the same lanes and reaches instruction
 * `next`. */
static void emit_other(struct translator *t, uint32_t i, uint32_t next) {
    fprintf(t->out, " DO(%u, %u);\n", i, next);
}

void memory_emit_access(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    const struct access *a = in->extra;
    fprintf(t->out, "  static const uint32_t data[] = {");
    for (unsigned k = 0; k < a->count; k++)
        fprintf(t->out, "%u, ", a->regs[k]);
    fprintf(t->out, "};\n  const struct fast_access a = {%u, %u, ", a->address_reg, a->slot);
    if (may_be_address((uint64_t)in->imm))
        fprintf(t->out, "code[%u].imm, data};\n", i);
    else
        fprintf(t->out, "%lldll, data};\n", (long long)in->imm);
}

/* Addresses without a pattern are left to the interpreter, half a warp at a time. */
static void emit_memory(struct translator *t, uint32_t i) {
    char name[32];
    /* Fast paths are for whole warps. */
    if (!t->full) {
        counted_emit_other(t, i);
        emit_other(t, i, i + 1);
        return;
    }
    steps_fast_memory(&t->k->code.insns[i], name);
    fprintf(t->out, " {\n");
    memory_emit_access(t, i);
    if (t->counted)
        counted_emit_access(t, i);
    const char *as = t->counted ? "_as" : "", *low = t->counted ? ", low" : "", *high = t->counted ? ", high" : "";
    /* Each half by itself: 0 where its fast path has done it, else its lanes, which the handler does. */
    fprintf(t->out, "  const uint32_t rest = (fast_%s%s(w, a, 0%s) ? 0 : 0xffffu) | ", name, as, low);
    fprintf(t->out, "(fast_%s%s(w, a, 16%s) ? 0 : 0xffff0000u);\n", name, as, high);
    fprintf(t->out, "  if (rest) REST(%u, rest);\n%s }\n", i, t->counted ? "  }\n" : "");
}

/* Backward jumps go through the switch. A loop with several entries (by the jump and by the switch) would be
 * irreducible, and compilers leave the loops over lanes in such a one as they are. */
static void emit_jump(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    uint32_t to = target_of(t, in);
    /* Out of fuel: the interpreter's handler takes this jump, and yields. */
    if (in->flags & INSN_BACKWARD)
        fprintf(t->out, " if (w->fuel <= 1) LEAVE(%u);\n", i);
    /* Other splits exist: at the target this one may reconverge, or another one may be further back and have to run
     * first. */
    if (!t->full) {
        fprintf(t->out, " if (!warp_goes_on(w, code + %u)) {\n DO(%u, %u);\n", to, i, to);
        counted_emit_jump(t, i, to);
        fprintf(t->out, " GO(%u);\n }\n", to);
    }
    if (in->flags & INSN_BACKWARD)
        fprintf(t->out, " w->fuel--;\n");
    counted_emit_jump(t, i, to);
    if (in->flags & INSN_BACKWARD)
        fprintf(t->out, " GO(%u);\n", to);
    else
        fprintf(t->out, " goto L%u;\n", to);
}

static void emit_branch(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    fprintf(t->out, " {\n  const uint32_t taken = m & %s*(const uint32_t *)(r + %u);\n", in->kind ? "~" : "",
            in->op[0]);
    /* Some take it: the warp diverges, which the handler does. All: a jump. None: it continues, which for a warp with
     * several splits may again be a place where they reconverge. */
    fprintf(t->out, "  if (taken) {\n  if (taken != m) LEAVE(%u);\n", i);
    emit_jump(t, i);
    fprintf(t->out, t->full ? " }\n }\n" : " }\n if (!warp_goes_on(w, code + %u)) DO(%u, %u);\n }\n", i + 1, i, i + 1);
}

static void emit_function(struct translator *t) {
    uint32_t n = t->k->code.count;
    counted_emit_begin(t);
    fprintf(t->out,
            "static __attribute__((flatten)) const struct insn *run_%s(struct warp *w, const struct insn *in, const "
            "struct insn "
            "*const code) {\n const uint32_t m = %s;\n uint8_t *const r = w->regs;\n uint32_t pc = (uint32_t)(in - "
            "code);\n",
            t->full ? "whole" : "some", t->full ? "0xffffffffu" : "w->mask");
    counted_emit_path(t);
    /* Every beginning of a step is a case, since the interpreter may hand over a warp anywhere, and a label for forward
     * jumps. Instructions in the middle of a region are none: `default` lets the handler execute such a one. */
    fprintf(t->out, " for (;;) switch (pc) {\n");
    for (uint32_t i = 0; i < n;) {
        fprintf(t->out, " case %u: L%u: __attribute__((unused));\n", i, i);
        switch (t->steps[i]) {
        case STEP_LANES:
        case STEP_PREDICATE:
            i = region_emit(t, i);
            continue;
        case STEP_MEMORY:
            emit_memory(t, i);
            break;
        case STEP_PROBED:
            counted_emit_other(t, i);
            if (t->full)
                probed_emit(t, i);
            else
                emit_other(t, i, i + 1);
            break;
        case STEP_LABEL:
            if (!t->full)
                fprintf(t->out, " if (!warp_goes_on(w, code + %u)) DO(%u, %u);\n", i + 1, i, i + 1);
            break;
        case STEP_BRANCH:
            emit_jump(t, i);
            break;
        case STEP_BRANCH_IF:
            emit_branch(t, i);
            break;
        default:
            counted_emit_other(t, i);
            if (i + 1 < n && t->steps[i + 1] == STEP_INSIDE) {
                emit_other(t, i, i + 2);
                i++;
            } else {
                emit_other(t, i, i + 1);
            }
        }
        i++;
    }
    fprintf(t->out, " default: OTHER(pc); LEAVE(pc);\n }\n}\n");
}

char *tier_translate(const struct kernel *kernel, bool counted) {
    char *text = NULL;
    size_t size = 0;
    struct translator *t = zeroed(1, sizeof *t);
    t->out = or_out_of_memory(open_memstream(&text, &size));
    t->k = kernel;
    t->steps = zeroed(kernel->code.count, 1);
    t->names = zeroed(kernel->code.count, sizeof *t->names);
    t->live = registers_liveness(kernel->ptx, &t->words);
    steps_classify(t);
    t->counted = counted;
    if (counted)
        counted_prepare(t);
    for (int full = 0; full < 2; full++) {
        t->full = full;
        emit_function(t);
    }
    fprintf(t->out,
            /* The copy that fits the warp's current lanes; each returns when those change, or when the warp waits. */
            "void " TIER_ENTRY "(struct warp *w, const struct insn *in, const struct insn *code) {\n while (in)\n"
            "  in = w->mask == 0xffffffffu && w->count == 1 ? run_whole(w, in, code) : run_some(w, in, code);\n}\n");
    fclose(t->out);
    free(t->steps);
    free(t->names);
    free(t->live);
    free(t->position);
    free(t);
    return text;
}
