/* See reuse.h. A hash table of (block, line) with a bit for each warp. Entries of blocks that have ended are dropped
 * when the table has become large and another block begins. */
#include "profile/reuse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

#define LINE_SHIFT 7
#define SMALL      ((size_t)1 << 15) /* places at first; a new block finds at most half of them occupied */

struct place {
    uint64_t block, line;
    uint32_t warps; /* 0: empty */
};

struct line_reuse {
    struct place *places;
    size_t size, used; /* size is a power of two */
    uint64_t block;    /* the last one */
};

struct line_reuse *reuse_new(void) {
    struct line_reuse *r = zeroed(1, sizeof *r);
    r->places = zeroed(SMALL, sizeof *r->places);
    r->size = SMALL;
    return r;
}

void reuse_free(struct line_reuse *r) {
    if (r)
        free(r->places);
    free(r);
}

static struct place *find_place(const struct line_reuse *r, uint64_t block, uint64_t line) {
    /* The block's number goes to the upper bits, so that one line of two blocks has two places. */
    size_t at = (size_t)(((line ^ block << 40) * 0x9e3779b97f4a7c15u) >> 20) & (r->size - 1);
    while (r->places[at].warps && (r->places[at].line != line || r->places[at].block != block))
        at = (at + 1) & (r->size - 1);
    return &r->places[at];
}

static void grow(struct line_reuse *r) {
    struct line_reuse larger = {.size = 2 * r->size, .used = r->used, .block = r->block};
    larger.places = zeroed(larger.size, sizeof *larger.places);
    for (size_t i = 0; i < r->size; i++)
        if (r->places[i].warps)
            *find_place(&larger, r->places[i].block, r->places[i].line) = r->places[i];
    free(r->places);
    *r = larger;
}

enum line_seen reuse_note(struct line_reuse *r, uint64_t block, unsigned warp, uint64_t address) {
    /* Only when another block begins: a block must find the lines its warps have loaded. Entries of earlier blocks are
     * useless to it, but clearing a table for each small block would cost more than they do. */
    if (block != r->block && r->used > SMALL / 2) {
        memset(r->places, 0, r->size * sizeof *r->places);
        r->used = 0;
    }
    r->block = block;
    if (2 * r->used >= r->size)
        grow(r);
    struct place *p = find_place(r, block, address >> LINE_SHIFT);
    uint32_t bit = (uint32_t)1 << (warp & 31), before = p->warps;
    r->used += !before;
    *p = (struct place){block, address >> LINE_SHIFT, before | bit};
    return before & bit ? LINE_AGAIN_WARP : before ? LINE_AGAIN_BLOCK : LINE_FIRST;
}
