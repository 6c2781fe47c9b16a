/* What each decoded instruction is to the second tier. */
#include <string.h>

#include "machine/operation.h"
#include "ops/load_store.h"
#include "tier/translator.h"
#include "ops/control.h"

extern const struct operation_name __start_operations[] __attribute__((weak, visibility("hidden"))),
    __stop_operations[] __attribute__((weak, visibility("hidden")));

/* Those that do not become vector code would make their whole run slow. */
static bool stays_scalar(const char *name) {
    static const char *const names[] = {"div_u64",    "div_s64",    "rem_u64", "rem_s64", "mul_hi_u64", "mul_hi_s64",
                                        "mad_hi_u64", "mad_hi_s64", "fns_",    "sin_any", "cos_any"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static const char *lane_name(const struct insn *in) {
    if (!(in->flags & INSN_FORM) || strchr(((const struct form *)in->extra)->operands, 'q'))
        return NULL;
    for (const struct operation_name *o = __start_operations; o < __stop_operations; o++)
        if (o->run == in->run)
            return stays_scalar(o->name) ? NULL : o->name;
    return NULL;
}

bool steps_fast_memory(const struct insn *in, char name[static 32]) {
    return in->flags & INSN_MEMORY && memory_operation(in->extra) == in->run && memory_fast_name(in->extra, name);
}

void steps_classify(struct translator *t) {
    const struct insn *code = t->k->code.insns;
    uint32_t n = t->k->code.count;
    char name[32];
    for (uint32_t i = 0; i < n; i++) {
        t->names[i] = lane_name(&code[i]);
        t->steps[i] = t->names[i]                          ? STEP_LANES
                      : steps_fast_memory(&code[i], name)  ? STEP_MEMORY
                      : watched_name(t->k, &code[i], name) ? STEP_WATCHED
                      : code[i].run == op_label            ? STEP_LABEL
                      : code[i].run == op_branch           ? STEP_BRANCH
                      : code[i].run == op_branch_if        ? STEP_BRANCH_IF
                                                           : STEP_OTHER;
    }
    for (uint32_t i = 0; i + 1 < n; i++)
        if (code[i].run == op_guard) {
            t->steps[i] = t->steps[i + 1] == STEP_LANES ? STEP_GUARD : STEP_OTHER;
            t->steps[i + 1] = STEP_INSIDE;
        }
}

/* A single-precision result that is NaN is the canonical NaN. Arithmetic that gets one does not care which NaN it is, so what goes
 * from one such operation to the next stays as the host made it ("raw"), and is put right when anybody else reads it. */
bool steps_gives_raw(const char *name) {
    static const char *const names[] = {"f32_add", "f32_sub",  "f32_mul",  "f32_fma",   "f32_div",
                                        "f32_rcp", "f32_sqrt", "ex2",      "lg2",       "rcp",
                                        "sqrt_",   "rsqrt",    "div_full", "div_approx"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(name, names[i], n) == 0 && (strcmp(name + n, "_plain") == 0 || strcmp(name + n, "_ftz") == 0))
            return true;
    }
    return false;
}

bool steps_takes_raw(const char *name) {
    size_t n = strlen(name);
    return steps_gives_raw(name) || (strncmp(name, "setp_", 5) == 0 && n > 4 && strcmp(name + n - 4, "_f32") == 0);
}

unsigned steps_operands(const struct insn *in, const char *name, struct operand out[INSN_OPERANDS]) {
    unsigned n = 0, k = 0;
    const char *letters = ((const struct form *)in->extra)->operands;
    if (strncmp(name, "setp_constant_", 14) == 0) /* the third operand is in insn.imm */
        letters = letters[1] == 'h' ? "Ph" : letters[1] == 'w' ? "Pw" : "Pl";
    for (const char *c = letters; *c; c++) {
        uint8_t bits = *c == 'h' ? 16 : *c == 'w' || *c == 'W' ? 32 : *c == 'l' ? 64 : 1;
        if (*c == 'i')
            continue;
        out[n++] = (struct operand){in->op[k], bits, (uint8_t)k, c == letters};
        k++;
        if (*c == 'P' || *c == 'W') {
            out[n++] = (struct operand){in->op[k], 1, (uint8_t)k, true};
            k++;
        }
    }
    return n;
}
