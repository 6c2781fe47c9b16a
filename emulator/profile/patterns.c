/* See patterns.h. An entry is the whole pattern, so a hit is right whatever instruction it came from; the key only
 * chooses where to look. */
#include "profile/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "profile/counters.h"

#define SETS   64
#define WAYS   4
#define LINE   128 /* all addresses may move by a multiple of this without a change of the cost */
#define SECTOR 32

struct pattern {
    uint64_t offsets[WARP_SIZE]; /* from the first active lane; 0 in inactive lanes */
    uint32_t mask;
    uint16_t phase; /* of the first active lane within the line */
    uint8_t bytes, way;
    struct pattern_cost cost;
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

static void set_wavefronts(struct pattern_cost *cost, struct wavefronts w) {
    cost->sectors = (uint16_t)w.passes;
    cost->ideal = (uint16_t)w.ideal;
}

/* One lane for each line that the lanes' addresses lie in. */
static void find_lines(struct pattern_cost *cost, const uint64_t addresses[WARP_SIZE], uint32_t mask) {
    uint64_t lines[WARP_SIZE];
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = first_lane(left);
        unsigned i = 0;
        while (i < cost->lines && lines[i] != addresses[l] / LINE)
            i++;
        if (i < cost->lines)
            continue;
        lines[cost->lines++] = addresses[l] / LINE;
        cost->line_lanes |= (uint32_t)1 << l;
    }
}

static struct pattern_cost compute(enum pattern_way way, const uint64_t a[WARP_SIZE], uint32_t mask, unsigned bytes) {
    struct pattern_cost cost = {.used = (uint16_t)count_distinct_bytes(a, mask, bytes)};
    switch (way) {
    case PATTERN_GLOBAL:
    case PATTERN_GLOBAL_ATOMIC:
        cost.ideal = (uint16_t)((cost.used + SECTOR - 1) / SECTOR);
        cost.sectors =
            (uint16_t)(way == PATTERN_GLOBAL ? count_sectors(a, mask, bytes) : count_atomic_sectors(a, mask));
        find_lines(&cost, a, mask);
        break;
    case PATTERN_SHARED_LOAD:
        set_wavefronts(&cost, load_wavefronts(a, mask, bytes));
        break;
    case PATTERN_SHARED_STORE:
        set_wavefronts(&cost, store_wavefronts(a, mask, bytes));
        break;
    case PATTERN_SHARED_ATOMIC:
    case PATTERN_SHARED_COUNT:
        set_wavefronts(&cost, atomic_wavefronts(a, mask, bytes, way == PATTERN_SHARED_COUNT));
        break;
    case PATTERN_SHARED_MATRIX:
        set_wavefronts(&cost, matrix_wavefronts(a, mask));
        break;
    case PATTERN_NONE:
        break;
    }
    if (way == PATTERN_GLOBAL_ATOMIC || way == PATTERN_SHARED_ATOMIC || way == PATTERN_SHARED_COUNT)
        cost.busiest = (uint16_t)count_busiest(a, mask);
    return cost;
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

struct pattern_cost patterns_cost(struct pattern_memory *memory, uint32_t key, enum pattern_way way,
                                  const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    if (!memory)
        return compute(way, addresses, mask, bytes);
    uint64_t offsets[WARP_SIZE], first = addresses[first_lane(mask)];
    uint16_t phase = (uint16_t)(first & (LINE - 1));
    for (int l = 0; l < WARP_SIZE; l++)
        offsets[l] = LANE_ON(mask) ? addresses[l] - first : 0;
    struct pattern_set *set = &memory->sets[key % SETS];
    for (int i = 0; i < WAYS; i++) {
        const struct pattern *known = &set->ways[i];
        if (known->way == way && known->mask == mask && known->phase == phase && known->bytes == bytes &&
            same_offsets(known->offsets, offsets))
            return known->cost;
    }
    struct pattern_cost cost = compute(way, addresses, mask, bytes);
    struct pattern found = {.mask = mask, .phase = phase, .bytes = (uint8_t)bytes, .way = (uint8_t)way, .cost = cost};
    remember(set, &found, offsets);
    return cost;
}
