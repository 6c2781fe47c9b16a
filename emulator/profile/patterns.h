/* Remembers how many sectors or wavefronts a pattern of addresses needs. An instruction in a loop meets the same few
 * patterns again and again, moved by whole rows; counting afresh each time costs many times the instruction. */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <stdint.h>

#include "core/warp.h"

struct pattern_memory;

typedef unsigned (*count_fn)(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);

struct pattern_memory *patterns_new(void);
void patterns_free(struct pattern_memory *p);

/* count(addresses, mask, bytes), from memory where possible. `period`, a power of two, is the number of bytes by which all
 * addresses may move without a change of the result; `key` is any number that tells instructions apart. */
unsigned patterns_count(struct pattern_memory *p, uint32_t key, count_fn count, unsigned period,
                        const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);

#endif
