/* See patterns.h. A pattern is the whole of the lanes' distances from the first one, so a hit is right. The cost also
 * depends on the position of the first lane's address in its line. */
#include "profile/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "profile/counters.h"

#define SECTOR 32

struct pattern_memory *patterns_new(void) {
    size_t bytes = (sizeof(struct pattern_memory) + 63) / 64 * 64;
    struct pattern_memory *m = aligned_alloc(64, bytes);
    if (m)
        memset(m, 0, bytes);
    return m;
}
void patterns_free(struct pattern_memory *p) {
    free(p);
}

static void set_wavefronts(struct pattern_cost *cost, struct wavefronts w) {
    cost->sectors = (uint16_t)w.passes;
    cost->ideal = (uint16_t)w.ideal;
}

/* One lane for each line that contains an address of the lanes. */
static void find_lines(struct pattern_cost *cost, const uint64_t addresses[WARP_SIZE], uint32_t mask) {
    uint64_t lines[WARP_SIZE];
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = first_lane(left);
        unsigned i = 0;
        while (i < cost->lines && lines[i] != addresses[l] / PATTERN_LINE)
            i++;
        if (i < cost->lines)
            continue;
        lines[cost->lines++] = addresses[l] / PATTERN_LINE;
        cost->line_lanes |= (uint32_t)1 << l;
    }
}

static struct pattern_cost compute(enum pattern_kind kind, const uint64_t a[WARP_SIZE], uint32_t mask, unsigned bytes) {
    struct pattern_cost cost = {.used = (uint16_t)count_distinct_bytes(a, mask, bytes)};
    switch (kind) {
    case PATTERN_GLOBAL:
    case PATTERN_GLOBAL_ATOMIC:
        cost.ideal = (uint16_t)((cost.used + SECTOR - 1) / SECTOR);
        cost.sectors =
            (uint16_t)(kind == PATTERN_GLOBAL ? count_sectors(a, mask, bytes) : count_atomic_sectors(a, mask));
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
        set_wavefronts(&cost, atomic_wavefronts(a, mask, bytes, kind == PATTERN_SHARED_COUNT));
        break;
    case PATTERN_SHARED_MATRIX:
        set_wavefronts(&cost, matrix_wavefronts(a, mask));
        break;
    case PATTERN_NONE:
        break;
    }
    if (kind == PATTERN_GLOBAL_ATOMIC || kind == PATTERN_SHARED_ATOMIC || kind == PATTERN_SHARED_COUNT)
        cost.busiest = (uint16_t)count_busiest(a, mask);
    return cost;
}

/* Do the active lanes' addresses match the pattern? */
static inline bool same_offsets(const struct pattern *p, const uint64_t *addresses, uint32_t mask, uint64_t first) {
    uint64_t difference = 0;
    if (mask == FULL_MASK)
        LANE_LOOP difference |= (addresses[l] - first) ^ p->offsets[l];
    else
        LANE_LOOP difference |= LANE_ON(mask) ? (addresses[l] - first) ^ p->offsets[l] : 0;
    return difference == 0;
}

static void add_times(struct pattern_sum *sum, const struct pattern *p) {
    for (unsigned i = 0; i < PATTERN_PLACES; i++) {
        uint64_t times = p->times[i];
        if (!times)
            continue;
        sum->accesses += times;
        sum->lanes += times * (unsigned)__builtin_popcount(p->mask);
        sum->sectors += times * p->costs[i].sectors;
        sum->ideal += times * p->costs[i].ideal;
        sum->used += times * p->costs[i].used;
    }
}

struct pattern_sum patterns_sum(const struct pattern_memory *m) {
    struct pattern_sum sum = m->sum;
    for (unsigned i = 0; i < PATTERN_WAYS; i++)
        add_times(&sum, &m->ways[i]);
    return sum;
}

/* Of 16 lanes that access this many bytes each; as wide as an address register is, which may be 32 bits. */
static unsigned half_of(const uint32_t *narrow, unsigned bytes) {
    bool run = true, same = true;
    for (unsigned l = 1; l < HALF_LANES; l++) {
        run &= narrow[l] - narrow[0] == l * bytes;
        same &= narrow[l] == narrow[0];
    }
    return run ? HALF_RUN : same ? HALF_SAME : HALF_IRREGULAR;
}

/* Both halves of a whole warp. In a pattern of 64-bit addresses all bits count, not only the low ones. */
static void find_halves(struct pattern *p) {
    bool far = p->mask != FULL_MASK;
    for (unsigned l = 1; l < WARP_SIZE; l++)
        far |= l != HALF_LANES && (p->offsets[l] - p->offsets[l / HALF_LANES * HALF_LANES]) >> 32;
    p->low = far ? HALF_IRREGULAR : (uint8_t)half_of(p->narrow, p->bytes);
    p->high = far ? HALF_IRREGULAR : (uint8_t)half_of(p->narrow + HALF_LANES, p->bytes);
}

/* Distances are signed. */
static void find_extent(struct pattern *p) {
    p->least = p->most = 0;
    for (uint32_t left = p->mask; left; left &= left - 1) {
        int64_t distance = (int64_t)p->offsets[first_lane(left)];
        p->least = distance < p->least ? distance : p->least;
        p->most = distance > p->most ? distance : p->most;
    }
}

static struct pattern *find_pattern(struct pattern_memory *m, enum pattern_kind kind, const uint64_t *addresses,
                                    uint32_t mask, unsigned bytes, uint64_t first) {
    for (unsigned i = 0; i < PATTERN_WAYS; i++) {
        unsigned at = (m->last + i) % PATTERN_WAYS;
        struct pattern *p = &m->ways[at];
        if (p->mask == mask && p->bytes == bytes && p->kind == kind && same_offsets(p, addresses, mask, first)) {
            m->last = at;
            return p;
        }
    }
    struct pattern *p = &m->ways[m->next];
    m->last = m->next;
    m->next = (m->next + 1) % PATTERN_WAYS;
    add_times(&m->sum, p);
    memset(p->times, 0, sizeof p->times);
    for (int l = 0; l < WARP_SIZE; l++)
        p->narrow[l] = (uint32_t)(p->offsets[l] = addresses[l] - first);
    p->mask = mask;
    p->known = 0;
    p->bytes = (uint8_t)bytes;
    p->kind = (uint8_t)kind;
    find_halves(p);
    find_extent(p);
    return p;
}

struct pattern_cost patterns_cost(struct pattern_memory *memory, enum pattern_kind kind,
                                  const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes) {
    uint64_t first = addresses[first_lane(mask)];
    if (!memory || first % PATTERN_STEP)
        return compute(kind, addresses, mask, bytes);
    struct pattern *p = find_pattern(memory, kind, addresses, mask, bytes, first);
    unsigned place = (unsigned)(first % PATTERN_LINE / PATTERN_STEP);
    if (!(p->known >> place & 1)) {
        p->costs[place] = compute(kind, addresses, mask, bytes);
        p->known |= (uint32_t)1 << place;
    }
    return p->costs[place];
}
