/* The host could pass a result to kernels in many launches, a few bytes in each. A launch that repeats an earlier one
 * passes next to nothing: so loops over chunks, passes and devices, whose pointers and sizes recur or change in a word
 * or two, cost little. */
#include "check/carried.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "machine/grid.h"

#define KEPT  16 /* launches of a kernel */
#define SIZES 7  /* of grid, block and dynamic shared memory */
#define WORD  sizeof(uint32_t)

/* The newest comes first. */
static struct earlier {
    const struct kernel *kernel;
    uint32_t count, *words;
    struct earlier *next;
} * launches;

static struct earlier *describe(const struct launch *l) {
    const struct launch_config *c = &l->config;
    const uint32_t sizes[SIZES] = {c->grid[0],  c->grid[1],  c->grid[2],       c->block[0],
                                   c->block[1], c->block[2], c->dynamic_shared};
    uint32_t bytes = l->params ? l->kernel->param_bytes : 0, count = SIZES + (uint32_t)((bytes + WORD - 1) / WORD);
    struct earlier *now = malloc(sizeof *now);
    uint32_t *words = calloc(count, WORD);
    if (!now || !words)
        out_of_memory();
    memcpy(words, sizes, sizeof sizes);
    if (bytes)
        memcpy(words + SIZES, l->params, bytes);
    *now = (struct earlier){l->kernel, count, words, NULL};
    return now;
}

static uint32_t differing(const struct earlier *a, const struct earlier *b) {
    uint32_t words = 0;
    for (uint32_t i = 0; i < a->count; i++)
        /* Compared with nothing, what is not zero counts. */
        words += a->words[i] != (b ? b->words[i] : 0);
    return words;
}

static void forget(struct earlier **at) {
    struct earlier *old = *at;
    *at = old->next;
    free(old->words);
    free(old);
}

uint64_t carried_by(const struct launch *l) {
    struct earlier *now = describe(l), **oldest = NULL;
    uint32_t least = differing(now, NULL), known = 0;
    /* The earlier launch that it resembles most: passes and chunks recur in any order. */
    for (struct earlier **at = &launches; *at && least; at = &(*at)->next)
        if ((*at)->kernel == now->kernel && (*at)->count == now->count) {
            uint32_t words = differing(now, *at);
            least = words < least ? words : least;
            known++;
            oldest = at;
        }
    if (oldest && (least == 0 || known == KEPT)) /* the very same, or one that is forgotten for it */
        forget(oldest);
    now->next = launches;
    launches = now;
    return (uint64_t)least * WORD;
}

void carried_forget(void) {
    while (launches)
        forget(&launches);
}
