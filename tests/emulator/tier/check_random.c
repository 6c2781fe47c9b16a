/* Random kernels, interpreted and compiled: check_random FORMS FOLDER SEED COUNT
 *
 * What all threads leave in memory must agree to the bit. A kernel that does not is written to FOLDER/failed.ptx. */
#include "batch.h"
#include "core/function.h"
#include "core/grid.h"
#include "memory/memory.h"
#include "random_kernel.h"
#include "tier/tier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS  4
#define BLOCK   121 /* the last warp of a block is not whole */
#define SIZE    (BLOCKS * BLOCK * RANDOM_WORDS)
#define ROOM    40000 /* bytes of a kernel's text */
#define MODULE  50    /* kernels in one */
#define KERNELS 5000

static struct kernel *kernels[KERNELS];
static char *ptx[KERNELS], *texts[KERNELS];
static struct compiled compiled[KERNELS];
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
    used += (size_t)snprintf(all, ROOM, "%s", plan_module_header);
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
        texts[i] = tier_translate(kernels[i], false);
    }
    return true;
}

static bool execute(struct kernel *k, tier_kernel run, const uint64_t *inputs, uint64_t *outputs) {
    uint64_t params[] = {device_inputs->base, device_outputs->base};
    struct launch_config config = {.grid = {BLOCKS, 1, 1}, .block = {BLOCK, 1, 1}, .params = params};
    memcpy(device_inputs->host, inputs, 8 * SIZE);
    memset(device_outputs->host, 0xcd, 8 * SIZE);
    atomic_store(&k->tier->run, run);
    int error = grid_run(k, &config);
    memcpy(outputs, device_outputs->host, 8 * SIZE);
    if (error)
        fprintf(stderr, "# %s: error %d\n", k->name, error);
    return !error;
}

static bool agrees(size_t i, const uint64_t *inputs) {
    static uint64_t expected[SIZE], found[SIZE];
    if (!execute(kernels[i], NULL, inputs, expected) || !execute(kernels[i], compiled[i].run, inputs, found))
        return false;
    for (size_t c = 0; c < SIZE; c++)
        if (expected[c] != found[c]) {
            fprintf(stderr, "# kernel %zu, thread %zu, word %zu: interpreted 0x%" PRIx64 ", compiled 0x%" PRIx64 "\n",
                    i, c / RANDOM_WORDS, c % RANDOM_WORDS, expected[c], found[c]);
            return false;
        }
    return true;
}

static void keep(const char *folder, size_t i) {
    char path[4000];
    snprintf(path, sizeof path, "%s/failed.ptx", folder);
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "%s%s", plan_module_header, ptx[i]);
        fclose(f);
    }
}

int main(int argc, char **argv) {
    size_t plan_count, count = argc > 4 ? strtoul(argv[4], NULL, 10) : 0, wrong = 0;
    if (!count || count > KERNELS)
        return fprintf(stderr, "usage: check_random FORMS FOLDER SEED COUNT\n"), 2;
    setenv("EMULATOR_TIER", "0", 1);
    struct plan *plans = plan_read(argv[1], &plan_count);
    device_inputs = memory_allocate(8 * SIZE, 0, MEMORY_DEVICE, 0, NULL);
    device_outputs = memory_allocate(8 * SIZE, 0, MEMORY_DEVICE, 0, NULL);
    if (!plans || !device_inputs || !device_outputs)
        return 2;
    struct random r = {strtoull(argv[3], NULL, 10) * 0x9e3779b97f4a7c15u + 1};
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "k%zu", i);
        random_kernel(plans, plan_count, &r, name, ptx[i] = memory(ROOM), ROOM);
    }
    for (size_t i = 0; i < count; i += MODULE)
        if (!load(i, i + MODULE < count ? i + MODULE : count))
            return printf("not ok tier: random kernels: they cannot be decoded\n"), 1;
    if (!batch_compile(texts, compiled, count, argv[2]))
        return printf("not ok tier: random kernels: the texts do not compile\n"), 1;
    uint64_t *inputs = memory(8 * SIZE);
    random_inputs(&r, inputs, BLOCKS * BLOCK);
    for (size_t i = 0; i < count; i++)
        if (!agrees(i, inputs) && !wrong++)
            keep(argv[2], i);
    if (wrong)
        printf("not ok tier: random kernels: %zu of %zu differ\n", wrong, count);
    else
        printf("ok tier: random kernels give what the interpreter gives (%zu)\n", count);
    free(inputs);
    return wrong != 0;
}
