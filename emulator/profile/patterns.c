/* See patterns.h. An entry is the whole pattern, so a hit is right whatever instruction it came from; the key only
 * chooses where to look. */
#include "profile/patterns.h"

#include <stdlib.h>
#include <string.h>

#define SETS 64
#define WAYS 4

struct pattern {
    uint64_t offsets[WARP_SIZE]; /* from the first active lane; 0 in inactive lanes */
    count_fn count;              /* NULL: empty */
    uint32_t mask;
    uint32_t phase; /* of the first active lane within the period */
    unsigned bytes, result;
};

struct pattern_set {
    struct pattern ways[WAYS];
    unsigned next; /* to be replaced */
};

struct pattern_memory {
    struct pattern_set sets[SETS];
};

struct pattern_memory *patterns_new(void) {
    return calloc(1, sizeof(struct pattern_memory));
}
void patterns_free(struct pattern_memory *p) {
    free(p);
}

static bool same_offsets(const uint64_t *a, const uint64_t *b) {
    uint64_t difference = 0;
    for (int l = 0; l < WARP_SIZE; l++)
        difference |= a[l] ^ b[l];
    return difference == 0;
}

static void remember(struct pattern_set *set, const struct pattern *p, const uint64_t offsets[WARP_SIZE]) {
    struct pattern *way = &set->ways[set->next];
    *way = *p;
    memcpy(way->offsets, offsets, sizeof way->offsets);
    set->next = (set->next + 1) % WAYS;
}

unsigned patterns_count(struct pattern_memory *memory, uint32_t key, count_fn count, unsigned period,
                        const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    if (!memory)
        return count(addresses, mask, bytes);
    uint64_t offsets[WARP_SIZE], first = addresses[first_lane(mask)];
    uint32_t phase = (uint32_t)first & (period - 1);
    for (int l = 0; l < WARP_SIZE; l++)
        offsets[l] = LANE_ON(mask) ? addresses[l] - first : 0;
    struct pattern_set *set = &memory->sets[key % SETS];
    for (int i = 0; i < WAYS; i++) {
        const struct pattern *known = &set->ways[i];
        if (known->count == count && known->mask == mask && known->phase == phase && known->bytes == bytes &&
            same_offsets(known->offsets, offsets))
            return known->result;
    }
    unsigned result = count(addresses, mask, bytes);
    remember(set, &(struct pattern){.count = count, .mask = mask, .phase = phase, .bytes = bytes, .result = result},
             offsets);
    return result;
}
