/* Compares the emulator with what a GPU answered: check FORMS VECTORS [PREFIX]
 *
 * Prints a line per opcode, "ok conformance add (48 forms)" or "not ok conformance add: ...", and on stderr, for each form
 * that differs, the first cases with their inputs. */
#include "decode/module.h"
#include "emulated.h"
#include "tolerance.h"
#include "vectors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_CASES 3

struct group {
    char opcode[32];
    size_t tests, failed;
    char first[256]; /* what failed first */
};

static struct group groups[512];
static size_t group_count;
static struct vectors recorded;
static uint64_t inputs[CASES * INPUT_SLOTS], expected[CASES * OUTPUT_SLOTS], found[CASES * OUTPUT_SLOTS];

static struct group *group_of(const char *name) {
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < group_count; i++)
        if (strlen(groups[i].opcode) == length && strncmp(groups[i].opcode, name, length) == 0)
            return &groups[i];
    if (group_count == sizeof groups / sizeof *groups)
        abort();
    struct group *g = &groups[group_count++];
    snprintf(g->opcode, sizeof g->opcode, "%.*s", (int)length, name);
    return g;
}

static void fail(const struct plan *plan, const char *why) {
    struct group *g = group_of(plan->name);
    char label[128];
    plan_label(plan, label, sizeof label);
    fprintf(stderr, "# %s: %s\n", label, why);
    if (!g->failed++)
        snprintf(g->first, sizeof g->first, "%s: %s", label, why);
}

static void show_case(const struct plan *plan, size_t c) {
    fprintf(stderr, "#   case %zu:", c);
    for (int k = 0; k < plan->count; k++) {
        const struct plan_operand *o = &plan->operand[k];
        if (!o->output && o->letter != 'i')
            fprintf(stderr, " 0x%" PRIx64, inputs[c * INPUT_SLOTS + o->slot]);
    }
    if (plan->carry_in)
        fprintf(stderr, " carry %" PRIu64, inputs[c * INPUT_SLOTS + plan->carry_in_slot]);
    for (int i = 0; i < plan->output_slots; i++)
        fprintf(stderr, "%s expected 0x%" PRIx64 " found 0x%" PRIx64, i ? "," : " ->",
                expected[c * OUTPUT_SLOTS + (size_t)i], found[c * OUTPUT_SLOTS + (size_t)i]);
    fprintf(stderr, "\n");
}

static bool case_agrees(const struct plan *plan, const struct tolerance *t, size_t c) {
    for (int i = 0; i < plan->output_slots; i++) {
        uint64_t e = expected[c * OUTPUT_SLOTS + (size_t)i], f = found[c * OUTPUT_SLOTS + (size_t)i];
        if (e != f && !(t && i == 0 && tolerance_accepts(t, plan, inputs[c * INPUT_SLOTS], e, f)))
            return false;
    }
    return true;
}

static void compare(const struct plan *plan, const struct vector *v) {
    const struct tolerance *t = tolerance_find(plan);
    size_t wrong = 0, first = 0;
    vector_unpack(plan, v->bytes, expected);
    for (size_t c = 0; c < CASES; c++)
        if (!case_agrees(plan, t, c) && !wrong++)
            first = c;
    if (!wrong)
        return;
    char why[64];
    snprintf(why, sizeof why, "%zu of %d cases differ from the GPU", wrong, CASES);
    fail(plan, why);
    for (size_t c = first, shown = 0; c < CASES && shown < SHOWN_CASES; c++)
        if (!case_agrees(plan, t, c)) {
            show_case(plan, c);
            shown++;
        }
}

static void check_plan(const struct plan *plan, struct module *module, size_t i) {
    char label[128], error[256];
    plan_label(plan, label, sizeof label);
    group_of(plan->name)->tests++;
    const struct vector *v = vectors_find(&recorded, label);
    if (!v)
        return fail(plan, "has no recorded result: run record.sh on a machine with a GPU");
    if (v->rejected)
        return fail(plan, "is not legal PTX: the driver rejected it when this was recorded");
    if (v->fingerprint != plan_fingerprint(plan))
        return fail(plan, "was recorded with another kernel or other inputs: run record.sh again");
    plan_inputs(plan, inputs);
    if (!emulated_run(plan, module, i, inputs, found, error, sizeof error))
        return fail(plan, error);
    compare(plan, v);
}

static void check_module(const struct plan *plans, size_t count) {
    char error[256] = "";
    struct module *module = emulated_load(plans, count, error, sizeof error);
    for (size_t i = 0; i < count; i++) {
        if (module)
            check_plan(&plans[i], module, i);
        else
            group_of(plans[i].name)->tests++, fail(&plans[i], error);
    }
    if (module)
        module_unload(module);
}

static size_t keep_prefix(struct plan *plans, size_t count, const char *prefix) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(plans[i].name, prefix, strlen(prefix)) == 0)
            plans[kept++] = plans[i];
    return kept;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return fprintf(stderr, "usage: check FORMS VECTORS [PREFIX]\n"), 2;
    size_t count, failed = 0;
    struct plan *plans = plan_read(argv[1], &count);
    FILE *file = fopen(argv[2], "rb");
    if (!plans || !file || !vectors_read(&recorded, file))
        return fprintf(stderr, "check: cannot read %s\n", argv[2]), 2;
    fclose(file);
    fprintf(stderr, "# expected results: %s\n", recorded.machine);
    if (!emulated_open())
        return fprintf(stderr, "check: no device memory\n"), 2;
    count = keep_prefix(plans, count, argc > 3 ? argv[3] : "");
    for (size_t i = 0; i < count; i += EMULATED_KERNELS)
        check_module(plans + i, count - i < EMULATED_KERNELS ? count - i : EMULATED_KERNELS);
    for (size_t i = 0; i < group_count; i++) {
        const struct group *g = &groups[i];
        failed += g->failed != 0;
        if (g->failed)
            printf("not ok conformance %s: %zu of %zu tests fail, first %s\n", g->opcode, g->failed, g->tests,
                   g->first);
        else
            printf("ok conformance %s (%zu tests)\n", g->opcode, g->tests);
    }
    vectors_free(&recorded);
    free(plans);
    return failed != 0;
}
