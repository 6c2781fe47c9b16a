/* One kernel that is interpreted at first and compiled later: check_switch WHAT
 *
 *   once      one launch; says whether it was compiled
 *   middle    launches until one has begun interpreted and ended compiled
 *   threads   several host threads launch the kernel meanwhile
 *   unload    the module goes while its kernel is being compiled
 *
 * What the kernel computes is computed here too. The environment is the caller's: EMULATOR_TIER, EMULATOR_CACHE and so on. */
#include "machine/grid.h"
#include "decode/module.h"
#include "memory/memory.h"
#include "tier/tier.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK   96
#define BLOCKS  400
#define TURNS   200
#define SECONDS 120 /* to wait for a compiler */

static uint32_t salt = 1013904223; /* in the kernel's text: another one is another kernel */

static const char text[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 turns)\n{\n"
    "    .reg .pred %%p<3>;\n    .reg .b32 %%r<9>;\n    .reg .b64 %%l<4>;\n"
    "    ld.param.u64 %%l0, [out];\n    ld.param.u32 %%r0, [turns];\n"
    "    mov.u32 %%r1, %%ctaid.x;\n    mov.u32 %%r2, %%ntid.x;\n    mov.u32 %%r3, %%tid.x;\n"
    "    mad.lo.u32 %%r4, %%r1, %%r2, %%r3;\n    and.b32 %%r5, %%r3, 7;\n    add.u32 %%r0, %%r0, %%r5;\n"
    "    mov.u32 %%r6, %%r4;\n"
    "AGAIN:\n    mad.lo.u32 %%r6, %%r6, 1664525, %u;\n    shr.u32 %%r7, %%r6, 13;\n    and.b32 %%r8, %%r7, 3;\n"
    "    setp.ne.u32 %%p0, %%r8, 0;\n    @%%p0 bra NEXT;\n    xor.b32 %%r6, %%r6, %%r7;\n"
    "NEXT:\n    sub.u32 %%r0, %%r0, 1;\n    setp.ne.u32 %%p1, %%r0, 0;\n    @%%p1 bra AGAIN;\n"
    "    mul.wide.u32 %%l1, %%r4, 4;\n    add.u64 %%l2, %%l0, %%l1;\n    st.global.u32 [%%l2], %%r6;\n    ret;\n}\n";

static uint32_t expected(uint32_t thread, uint32_t turns) {
    uint32_t x = thread;
    for (turns += thread % BLOCK & 7; turns; turns--) {
        x = x * 1664525 + salt;
        x ^= x >> 13 & 3 ? 0 : x >> 13;
    }
    return x;
}

static void give_up(const char *why) {
    printf("wrong: %s\n", why);
    exit(1);
}

static struct module *load(struct kernel **k) {
    char ptx[4000], error[256];
    size_t n = (size_t)snprintf(ptx, sizeof ptx, text, salt);
    struct module *m = module_load(ptx, n, "switch", error, sizeof error);
    if (!m)
        give_up(error);
    *k = module_kernel(m, "k");
    if (!*k || !kernel_prepare(*k))
        give_up("the kernel cannot be decoded");
    return m;
}

static void launch(struct kernel *k, uint32_t blocks, uint32_t turns) {
    struct allocation *out = memory_allocate((size_t)blocks * BLOCK * 4, 0, MEMORY_DEVICE, 0, NULL);
    uint64_t params[] = {out->base, turns};
    struct launch_config config = {.grid = {blocks, 1, 1}, .block = {BLOCK, 1, 1}, .params = params};
    if (grid_run(k, &config))
        give_up("the launch failed");
    const uint32_t *found = (const void *)out->host;
    for (uint32_t i = 0; i<blocks * BLOCK; i += blocks> BLOCKS ? 7 : 1)
        if (found[i] != expected(i, turns))
            give_up("a thread's result");
    memory_free(out->base);
}

static bool compiled(const struct kernel *k) {
    return atomic_load(&k->tier->run) != NULL;
}

static void once(void) {
    struct kernel *k;
    load(&k);
    launch(k, BLOCKS, TURNS);
    printf("right, %s\n", compiled(k) ? "compiled" : "interpreted");
}

static void middle(void) {
    struct kernel *k;
    for (uint32_t blocks = 4000; blocks < 1000000; blocks *= 2, salt += 2) {
        load(&k);
        launch(k, blocks, TURNS);
        if (compiled(k)) {
            launch(k, BLOCKS, TURNS);
            printf("right, in the middle\n");
            return;
        }
    }
    give_up("no kernel was compiled while it ran");
}

static void *launches(void *kernel) {
    for (int i = 0; i < SECONDS * 50 && !compiled(kernel); i++) {
        launch(kernel, BLOCKS, TURNS + (uint32_t)(i & 7));
        usleep(10000);
    }
    for (int i = 0; i < 20; i++)
        launch(kernel, BLOCKS, TURNS + (uint32_t)i);
    return NULL;
}

static void threads(void) {
    pthread_t thread[4];
    struct kernel *k;
    load(&k);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, launches, k))
            give_up("no thread");
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("right, %s\n", compiled(k) ? "compiled" : "interpreted");
}

static void unload(void) {
    struct kernel *k;
    struct module *m = load(&k);
    while (!atomic_load(&k->tier->asked))
        launch(k, BLOCKS, TURNS);
    module_unload(m);
    load(&k);
    launches(k);
    printf("right, %s\n", compiled(k) ? "compiled" : "interpreted");
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"once", once}, {"middle", middle}, {"threads", threads}, {"unload", unload}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (argc == 2 && strcmp(argv[1], all[i].name) == 0)
            return all[i].run(), 0;
    return fprintf(stderr, "usage: check_switch once|middle|threads|unload\n"), 2;
}
