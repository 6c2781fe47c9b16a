/* Writes the PTX of a test: a thread reads its inputs, executes the instruction once, and writes the results. */
#include "plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char plan_module_header[] = ".version 9.0\n.target sm_90\n.address_size 64\n";

struct text {
    char *out;
    size_t used, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->out + t->used, t->room - t->used, format, arguments);
    va_end(arguments);
    t->used += (size_t)n < t->room - t->used ? (size_t)n : t->room - t->used - 1;
}

static const char *bits_of(char letter) {
    switch (letter) {
    case 'b':
        return "b8";
    case 'h':
        return "b16";
    case 'w':
    case 'W':
        return "b32";
    case 'l':
        return "b64";
    default:
        return "b128";
    }
}

static void load(struct text *t, const struct plan_operand *o, int k) {
    unsigned offset = 8u * o->slot;
    if (o->letter == 'p')
        add(t, "    ld.global.u32 %%t0, [%%in+%u];\n    setp.ne.u32 %%p%d, %%t0, 0;\n", offset, k);
    else if (o->letter == 'q')
        add(t,
            "    ld.global.b64 %%u0, [%%in+%u];\n    ld.global.b64 %%u1, [%%in+%u];\n    mov.b128 %%q%d, {%%u0, "
            "%%u1};\n",
            offset, offset + 8, k);
    else
        add(t, "    ld.global.%s %%%c%d, [%%in+%u];\n", bits_of(o->letter), o->letter, k, offset);
}

static void store(struct text *t, const struct plan_operand *o, int k) {
    unsigned offset = 8u * o->slot;
    if (o->letter == 'P' || o->letter == 'W')
        add(t, "    selp.u32 %%t0, 1, 0, %%s%d;\n    st.global.u32 [%%out+%u], %%t0;\n", k, offset + 8);
    if (o->letter == 'p' || o->letter == 'P') {
        add(t, "    selp.u32 %%t0, 1, 0, %%p%d;\n    st.global.u32 [%%out+%u], %%t0;\n", k, offset);
    } else if (o->letter == 'q') {
        add(t,
            "    mov.b128 {%%u0, %%u1}, %%q%d;\n    st.global.b64 [%%out+%u], %%u0;\n    st.global.b64 [%%out+%u], "
            "%%u1;\n",
            k, offset, offset + 8);
    } else {
        add(t, "    st.global.%s [%%out+%u], %%%c%d;\n", bits_of(o->letter), offset, o->letter == 'W' ? 'w' : o->letter,
            k);
    }
}

static void carry_in(struct text *t, const struct plan *plan) {
    add(t, "    ld.global.u32 %%t0, [%%in+%u];\n", 8u * plan->carry_in_slot);
    add(t,
        plan->carry_in == CARRY_ADD ? "    add.cc.u32 %%t0, %%t0, 0xffffffff;\n" : "    sub.cc.u32 %%t0, 0, %%t0;\n");
}

static void carry_out(struct text *t, const struct plan *plan) {
    add(t, "    %s.u32 %%t0, 0, 0;\n", plan->carry_out == CARRY_ADD ? "addc" : "subc");
    add(t, "    st.global.u32 [%%out+%u], %%t0;\n", 8u * plan->carry_out_slot);
}

static void literal(struct text *t, const struct plan_operand *o, uint64_t bits) {
    if (o->kind == VALUE_F32)
        add(t, "0f%08X", (uint32_t)bits);
    else if (o->kind == VALUE_F64)
        add(t, "0d%016" PRIX64, bits);
    else
        add(t, "%" PRId64, o->letter == 'w' ? (int32_t)bits : o->letter == 'h' ? (int16_t)bits : (int64_t)bits);
}

/* A predicate that depends on the thread, and a destination that shows whether it was written. */
static void predicate(struct text *t, const struct plan *plan) {
    char letter = plan->operand[0].letter;
    add(t, "    mov.u32 %%t2, %%tid.x;\n    and.b32 %%t2, %%t2, %d;\n    setp.eq.u32 %%p7, %%t2, 0;\n",
        VARIANT_PREDICATE_MASK);
    if (letter == 'P' || letter == 'W')
        add(t, "    setp.eq.u32 %%s0, %%t2, %%t2;\n");
    if (letter == 'p' || letter == 'P')
        add(t, "    setp.ne.u32 %%p0, %%t2, %%t2;\n");
    else
        add(t, "    mov.%s %%%c0, %" PRId64 ";\n", bits_of(letter), letter == 'W' ? 'w' : letter,
            letter == 'h'   ? (int16_t)VARIANT_KEPT
            : letter == 'l' ? (int64_t)VARIANT_KEPT
                            : (int32_t)VARIANT_KEPT);
}

static void instruction(struct text *t, const struct plan *plan) {
    add(t, plan->variant.predicated ? "    @%%p7 %s " : "    %s ", plan->name);
    for (int k = 0; k < plan->count; k++) {
        const struct plan_operand *o = &plan->operand[k];
        const char *before = k == 0 ? "" : ", ";
        if (k && k == plan->variant.literal_operand)
            add(t, "%s", before), literal(t, o, plan->variant.literal);
        else if (k == 0 && plan->variant.aliased_operand)
            add(t, "%%%c%d", o->letter, plan->variant.aliased_operand);
        else if (o->letter == 'i')
            add(t, "%s%" PRId64, before, plan->immediate);
        else if (o->letter == 'P' || o->letter == 'W') /* a pair: d|p */
            add(t, "%s%%%c%d|%%s%d", before, o->letter == 'P' ? 'p' : 'w', k, k);
        else
            add(t, "%s%%%c%d", before, o->letter, k);
    }
    add(t, ";\n");
}

size_t plan_kernel(const struct plan *plan, const char *kernel_name, char *out, size_t room) {
    struct text t = {out, 0, room};
    add(&t, ".visible .entry %s(.param .u64 inputs, .param .u64 outputs)\n{\n", kernel_name);
    add(&t, "    .reg .pred %%p<%d>, %%s<%d>;\n    .reg .b16 %%h<%d>;\n    .reg .b32 %%w<%d>, %%t<4>;\n", PLAN_OPERANDS,
        PLAN_OPERANDS, PLAN_OPERANDS, PLAN_OPERANDS);
    add(&t, "    .reg .b64 %%l<%d>, %%u<2>, %%in, %%out;\n", PLAN_OPERANDS);
    if (strchr(plan->operands, 'b'))
        add(&t, "    .reg .b8 %%b<%d>;\n", PLAN_OPERANDS);
    if (strchr(plan->operands, 'q'))
        add(&t, "    .reg .b128 %%q<%d>;\n", PLAN_OPERANDS);
    add(&t, "    mov.u32 %%t0, %%tid.x;\n    mov.u32 %%t1, %%ctaid.x;\n    mad.lo.u32 %%t0, %%t1, %d, %%t0;\n",
        BLOCK_THREADS);
    add(&t, "    ld.param.u64 %%in, [inputs];\n    mul.wide.u32 %%u0, %%t0, %d;\n    add.u64 %%in, %%in, %%u0;\n",
        8 * INPUT_SLOTS);
    add(&t, "    ld.param.u64 %%out, [outputs];\n    mul.wide.u32 %%u0, %%t0, %d;\n    add.u64 %%out, %%out, %%u0;\n",
        8 * OUTPUT_SLOTS);
    for (int k = 0; k < plan->count; k++)
        if (!plan->operand[k].output && plan->operand[k].letter != 'i' && (!k || k != plan->variant.literal_operand))
            load(&t, &plan->operand[k], k);
    if (plan->variant.predicated)
        predicate(&t, plan);
    if (plan->carry_in)
        carry_in(&t, plan);
    instruction(&t, plan);
    if (plan->carry_out)
        carry_out(&t, plan);
    for (int k = 0; k < plan->count; k++)
        if (plan->operand[k].output)
            store(&t, &plan->operand[k], plan->variant.aliased_operand ? plan->variant.aliased_operand : k);
    add(&t, "    ret;\n}\n");
    return t.used;
}
