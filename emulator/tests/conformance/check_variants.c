/* Checks that an instruction does the same however it is written: check_variants FORMS [PREFIX]
 *
 * Each form is executed plainly, and then with a predicate, with a destination that is also a source, and with
 * literals for its sources. What those must give follows from the plain results, so no GPU is needed. */
#include "decode/module.h"
#include "emulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LITERALS 2 /* values tried for each source */

static uint64_t inputs[CASES * INPUT_SLOTS], changed[CASES * INPUT_SLOTS];
static uint64_t plain[CASES * OUTPUT_SLOTS], found[CASES * OUTPUT_SLOTS], expected[CASES * OUTPUT_SLOTS];

static struct kind {
    const char *name;
    size_t tests, failed;
} kinds[] = {{"predicated", 0, 0}, {"destination is a source", 0, 0}, {"literal operand", 0, 0}};

static struct kind *kind_of(const struct variant *v) {
    return &kinds[v->predicated ? 0 : v->aliased_operand ? 1 : 2];
}

static bool has_lanes(const struct plan *plan) {
    for (int k = 0; k < plan->count; k++)
        if (plan->operand[k].kind == VALUE_LANES)
            return true;
    return false;
}

static bool may_be_literal(const struct plan_operand *o) {
    switch (o->kind) {
    case VALUE_F32:
    case VALUE_F64:
    case VALUE_INT16:
    case VALUE_INT32:
    case VALUE_INT64:
    case VALUE_SHIFT:
    case VALUE_FIELD:
        return !o->output && o->letter != 'i' && o->letter != 'q';
    default:
        return false;
    }
}

/* All variants of a plan; the first is the plan itself. */
static size_t variants_of(const struct plan *plan, struct plan *out) {
    size_t n = 0;
    out[n++] = *plan;
    char letter = plan->operand[0].letter;
    if (!plan->carry_in && !plan->carry_out && !has_lanes(plan) && letter != 'q') {
        out[n] = *plan;
        out[n++].variant.predicated = true;
    }
    for (int k = 1; k < plan->count; k++)
        if (plan->operand[k].letter == letter && !plan->carry_in) {
            out[n] = *plan;
            out[n++].variant.aliased_operand = k;
        }
    plan_inputs(plan, inputs);
    for (int k = 1; k < plan->count; k++)
        for (size_t i = 0; i < LITERALS && may_be_literal(&plan->operand[k]); i++) {
            size_t c = ((size_t)k * 37 + i * 211 + strlen(plan->name)) % CASES;
            out[n] = *plan;
            out[n].variant.literal_operand = k;
            out[n++].variant.literal = inputs[c * INPUT_SLOTS + plan->operand[k].slot];
        }
    return n;
}

/* What a predicated instruction leaves where it was not executed. */
static uint64_t kept(const struct plan *plan, int slot) {
    switch (plan->operand[0].letter) {
    case 'p':
        return 0;
    case 'P':
        return slot == 0 ? 0 : 1;
    case 'h':
        return VARIANT_KEPT & 0xffff;
    case 'l':
        return VARIANT_KEPT;
    default:
        return slot == 0 ? VARIANT_KEPT & 0xffffffff : 1;
    }
}

static void expect_predicated(const struct plan *plan) {
    memcpy(expected, plain, sizeof expected);
    for (size_t c = 0; c < CASES; c++)
        if (c % BLOCK_THREADS & VARIANT_PREDICATE_MASK)
            for (int i = 0; i < plan->output_slots; i++)
                expected[c * OUTPUT_SLOTS + (size_t)i] = kept(plan, i);
}

/* The plain kernel, with the literal's value in every case. */
static bool expect_literal(const struct plan *plan, struct module *module, char *error, size_t size) {
    memcpy(changed, inputs, sizeof changed);
    for (size_t c = 0; c < CASES; c++)
        changed[c * INPUT_SLOTS + plan->operand[plan->variant.literal_operand].slot] = plan->variant.literal;
    return emulated_run(plan, module, 0, changed, expected, error, size);
}

static void fail(const struct plan *plan, const char *why) {
    struct variant v = plan->variant;
    fprintf(stderr, "# %s %s, %s", plan->name, plan->operands, kind_of(&v)->name);
    if (v.literal_operand)
        fprintf(stderr, " %d = 0x%" PRIx64, v.literal_operand, v.literal);
    fprintf(stderr, ": %s\n", why);
    kind_of(&v)->failed++;
}

static void check_variant(const struct plan *plan, struct module *module, size_t i) {
    char error[256];
    kind_of(&plan->variant)->tests++;
    if (plan->variant.predicated)
        expect_predicated(plan);
    else if (plan->variant.aliased_operand)
        memcpy(expected, plain, sizeof expected);
    else if (!expect_literal(plan, module, error, sizeof error))
        return fail(plan, error);
    if (!emulated_run(plan, module, i, inputs, found, error, sizeof error))
        return fail(plan, error);
    for (size_t c = 0; c < CASES; c++)
        for (size_t s = c * OUTPUT_SLOTS; s < c * OUTPUT_SLOTS + (size_t)plan->output_slots; s++)
            if (expected[s] != found[s]) {
                snprintf(error, sizeof error, "case %zu: expected 0x%" PRIx64 ", found 0x%" PRIx64, c, expected[s],
                         found[s]);
                return fail(plan, error);
            }
}

static void check_plan(const struct plan *plan) {
    struct plan variants[2 + PLAN_OPERANDS * (1 + LITERALS)];
    char error[256] = "";
    size_t count = variants_of(plan, variants);
    struct module *module = emulated_load(variants, count, error, sizeof error);
    if (!module || !emulated_run(plan, module, 0, inputs, plain, error, sizeof error))
        fail(&variants[count > 1], error);
    else
        for (size_t i = 1; i < count; i++)
            check_variant(&variants[i], module, i);
    if (module)
        module_unload(module);
}

/* set and setp have thousands of spellings: every eighth is enough here. */
static bool sampled(const struct plan *plan, size_t i) {
    bool many = strncmp(plan->name, "set.", 4) == 0 || strncmp(plan->name, "vset", 4) == 0;
    return !many || i % 8 == 0;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return fprintf(stderr, "usage: check_variants FORMS [PREFIX]\n"), 2;
    size_t count, failed = 0;
    struct plan *plans = plan_read(argv[1], &count);
    const char *prefix = argc > 2 ? argv[2] : "";
    if (!plans || !emulated_open())
        return 2;
    for (size_t i = 0; i < count; i++)
        if (strncmp(plans[i].name, prefix, strlen(prefix)) == 0 && sampled(&plans[i], i))
            check_plan(&plans[i]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        failed += kinds[i].failed;
        if (kinds[i].failed)
            printf("not ok variants %s: %zu of %zu tests fail\n", kinds[i].name, kinds[i].failed, kinds[i].tests);
        else
            printf("ok variants %s (%zu tests)\n", kinds[i].name, kinds[i].tests);
    }
    free(plans);
    return failed != 0;
}
