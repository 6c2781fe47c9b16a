/* Random kernels, interpreted and compiled: check_random FORMS FOLDER SEED COUNT
 *
 * What all threads leave in memory must agree to the bit, and when they are counted, every number: the sums that emulator.h offers, and
 * each line's of a profile. A kernel that does not is written to FOLDER/failed.ptx. */
#include "batch.h"
#include "machine/grid.h"
#include "emulator.h"
#include "memory/memory.h"
#include "profile/launches.h"
#include "random_kernel.h"
#include "tier/tier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS        4
#define BLOCK         121 /* the last warp of a block is not whole */
#define SIZE          (BLOCKS * BLOCK * RANDOM_WORDS)
#define OUTPUTS       (BLOCKS * BLOCK * (RANDOM_WORDS + RANDOM_ROWS))
#define ROOM          60000 /* bytes of a kernel's text */
#define MODULE        50    /* kernels in one */
#define KERNELS       5000
#define MOST_PROFILED 2000 /* no more launches are kept */

static struct kernel *kernels[KERNELS];
static char *ptx[KERNELS], *texts[2 * KERNELS]; /* plain and counted */
static struct compiled compiled[2 * KERNELS];
static size_t count;
static struct allocation *device_inputs, *device_outputs;

static void *memory(size_t size) {
    void *p = calloc(1, size);
    if (!p)
        abort();
    return p;
}

/* The kernels from..to: 0 is returned when they cannot be decoded. */
static bool load(size_t from, size_t to) {
    size_t used = 0;
    char *all = memory((MODULE + 1) * ROOM), error[256] = "", name[32];
    used += (size_t)snprintf(all, ROOM, "%s.file 1 \"random\"\n", plan_module_header);
    for (size_t i = from; i < to; i++)
        used += strlen(strcpy(all + used, ptx[i]));
    struct module *module = module_load(all, used, "random", error, sizeof error);
    free(all);
    if (!module)
        return fprintf(stderr, "# %s\n", error), false;
    for (size_t i = from; i < to; i++) {
        snprintf(name, sizeof name, "k%zu", i);
        kernels[i] = module_kernel(module, name);
        if (!kernels[i] || !kernel_prepare(kernels[i]))
            return fprintf(stderr, "# %s\n", kernels[i] ? kernels[i]->error : name), false;
        texts[2 * i] = tier_translate(kernels[i], false);
        texts[2 * i + 1] = tier_translate(kernels[i], true);
    }
    return true;
}

static bool execute(struct kernel *k, struct tier *tier, tier_kernel run, const uint64_t *inputs, uint64_t *outputs) {
    uint64_t params[] = {device_inputs->base, device_outputs->base};
    struct launch_config config = {.grid = {BLOCKS, 1, 1}, .block = {BLOCK, 1, 1}, .params = params};
    memcpy(device_inputs->host, inputs, 8 * SIZE);
    memset(device_outputs->host, 0xcd, 8 * OUTPUTS);
    atomic_store(&tier->run, run);
    int error = grid_run(k, &config);
    memcpy(outputs, device_outputs->host, 8 * OUTPUTS);
    if (error)
        fprintf(stderr, "# %s: error %d\n", k->name, error);
    return !error;
}

static bool same_words(size_t i, const uint64_t *expected, const uint64_t *found) {
    for (size_t c = 0; c < OUTPUTS; c++)
        if (expected[c] != found[c]) {
            fprintf(stderr, "# kernel %zu, thread %zu, word %zu: interpreted 0x%" PRIx64 ", compiled 0x%" PRIx64 "\n",
                    i, c / RANDOM_WORDS, c % RANDOM_WORDS, expected[c], found[c]);
            return false;
        }
    return true;
}

static uint64_t expected[OUTPUTS], found[OUTPUTS];

static bool agrees(size_t i, const uint64_t *inputs) {
    struct kernel *k = kernels[i];
    return execute(k, k->tier, NULL, inputs, expected) && execute(k, k->tier, compiled[2 * i].run, inputs, found) &&
           same_words(i, expected, found);
}

/* ---- counted ---- */

static bool same_numbers(size_t i, const char *what, uint32_t line, const void *interpreted, const void *of_compiled,
                         size_t bytes) {
    const uint64_t *a = interpreted, *b = of_compiled;
    for (size_t n = 0; n < bytes / sizeof *a; n++)
        if (a[n] != b[n]) {
            fprintf(stderr, "# kernel %zu, line %u, %s %zu: interpreted %" PRIu64 ", compiled %" PRIu64 "\n", i, line,
                    what, n, a[n], b[n]);
            return false;
        }
    return true;
}

static bool execute_summed(size_t i, tier_kernel run, const uint64_t *inputs, uint64_t *outputs,
                           struct emulatorCounters *sums) {
    emulatorCountersStart();
    bool right = execute(kernels[i], kernels[i]->counted_tier, run, inputs, outputs);
    emulatorCountersStop(sums, sizeof *sums);
    return right;
}

static bool sums_agree(size_t i, const uint64_t *inputs) {
    struct emulatorCounters a, b;
    return execute_summed(i, NULL, inputs, expected, &a) &&
           execute_summed(i, compiled[2 * i + 1].run, inputs, found, &b) && same_words(i, expected, found) &&
           same_numbers(i, "sum", 0, &a, &b, sizeof a);
}

/* The lanes that did not take part may have had anything in their registers. */
static bool same_example(size_t i, uint32_t line, const struct access_example *a, const struct access_example *b) {
    bool same = !a == !b && (!a || (a->mask == b->mask && a->block == b->block && a->warp == b->warp &&
                                    a->bytes == b->bytes && a->cost == b->cost && a->ideal == b->ideal));
    for (int l = 0; same && a && l < WARP_SIZE; l++)
        same = !(a->mask >> l & 1) || a->addresses[l] == b->addresses[l];
    if (!same)
        fprintf(stderr, "# kernel %zu, line %u: another example\n", i, line);
    return same;
}

static bool same_line(size_t i, const struct line_profile *a, const struct line_profile *b) {
    bool same = a->line == b->line && same_numbers(i, "count", a->line, &a->counts, &b->counts, sizeof a->counts) &&
                same_numbers(i, "class", a->line, &a->classes, &b->classes, sizeof a->classes);
    for (int kind = 0; same && kind < KINDS_OF_ACCESS; kind++)
        same = same_example(i, a->line, a->examples[kind], b->examples[kind]);
    return same;
}

static struct launch_profile *last_profile(void) {
    uint64_t left_out;
    struct launch_profile *p = launches_all(&left_out);
    while (p && p->next)
        p = p->next;
    return p;
}

static bool profiles_agree(size_t i, const uint64_t *inputs) {
    struct kernel *k = kernels[i];
    bool right = execute(k, k->counted_tier, NULL, inputs, expected);
    const struct launch_profile *a = last_profile();
    right &= execute(k, k->counted_tier, compiled[2 * i + 1].run, inputs, found);
    const struct launch_profile *b = last_profile();
    if (!right || a == b || a->line_count != b->line_count)
        return fprintf(stderr, "# kernel %zu: other lines\n", i), false;
    for (size_t n = 0; right && n < a->line_count; n++)
        right = same_line(i, &a->lines[n], &b->lines[n]);
    return right && same_words(i, expected, found);
}

static void keep(const char *folder, size_t i) {
    char path[4000];
    snprintf(path, sizeof path, "%s/failed.ptx", folder);
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "%s.file 1 \"random\"\n%s", plan_module_header, ptx[i]);
        fclose(f);
    }
}

/* In a process of its own: whether there is a profile is decided once. */
static int check(const char *what, bool (*right)(size_t, const uint64_t *), const uint64_t *inputs, const char *folder,
                 size_t most) {
    int status = 1;
    size_t wrong = 0, n = count < most ? count : most;
    fflush(stdout);
    pid_t child = fork();
    if (child > 0)
        waitpid(child, &status, 0);
    if (child)
        return status != 0;
    if (right == profiles_agree) {
        setenv("EMULATOR_PROFILE", "csv", 1);
        setenv("EMULATOR_PROFILE_FILE", "/dev/null", 1);
    }
    for (size_t i = 0; i < n; i++)
        if (!right(i, inputs) && !wrong++)
            keep(folder, i);
    if (wrong)
        printf("not ok tier: random kernels %s: %zu of %zu differ\n", what, wrong, n);
    else
        printf("ok tier: random kernels %s (%zu)\n", what, n);
    exit(wrong != 0);
}

int main(int argc, char **argv) {
    size_t plan_count;
    count = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    if (!count || count > KERNELS)
        return fprintf(stderr, "usage: check_random FORMS FOLDER SEED COUNT\n"), 2;
    setenv("EMULATOR_TIER", "0", 1);
    struct plan *plans = plan_read(argv[1], &plan_count);
    device_inputs = memory_allocate(8 * SIZE, 0, MEMORY_DEVICE, 0, NULL);
    device_outputs = memory_allocate(8 * OUTPUTS, 0, MEMORY_DEVICE, 0, NULL);
    if (!plans || !device_inputs || !device_outputs)
        return 2;
    struct random r = {strtoull(argv[3], NULL, 10) * 0x9e3779b97f4a7c15u + 1};
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "k%zu", i);
        random_kernel(plans, plan_count, &r, (struct random_shape){BLOCKS * BLOCK, BLOCK}, name, ptx[i] = memory(ROOM),
                      ROOM);
    }
    for (size_t i = 0; i < count; i += MODULE)
        if (!load(i, i + MODULE < count ? i + MODULE : count))
            return printf("not ok tier: random kernels: they cannot be decoded\n"), 1;
    if (!batch_compile(texts, compiled, 2 * count, argv[2]))
        return printf("not ok tier: random kernels: the texts do not compile\n"), 1;
    uint64_t *inputs = memory(8 * SIZE);
    random_inputs(&r, inputs, BLOCKS * BLOCK);
    int wrong = check("give what the interpreter gives", agrees, inputs, argv[2], count) |
                check("have the interpreter's sums", sums_agree, inputs, argv[2], count) |
                check("have the interpreter's profiles", profiles_agree, inputs, argv[2], MOST_PROFILED);
    free(inputs);
    return wrong;
}
