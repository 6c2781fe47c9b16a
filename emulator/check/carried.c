/* The host could hand a result over in many launches, a few bytes in each. A launch that says what the one before has said hands nothing over: so
 * loops over chunks and passes, whose pointers and sizes stay or change in a word or two, cost next to nothing. */
#include "check/carried.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "machine/grid.h"

#define SIZES 7 /* of grid, block and dynamic shared memory */
#define WORD  ((uint32_t)sizeof(uint32_t))

static struct last_launch {
    const struct kernel *kernel;
    uint32_t count, *words;
    struct last_launch *next;
} * launches; /* the kernel that was launched last comes first */

static struct last_launch *add(const struct kernel *kernel, uint32_t count) {
    struct last_launch *last = malloc(sizeof *last);
    uint32_t *words = calloc(count, sizeof *words);
    if (!last || !words)
        out_of_memory();
    *last = (struct last_launch){kernel, count, words, NULL};
    return last;
}

/* Out of the list, to be its first. */
static struct last_launch *take(const struct kernel *kernel, uint32_t count) {
    for (struct last_launch **at = &launches; *at; at = &(*at)->next) {
        struct last_launch *found = *at;
        if (found->kernel == kernel && found->count == count) {
            *at = found->next;
            return found;
        }
    }
    return add(kernel, count);
}

static uint64_t replace(uint32_t *last, const void *now, uint32_t bytes) {
    uint64_t changed = 0;
    for (uint32_t at = 0; at < bytes; at += WORD) {
        uint32_t word = 0, length = bytes - at < WORD ? bytes - at : WORD;
        memcpy(&word, (const uint8_t *)now + at, length);
        changed += word != last[at / WORD] ? WORD : 0;
        last[at / WORD] = word;
    }
    return changed;
}

uint64_t carried_by(const struct launch *l) {
    const struct launch_config *c = &l->config;
    const uint32_t sizes[SIZES] = {c->grid[0],  c->grid[1],  c->grid[2],       c->block[0],
                                   c->block[1], c->block[2], c->dynamic_shared};
    uint32_t bytes = l->kernel->param_bytes;
    struct last_launch *last = take(l->kernel, SIZES + (bytes + WORD - 1) / WORD);
    uint64_t changed = replace(last->words, sizes, sizeof sizes);
    changed += l->params ? replace(last->words + SIZES, l->params, bytes) : 0;
    last->next = launches;
    launches = last;
    return changed;
}

void carried_forget(void) {
    while (launches) {
        struct last_launch *last = launches;
        launches = last->next;
        free(last->words);
        free(last);
    }
}
