/* Remembers what patterns of addresses cost, for one instruction. In a loop it meets the same few patterns again and again, moved
 * by whole rows; counting afresh each time costs many times the instruction. */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/warp.h"

struct pattern_memory;

/* How a warp reaches memory: what the cost depends on, beside the addresses. */
enum pattern_way {
    PATTERN_NONE,
    PATTERN_GLOBAL,        /* load or store: sectors */
    PATTERN_GLOBAL_ATOMIC, /* sectors, busiest */
    PATTERN_SHARED_LOAD,   /* wavefronts */
    PATTERN_SHARED_STORE,
    PATTERN_SHARED_ATOMIC, /* wavefronts, busiest */
    PATTERN_SHARED_COUNT,  /* an atomic that adds 1 and does not look: lanes at one address are counted at once */
    PATTERN_SHARED_MATRIX, /* ldmatrix, stmatrix: 16 bytes per lane, eight lanes to a matrix */
};

struct pattern_cost {
    uint16_t sectors;    /* or wavefronts */
    uint16_t ideal;      /* those that the same bytes would need at best */
    uint16_t used;       /* distinct bytes */
    uint16_t busiest;    /* atomics: most lanes at one address */
    uint8_t lines;       /* distinct 128-byte lines, the first addresses of the lanes only */
    uint32_t line_lanes; /* a lane for each of these */
};

struct pattern_memory *patterns_new(void);
void patterns_free(struct pattern_memory *p);

/* From memory where possible; memory may be NULL. `bytes`: of a lane, at most 16. */
struct pattern_cost patterns_cost(struct pattern_memory *memory, enum pattern_way way,
                                  const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);

/* The same straight from an address register of 32 or 64 bits, to which `offset` is added, for a way and a size that this instruction
 * always has. False when the pattern is not among those remembered; otherwise the access is noted, for patterns_sum. */
bool patterns_again32(struct pattern_memory *memory, const uint32_t *reg, uint32_t offset, uint32_t mask);
bool patterns_again64(struct pattern_memory *memory, const uint64_t *reg, uint64_t offset, uint32_t mask);

/* What the accesses have cost that were noted so. */
struct pattern_sum {
    uint64_t accesses, lanes, sectors, ideal, used;
};
struct pattern_sum patterns_sum(const struct pattern_memory *memory);

#endif
