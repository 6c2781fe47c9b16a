/* Operations that the second tier translates against what a GPU answered: check_forms FORMS VECTORS FOLDER EVERY [PREFIX]
 *
 * A kernel of one instruction for each operation, and one more where it is predicated if its NaN is put right later: compiled, and
 * executed by whole warps and by parts of warps. It must give the interpreter's bits, and leave alone the lanes that are not in the
 * part. EVERY: how many operations to go on after each that is compiled, 1 for all; each must be translated in any case. */
#include "batch.h"
#include "decode/registers.h"
#include "emulated.h"
#include "ops/forms.h"
#include "tier/tier.h"
#include "tolerance.h"
#include "vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TESTS 8000

/* The operations that can be compiled: see machine/operation.h. */
struct operation {
    handler_fn handler;
    const char *name;
};
static struct count { bool translated, predicated; } counts[2000];
extern const struct operation __start_operations[], __stop_operations[];

static struct test {
    struct plan plan;
    struct module *module;
    size_t number; /* of the kernel in its module */
    struct kernel *kernel;
    handler_fn *originals;
    unsigned
        values; /* of the operand, all of which are tried; 0: the plan's inputs, for which a GPU's results are recorded */
} tests[MAX_TESTS];
static char *texts[MAX_TESTS];
static struct compiled compiled[MAX_TESTS];
static size_t test_count, failed, every;

static void fail(const struct plan *p, const char *how, const char *why) {
    if (failed++ < 40)
        fprintf(stderr, "# %s%s%s, %s: %s\n", p->name, p->variant.predicated ? ", predicated" : "",
                p->variant.literal_operand ? ", literal" : "", how, why);
}

/* ---- which forms ---- */

static size_t operation_index(handler_fn handler) {
    size_t n = (size_t)(__stop_operations - __start_operations);
    for (size_t i = 0; i < n; i++)
        if (__start_operations[i].handler == handler)
            return i;
    return SIZE_MAX;
}

static bool is_translated(const char *text, const char *name) {
    char call[80];
    for (int raw = 0; raw < 2; raw++) {
        snprintf(call, sizeof call, " %s%s(&x", name, raw ? "_raw" : "");
        if (strstr(text, call))
            return true;
    }
    return false;
}

static bool has_raw(const char *name) {
    char twin[80];
    snprintf(twin, sizeof twin, "*%s_raw(", name);
    return strstr(tier_prelude, twin) != NULL;
}

/* Whether the kernel has an operation that no other one has had in this way. */
static bool adds_something(const struct kernel *k, bool predicated, const char *text) {
    bool new = false;
    for (uint32_t i = 0; i < k->code.count; i++) {
        size_t o = operation_index(k->code.insns[i].handler);
        if (o == SIZE_MAX || !is_translated(text, __start_operations[o].name) ||
            (predicated && !has_raw(__start_operations[o].name)))
            continue;
        bool *seen = predicated ? &counts[o].predicated : &counts[o].translated;
        new |= !*seen &&o % every == 0;
        *seen = true;
    }
    return new;
}

static size_t variants_of(const struct plan *plan, struct plan *out) {
    static uint64_t inputs[CASES * INPUT_SLOTS];
    size_t n = 0;
    char letter = plan->operand[0].letter;
    out[n++] = *plan;
    if (!plan->carry_in && !plan->carry_out && letter != 'q' && letter != 'b') {
        out[n] = *plan;
        out[n++].variant.predicated = true;
    }
    const struct plan_operand *last = &plan->operand[plan->count - 1];
    if (last->kind != VALUE_INT16 && last->kind != VALUE_INT32 && last->kind != VALUE_INT64 &&
        last->kind != VALUE_F32 && last->kind != VALUE_F64)
        return n;
    plan_inputs(plan, inputs);
    out[n] = *plan;
    out[n].variant.literal_operand = plan->count - 1;
    out[n++].variant.literal = inputs[41 * INPUT_SLOTS + last->slot];
    return n;
}

/* What is around the tested instruction would make most of a text: the interpreter does it. */
static const handler_fn *originals; /* of the kernel that runs */

static const struct insn *interpret(struct warp *w, const struct insn *in) {
    return originals[in->index](w, in);
}

static handler_fn *interpret_others(struct kernel *k, const char *tested) {
    handler_fn *all = calloc(k->code.count, sizeof *all);
    if (!all)
        abort();
    for (uint32_t i = 0; i < k->code.count; i++) {
        const struct ptx_insn *source = k->code.sources[i];
        all[i] = k->code.insns[i].handler;
        if (!source || !source->opcode || strcmp(source->opcode, tested) != 0)
            k->code.insns[i].handler = interpret;
    }
    return all;
}

/* Keeps of a module's tests those that add something. */
static void choose(const struct plan *plans, size_t count, unsigned values) {
    char error[256] = "", name[32];
    struct module *module = emulated_load(plans, count, error, sizeof error);
    if (!module)
        return fail(plans, "loading", error);
    size_t before = test_count;
    for (size_t i = 0; i < count && test_count < MAX_TESTS; i++) {
        snprintf(name, sizeof name, "f%zu", i);
        struct kernel *k = module_kernel(module, name);
        if (!k || !kernel_prepare(k)) {
            fail(&plans[i], "decoding", k && k->error ? k->error : "no kernel");
            continue;
        }
        handler_fn *all = interpret_others(k, plans[i].name);
        char *text = tier_translate(k, false);
        if (adds_something(k, plans[i].variant.predicated, text)) {
            tests[test_count] = (struct test){plans[i], module, i, k, all, values};
            texts[test_count++] = text;
        } else {
            free(text);
            free(all);
        }
    }
    if (test_count == before)
        module_unload(module);
}

static void choose_all(const struct plan *plans, size_t count, const char *prefix) {
    struct plan some[EMULATED_KERNELS + 3];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(plans[i].name, prefix, strlen(prefix)) == 0)
            n += variants_of(&plans[i], some + n);
        if (n >= EMULATED_KERNELS || (n && i + 1 == count)) {
            choose(some, n, 0);
            n = 0;
        }
    }
}

/* Between bf16 and 8 bits only registers of 8 bits are legal, and the recorded forms have none. Both tiers are compared with each other;
 * tests/coverage compares the interpreter with a GPU. */
static void choose_bytes(const char *prefix) {
    for (size_t i = 0; i < form_count(); i++) {
        const char *name = form_at(i)->name;
        bool to_byte = strstr(name, ".s8.bf16") || strstr(name, ".u8.bf16");
        struct plan plan, some[3];
        if (strncmp(name, prefix, strlen(prefix)) == 0 && strncmp(name, "cvt.", 4) == 0 &&
            (to_byte || strstr(name, ".bf16.s8") || strstr(name, ".bf16.u8")) &&
            plan_form(name, to_byte ? "bh" : "hb", &plan, 1))
            choose(some, variants_of(&plan, some), to_byte ? 0x10000 : 0x100);
    }
}

/* ---- execution ---- */

static const struct compiled *now; /* what the kernel that runs is compiled to; one host thread runs it */
static const struct kernel *kernel;
static uint32_t part; /* the lanes that go first */
static bool disturbed;

static uint64_t lane_value(const struct warp *w, const struct ptx_register *r, int lane) {
    const uint8_t *at = w->regs + r->slot;
    uint64_t v = 0;
    unsigned bytes = register_bits(r) / 8;
    if (!bytes)
        return *(const uint32_t *)(const void *)at >> lane & 1;
    memcpy(&v, at + (unsigned)lane * bytes, bytes < 8 ? bytes : 8);
    return v;
}

/* The registers of the lanes that are not in the mask. */
static uint64_t others_sum(const struct warp *w, uint32_t mask) {
    const struct ptx_function *f = kernel->ptx;
    uint64_t sum = 0;
    for (size_t i = 0; i < f->register_count; i++)
        for (int l = 0; l < 32 && f->registers[i]->slot; l++)
            if (!(mask >> l & 1))
                sum = (sum ^ lane_value(w, f->registers[i], l)) * 0x9e3779b97f4a7c15u + (sum >> 29);
    return sum;
}

/* A kernel whose warps part at once. */
static void run_parts(struct warp *w, const struct insn *in, const struct insn *code) {
    if (in == code && w->count == 1)
        warp_diverge(w, part, in);
    while (in) {
        uint32_t mask = w->mask;
        uint64_t others = others_sum(w, mask);
        in = now->some(w, in, code);
        disturbed |= others_sum(w, mask) != others;
    }
}

static bool execute(const struct test *t, tier_kernel run, const uint64_t *inputs, uint64_t *outputs, const char *how) {
    char error[256];
    atomic_store(&t->kernel->tier->run, run);
    kernel = t->kernel;
    originals = t->originals;
    bool good = emulated_run(&t->plan, t->module, t->number, inputs, outputs, error, sizeof error);
    if (!good)
        fail(&t->plan, how, error);
    return good;
}

static void compare(const struct plan *p, const uint64_t *expected, const uint64_t *found, const struct tolerance *t,
                    const uint64_t *inputs, const char *how) {
    char why[200];
    for (size_t c = 0; c < CASES; c++)
        for (size_t s = c * OUTPUT_SLOTS, i = 0; i < (size_t)p->output_slots; s++, i++)
            if (expected[s] != found[s] &&
                !(t && i == 0 && tolerance_accepts(t, p, inputs[c * INPUT_SLOTS], expected[s], found[s]))) {
                snprintf(why, sizeof why,
                         "case %zu (0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 "): expected 0x%" PRIx64
                         ", found 0x%" PRIx64,
                         c, inputs[c * INPUT_SLOTS], inputs[c * INPUT_SLOTS + 1], inputs[c * INPUT_SLOTS + 2],
                         expected[s], found[s]);
                fail(p, how, why);
                return;
            }
}

/* False where a run failed; what compiled code gave is left in `found`. */
static bool compare_tiers(const struct test *t, const uint64_t *inputs, uint64_t *found) {
    static uint64_t plain[CASES * OUTPUT_SLOTS];
    const struct plan *p = &t->plan;
    uint32_t i = (uint32_t)(t - tests);
    if (!execute(t, NULL, inputs, plain, "interpreted") || !execute(t, now->run, inputs, found, "whole warps"))
        return false;
    compare(p, plain, found, NULL, inputs, "whole warps");
    part = 0x0f3cc5a9u ^ i * 0x01000193u;
    part = part && ~part ? part : 0x55555555u;
    disturbed = false;
    if (!execute(t, run_parts, inputs, found, "parts of warps"))
        return false;
    compare(p, plain, found, NULL, inputs, "parts of warps");
    if (disturbed)
        fail(p, "parts of warps", "registers of other lanes changed");
    return true;
}

static void compare_all_values(const struct test *t) {
    static uint64_t inputs[CASES * INPUT_SLOTS], found[CASES * OUTPUT_SLOTS];
    for (unsigned value = 0; value < t->values; value += CASES) {
        for (unsigned c = 0; c < CASES; c++)
            inputs[c * INPUT_SLOTS] = value + c;
        if (!compare_tiers(t, inputs, found))
            return;
    }
}

static void check(size_t i, const struct vectors *recorded) {
    static uint64_t inputs[CASES * INPUT_SLOTS], found[CASES * OUTPUT_SLOTS], gpu[CASES * OUTPUT_SLOTS];
    const struct test *t = &tests[i];
    const struct plan *p = &t->plan;
    char label[128];
    now = &compiled[i];
    if (t->values) {
        compare_all_values(t);
        return;
    }
    plan_inputs(p, inputs);
    if (!compare_tiers(t, inputs, found))
        return;
    plan_label(p, label, sizeof label);
    const struct vector *v = vectors_find(recorded, label);
    if (p->variant.predicated || p->variant.literal_operand)
        return;
    if (!v || v->rejected || v->fingerprint != plan_fingerprint(p))
        return fail(p, "on the GPU", "nothing is recorded");
    vector_unpack(p, v->bytes, gpu);
    compare(p, gpu, found, tolerance_find(p), inputs, "on the GPU");
}

/* ---- the whole ---- */

/* What is left to the interpreter on purpose (tier/steps.c), and what no kernel here can have: literals of half precision, sums
 * that others test. */
static bool stays(const char *name) {
    static const char *const names[] = {"div_u64",    "div_s64",    "rem_u64",    "rem_s64",  "mul_hi_u64",
                                        "mul_hi_s64", "mad_hi_u64", "mad_hi_s64", "fns_",     "sin_",
                                        "cos_",       "fma_oob_",   "f16_f16",    "bf16_bf16"};
    size_t n = strlen(name);
    if (strncmp(name, "setp_constant_", 14) == 0 && strcmp(name + n - 3, "f16") == 0)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void report_operations(bool all) {
    size_t n = (size_t)(__stop_operations - __start_operations), translated = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        translated += counts[i].translated || counts[i].predicated;
        if (counts[i].translated || counts[i].predicated || stays(__start_operations[i].name))
            continue;
        fprintf(stderr, "# no kernel with %s is translated\n", __start_operations[i].name);
        left++;
    }
    if (all && left)
        printf("not ok tier: every operation is translated: %zu are not\n", left);
    else
        printf("ok tier: every operation is translated (%zu of %zu)\n", translated, n);
}

int main(int argc, char **argv) {
    every = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    if (!every)
        return fprintf(stderr, "usage: check_forms FORMS VECTORS FOLDER EVERY [PREFIX]\n"), 2;
    setenv("EMULATOR_TIER", "0", 1);
    setenv("EMULATOR_THREADS", "1", 1);
    static struct vectors recorded;
    size_t count;
    struct plan *plans = plan_read(argv[1], &count);
    FILE *file = fopen(argv[2], "rb");
    if (!plans || !file || !vectors_read(&recorded, file) || !emulated_open())
        return fprintf(stderr, "check_forms: cannot read %s\n", argv[2]), 2;
    fclose(file);
    choose_all(plans, count, argc > 5 ? argv[5] : "");
    choose_bytes(argc > 5 ? argv[5] : "");
    report_operations(argc < 6);
    if (!batch_compile(texts, compiled, test_count, argv[3]))
        return printf("not ok tier: the texts compile: see the messages\n"), 1;
    for (size_t i = 0; i < test_count; i++)
        check(i, &recorded);
    if (failed)
        printf("not ok tier: operations give what the interpreter and an H200 give: %zu of %zu kernels do not\n",
               failed, test_count);
    else
        printf("ok tier: operations give what the interpreter and an H200 give (%zu kernels)\n", test_count);
    return failed != 0;
}
