/* Turns a decoded kernel into C.
 *
 * The C function has the shape of the interpreter's loop, with the instructions' numbers as the cases of a switch. A run of
 * instructions that only compute becomes one loop over the lanes: a value that dies inside it never leaves the machine's
 * registers. Whatever else there is (memory, barriers, calls, divergence) is done by the interpreter's own
 * operation, called from there; so a warp may change between the tiers at any instruction.
 *
 * There are two copies of everything: for a warp whose 32 lanes are together, and for any set of lanes. */
#include "tier/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decode.h"
#include "core/registers.h"
#include "ops/memory.h"

#define MAX_RUN 200 /* instructions in one loop: the compiler's time grows with it */

extern const struct operation_name {
    op_fn run;
    const char *name;
} __start_operations[] __attribute__((weak, visibility("hidden"))),
    __stop_operations[] __attribute__((weak, visibility("hidden")));

/* ---- instructions ---- */

enum step {
    STEP_OTHER,  /* the interpreter does it */
    STEP_LANES,  /* computes: lane by lane */
    STEP_GUARD,  /* a guard before one that computes: they are one step */
    STEP_INSIDE, /* the one behind it */
    STEP_MEMORY, /* a load or store with a fast way */
    STEP_LABEL,
    STEP_BRANCH,
    STEP_BRANCH_IF,
};

struct place { /* a register of the frame, or part of it, in a run */
    uint32_t slot;
    uint8_t bits; /* 1: predicate */
    bool written, live_in, live_out;
    bool raw;  /* its value is a single whose NaN is not yet the canonical one */
    int value; /* number of the C variable that holds it now, -1: not read yet */
    const struct frame_constant *constant;
};

struct translator {
    const struct kernel *k;
    FILE *out;
    bool full; /* the copy for whole warps */
    uint8_t *steps;
    const char **names; /* of the operations that compute */
    uint64_t *live;
    size_t words;
    struct place places[6 * MAX_RUN];
    unsigned place_count;
    int value_count;
};

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

static bool fast_memory(const struct insn *in, char name[static 32]) {
    return in->flags & INSN_MEMORY && memory_operation(in->extra) == in->run && memory_fast_name(in->extra, name);
}

static void classify(struct translator *t) {
    const struct insn *code = t->k->code.insns;
    uint32_t n = t->k->code.count;
    char name[32];
    for (uint32_t i = 0; i < n; i++) {
        t->names[i] = lane_name(&code[i]);
        t->steps[i] = t->names[i]                   ? STEP_LANES
                      : fast_memory(&code[i], name) ? STEP_MEMORY
                      : code[i].run == op_label     ? STEP_LABEL
                      : code[i].run == op_branch    ? STEP_BRANCH
                      : code[i].run == op_branch_if ? STEP_BRANCH_IF
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
static bool raw_arithmetic(const char *name) {
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

static bool takes_raw(const char *name) {
    size_t n = strlen(name);
    return raw_arithmetic(name) || (strncmp(name, "setp_", 5) == 0 && n > 4 && strcmp(name + n - 4, "_f32") == 0);
}

struct operand {
    uint32_t slot;
    uint8_t bits, k; /* k: which of insn.op */
    bool written;
};

static unsigned operands(const struct insn *in, const char *name, struct operand out[INSN_OPERANDS]) {
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

/* ---- places ---- */

static const struct frame_constant *constant_at(const struct kernel *k, uint32_t slot) {
    for (uint32_t i = 0; i < k->constant_count; i++)
        if (k->constants[i].slot == slot)
            return &k->constants[i];
    return NULL;
}

/* NULL when the slot is known with another width: the run must end before. */
static struct place *place_of(struct translator *t, uint32_t slot, unsigned bits) {
    for (unsigned i = 0; i < t->place_count; i++)
        if (t->places[i].slot == slot)
            return t->places[i].bits == bits ? &t->places[i] : NULL;
    struct place *p = &t->places[t->place_count++];
    *p = (struct place){.slot = slot, .bits = (uint8_t)bits, .value = -1, .constant = constant_at(t->k, slot)};
    return p;
}

static bool note_operands(struct translator *t, uint32_t i, bool guarded, uint32_t guard) {
    struct operand o[INSN_OPERANDS];
    unsigned n = operands(&t->k->code.insns[i], t->names[i], o);
    if (guarded && !place_of(t, guard, 1))
        return false;
    for (unsigned j = 0; j < n; j++)
        if (!place_of(t, o[j].slot, o[j].bits))
            return false;
    for (int written = 0; written < 2; written++) /* sources are read before anything is written */
        for (unsigned j = 0; j < n; j++) {
            struct place *p = place_of(t, o[j].slot, o[j].bits);
            p->live_in |= !p->written && (!o[j].written || guarded);
            p->written |= written && o[j].written;
        }
    if (guarded) {
        struct place *p = place_of(t, guard, 1);
        p->live_in |= !p->written;
    }
    return true;
}

/* The instructions from `begin` that make up one run; [begin, end). */
static uint32_t gather(struct translator *t, uint32_t begin) {
    uint32_t i = begin;
    t->place_count = 0;
    while (i < t->k->code.count && i - begin < MAX_RUN) {
        unsigned places = t->place_count;
        bool guard = t->steps[i] == STEP_GUARD;
        if (!guard && t->steps[i] != STEP_LANES)
            break;
        if (!note_operands(t, guard ? i + 1 : i, guard, t->k->code.insns[i].op[0])) {
            t->place_count = places;
            break;
        }
        i += guard ? 2 : 1;
    }
    return i;
}

/* ---- who is read behind a run ---- */

static long source_index(const struct translator *t, uint32_t i) {
    const struct ptx_function *f = t->k->ptx;
    const struct ptx_insn *p = i < t->k->code.count ? t->k->code.sources[i] : NULL;
    return p >= f->insns && p < f->insns + f->insn_count ? p - f->insns : -1;
}

static bool live_at(const struct translator *t, long insn, uint32_t number) {
    return insn < (long)t->k->ptx->insn_count && t->live[(size_t)insn * t->words + number / 64] >> number % 64 & 1;
}

/* Marks the written places that are read after instruction end - 1. What is no PTX register is a temporary of decode's: kept. */
static void find_live_out(struct translator *t, uint32_t end) {
    const struct ptx_function *f = t->k->ptx;
    long last = source_index(t, end - 1), next = source_index(t, end);
    bool known = last >= 0 && next >= 0;
    for (unsigned j = 0; j < t->place_count; j++) {
        struct place *p = &t->places[j];
        bool is_register = false, live = !known;
        for (size_t r = 0; known && r < f->register_count; r++) {
            const struct ptx_register *reg = f->registers[r];
            if (reg->constant || reg->slot != p->slot)
                continue;
            is_register = true;
            live |= live_at(t, next, reg->number) || (next == last && live_at(t, next + 1, reg->number));
        }
        p->live_out = p->written && (live || !is_register) && p->slot != TRASH_PREDICATE;
    }
}

/* ---- the loop over the lanes ---- */

static const char *type_of(unsigned bits) {
    return bits == 16 ? "uint16_t" : bits == 64 ? "uint64_t" : "uint32_t";
}

static bool same_for_all(const struct frame_constant *c) {
    return c && (c->bits != FRAME_SPECIAL || (c->value >= FRAME_NTID_X && c->value <= FRAME_NCTAID_Z));
}

static void declare_places(struct translator *t) {
    for (unsigned j = 0; j < t->place_count; j++) {
        const struct place *p = &t->places[j];
        const char *type = type_of(p->bits);
        if (p->bits == 1) {
            if (p->live_in || p->live_out)
                fprintf(t->out, "  const uint32_t p%u = *(const uint32_t *)(r + %u);\n", p->slot, p->slot);
            if (p->live_out)
                fprintf(t->out, "  int32_t t%u[32] __attribute__((aligned(64)));\n", p->slot);
        } else if (same_for_all(p->constant)) {
            fprintf(t->out, "  const %s c%u = *(const %s *)(r + %u);\n", type, p->slot, type, p->slot);
        } else if (p->live_in || p->live_out) {
            fprintf(t->out, "  %s *const s%u = (%s *)(r + %u);\n", type, p->slot, type, p->slot);
        }
    }
}

static int read_place(struct translator *t, struct place *p) {
    if (p->value >= 0)
        return p->value;
    p->value = t->value_count++;
    const struct frame_constant *c = p->constant;
    fprintf(t->out, "    const %s v%d = ", type_of(p->bits), p->value);
    if (p->bits == 1)
        fprintf(t->out, "p%u >> l & 1;\n", p->slot);
    else if (c && c->bits == p->bits)
        fprintf(t->out, "(%s)0x%llxu;\n", type_of(p->bits), (unsigned long long)c->value);
    else
        fprintf(t->out, same_for_all(c) ? "c%u;\n" : "s%u[l];\n", p->slot);
    return p->value;
}

/* The same as anybody may read it. */
static int read_canonical(struct translator *t, struct place *p) {
    int value = read_place(t, p);
    if (p->raw) {
        p->raw = false;
        p->value = t->value_count++;
        fprintf(t->out, "    const uint32_t v%d = CANONICAL(v%d);\n", p->value, value);
    }
    return p->value;
}

static void emit_operation(struct translator *t, uint32_t i, const uint32_t *guard, bool negated) {
    const struct insn *in = &t->k->code.insns[i];
    struct operand o[INSN_OPERANDS];
    unsigned n = operands(in, t->names[i], o);
    int on = guard ? read_place(t, place_of(t, *guard, 1)) : -1, values[INSN_OPERANDS], before[INSN_OPERANDS];
    bool raw = raw_arithmetic(t->names[i]), takes = takes_raw(t->names[i]);
    for (unsigned j = 0; j < n; j++) {
        struct place *p = place_of(t, o[j].slot, o[j].bits);
        before[j] = o[j].written && !guard           ? -1
                    : takes || (o[j].written && raw) ? read_place(t, p)
                                                     : read_canonical(t, p);
    }
    for (unsigned j = 0; j < n; j++)
        if (o[j].written)
            fprintf(t->out, "    %s v%d;\n", type_of(o[j].bits), values[j] = t->value_count++);
    fprintf(t->out, "    {\n      OPERATION(%lldll, %u);\n", (long long)in->imm, in->kind);
    for (unsigned j = 0; j < n; j++)
        if (!o[j].written)
            fprintf(t->out, "      OPERAND(%s, %u) = v%d;\n", type_of(o[j].bits), o[j].k, before[j]);
    fprintf(t->out, "      %s%s(&x, &n);\n", t->names[i], raw ? "_raw" : "");
    for (unsigned j = 0; j < n; j++)
        if (o[j].written && on >= 0)
            fprintf(t->out, "      v%d = %sv%d ? OPERAND(%s, %u) : v%d;\n", values[j], negated ? "!" : "", on,
                    type_of(o[j].bits), o[j].k, before[j]);
        else if (o[j].written)
            fprintf(t->out, "      v%d = OPERAND(%s, %u);\n", values[j], type_of(o[j].bits), o[j].k);
    fprintf(t->out, "    }\n");
    for (unsigned j = 0; j < n; j++)
        if (o[j].written) {
            struct place *p = place_of(t, o[j].slot, o[j].bits);
            p->value = values[j];
            p->raw = raw;
        }
}

static void emit_results(struct translator *t) {
    for (unsigned j = 0; j < t->place_count; j++) {
        struct place *p = &t->places[j];
        if (!p->live_out)
            continue;
        read_canonical(t, p);
        if (p->bits == 1)
            fprintf(t->out, "    t%u[l] = -(int32_t)v%d;\n", p->slot, p->value);
        else if (t->full)
            fprintf(t->out, "    s%u[l] = v%d;\n", p->slot, p->value);
        else
            fprintf(t->out, "    s%u[l] = BLEND(%s, s%u[l], v%d);\n", p->slot, type_of(p->bits), p->slot, p->value);
    }
    fprintf(t->out, "  }\n");
    for (unsigned j = 0; j < t->place_count; j++) {
        const struct place *p = &t->places[j];
        if (p->live_out && p->bits == 1)
            fprintf(t->out, "  *(uint32_t *)(r + %u) = (p%u & ~m) | (lane_bits(t%u) & m);\n", p->slot, p->slot,
                    p->slot);
    }
}

static uint32_t emit_run(struct translator *t, uint32_t begin) {
    uint32_t end = gather(t, begin);
    find_live_out(t, end);
    fprintf(t->out, " {\n");
    declare_places(t);
    fprintf(t->out, "#pragma GCC ivdep\n  for (int l = 0; l < 32; l++) {\n");
    t->value_count = 0;
    for (uint32_t i = begin; i < end; i++) {
        bool guard = t->steps[i] == STEP_GUARD;
        const struct insn *in = &t->k->code.insns[i];
        if (guard)
            emit_operation(t, ++i, &in->op[0], in->kind);
        else
            emit_operation(t, i, NULL, false);
    }
    emit_results(t);
    fprintf(t->out, " }\n");
    return end;
}

/* ---- what moves control ---- */

static uint32_t target_of(const struct translator *t, const struct insn *in) {
    const struct insn *to = in->target + (in->target->run == op_label);
    return (uint32_t)(to - t->k->code.insns);
}

/* The interpreter does instruction i; the warp goes on here if it still has the same lanes and comes to instruction `next`. */
static void emit_other(struct translator *t, uint32_t i, uint32_t next) {
    fprintf(t->out, " DO(%u, %u);\n", i, next);
}

/* What is not regular is left to the interpreter, half a warp at a time. */
static void emit_memory(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    const struct access *a = in->extra;
    char name[32];
    fast_memory(in, name);
    if (!t->full) {
        emit_other(t, i, i + 1);
        return;
    }
    fprintf(t->out, " {\n  static const uint32_t data[] = {");
    for (unsigned k = 0; k < a->count; k++)
        fprintf(t->out, "%u, ", a->regs[k]);
    fprintf(t->out, "};\n  const struct fast_access a = {%u, %u, %lldll, data};\n", a->address_reg, a->slot,
            (long long)in->imm);
    fprintf(t->out,
            "  const uint32_t rest = (fast_%s(w, a, 0) ? 0 : 0xffffu) | (fast_%s(w, a, 16) ? 0 : 0xffff0000u);\n", name,
            name);
    fprintf(t->out, "  if (rest) REST(%u, rest);\n }\n", i);
}

/* Backward jumps go through the switch. A loop with several entries (by the jump and by the switch) would be irreducible, and
 * compilers leave the loops over lanes in such a one as they are. */
static void emit_jump(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    uint32_t to = target_of(t, in);
    if (!t->full)
        fprintf(t->out, " if (!warp_goes_on(w, code + %u)) { DO(%u, %u); GO(%u); }\n", to, i, to, to);
    if (in->flags & INSN_BACKWARD)
        fprintf(t->out, " if (w->fuel <= 1) return RUN(%u);\n w->fuel--;\n GO(%u);\n", i, to);
    else
        fprintf(t->out, " goto L%u;\n", to);
}

static void emit_branch(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    fprintf(t->out, " {\n  const uint32_t taken = m & %s*(const uint32_t *)(r + %u);\n", in->kind ? "~" : "",
            in->op[0]);
    fprintf(t->out, "  if (taken) {\n  if (taken != m) return RUN(%u);\n", i);
    emit_jump(t, i);
    fprintf(t->out, " }\n }\n");
}

static void emit_function(struct translator *t) {
    uint32_t n = t->k->code.count;
    fprintf(t->out,
            "static __attribute__((flatten)) const struct insn *run_%s(struct warp *w, const struct insn *in, const "
            "struct insn "
            "*const code) {\n const uint32_t m = %s;\n uint8_t *const r = w->regs;\n uint32_t pc = (uint32_t)(in - "
            "code);\n for (;;) switch (pc) {\n",
            t->full ? "whole" : "some", t->full ? "0xffffffffu" : "w->mask");
    for (uint32_t i = 0; i < n;) {
        fprintf(t->out, " case %u: L%u: __attribute__((unused));\n", i, i);
        switch (t->steps[i]) {
        case STEP_LANES:
        case STEP_GUARD:
            i = emit_run(t, i);
            continue;
        case STEP_MEMORY:
            emit_memory(t, i);
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
            if (i + 1 < n && t->steps[i + 1] == STEP_INSIDE) {
                emit_other(t, i, i + 2);
                i++;
            } else {
                emit_other(t, i, i + 1);
            }
        }
        i++;
    }
    fprintf(t->out, " default: return RUN(pc);\n }\n}\n");
}

char *tier_translate(const struct kernel *kernel) {
    char *text = NULL;
    size_t size = 0;
    struct translator *t = calloc(1, sizeof *t);
    if (!t || !(t->out = open_memstream(&text, &size)))
        abort();
    t->k = kernel;
    t->steps = calloc(kernel->code.count, 1);
    t->names = calloc(kernel->code.count, sizeof *t->names);
    t->live = registers_liveness(kernel->ptx, &t->words);
    if (!t->steps || !t->names)
        abort();
    classify(t);
    for (int full = 0; full < 2; full++) {
        t->full = full;
        emit_function(t);
    }
    fprintf(t->out,
            "void " TIER_ENTRY "(struct warp *w, const struct insn *in, const struct insn *code) {\n while (in)\n"
            "  in = w->mask == 0xffffffffu && w->count == 1 ? run_whole(w, in, code) : run_some(w, in, code);\n}\n");
    fclose(t->out);
    free(t->steps);
    free(t->names);
    free(t->live);
    free(t);
    return text;
}
