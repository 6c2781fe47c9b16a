/* Caches the costs of address patterns for one instruction. In a loop the same few patterns recur, moved by whole rows;
 * counting anew each time costs many times the instruction. */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/simd.h"
#include "machine/warp.h"
#include "profile/counted.h"

struct pattern_memory;

/* How a warp accesses memory, which the cost depends on besides the addresses. */
enum pattern_kind {
    PATTERN_NONE,
    PATTERN_GLOBAL,        /* load or store: sectors */
    PATTERN_GLOBAL_ATOMIC, /* sectors, busiest */
    PATTERN_SHARED_LOAD,   /* wavefronts */
    PATTERN_SHARED_STORE,
    PATTERN_SHARED_ATOMIC, /* wavefronts, busiest */
    PATTERN_SHARED_COUNT,  /* an atomic that adds 1 and ignores the result: lanes at one address are counted at once */
    PATTERN_SHARED_MATRIX, /* ldmatrix, stmatrix: 16 bytes per lane, eight lanes to a matrix */
};

struct pattern_cost {
    uint16_t sectors;    /* or wavefronts */
    uint16_t ideal;      /* the minimum for the same bytes */
    uint16_t used;       /* distinct bytes */
    uint16_t busiest;    /* atomics: most lanes at one address */
    uint8_t lines;       /* distinct 128-byte lines, the first addresses of the lanes only */
    uint32_t line_lanes; /* a lane for each of these */
};

struct pattern_memory *patterns_new(void);
void patterns_free(struct pattern_memory *p);

/* From memory where possible; memory may be NULL. `bytes`: of a lane, at most 16. */
struct pattern_cost patterns_cost(struct pattern_memory *memory, enum pattern_kind kind,
                                  const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);

/* The cost of the accesses that patterns_again32 and patterns_again64 have noted. */
struct pattern_sum {
    uint64_t accesses, lanes, sectors, ideal, used;
};
struct pattern_sum patterns_sum(const struct pattern_memory *memory);

#define PATTERN_WAYS   4
#define HALF_LANES     16
#define PATTERN_LINE   128 /* moving all addresses by a multiple of this does not change the cost */
#define PATTERN_STEP   4   /* places in a line that have separate costs: multiples of 4 */
#define PATTERN_PLACES (PATTERN_LINE / PATTERN_STEP)

/* The fields that are read each time come first: they should be in few lines of the host's cache. */
struct pattern {
    uint32_t mask;  /* 0: empty */
    uint32_t known; /* a bit for each place whose cost is known */
    uint8_t bytes, kind;
    uint8_t low, high; /* the layout of the halves of a whole warp: HALF_IRREGULAR and so on */
    /* From the first active lane, the low halves; arbitrary in inactive lanes. */
    _Alignas(64) uint32_t narrow[WARP_SIZE];
    int64_t least, most;            /* of the active lanes' distances from the first */
    uint64_t times[PATTERN_PLACES]; /* accesses noted by patterns_again and by compiled kernels */
    struct pattern_cost costs[PATTERN_PLACES];
    _Alignas(64) uint64_t offsets[WARP_SIZE]; /* the whole */
};

struct pattern_memory {
    unsigned last, next; /* the one that was met last; the one to be replaced */
    struct pattern ways[PATTERN_WAYS];
    struct pattern_sum sum; /* of those that have been replaced */
};

/* A bit for each lane whose address differs from the pattern. */
static inline uint32_t elsewhere32(const struct pattern *p, const uint32_t *reg, uint32_t first) {
    const simd_u32 *at = (const simd_u32 *)(const void *)reg, *known = (const simd_u32 *)(const void *)p->narrow;
    return ~(simd_bits32((simd_i32)simd_equal32(at[0] - first, known[0])) |
             simd_bits32((simd_i32)simd_equal32(at[1] - first, known[1])) << 16);
}

static inline uint32_t elsewhere64(const struct pattern *p, const uint64_t *reg, uint64_t first) {
    const simd_u64 *at = (const simd_u64 *)(const void *)reg, *known = (const simd_u64 *)(const void *)p->offsets;
    uint32_t bits = 0;
    for (int i = 0; i < WARP_SIZE / 8; i++)
        bits |= simd_bits64((simd_i64)simd_equal64(at[i] - first, known[i])) << 8 * i;
    return ~bits;
}

/* patterns_cost straight from an address register of 32 or 64 bits, to which `offset` is added, for a kind of access
 * and a size that this instruction always has. False when the pattern is not among those cached; otherwise the access
 * is noted, for patterns_sum. */
#define AGAIN(name, T, elsewhere)                                                                                      \
    static inline bool name(struct pattern_memory *m, const T *reg, T offset, uint32_t mask) {                         \
        T first = reg[first_lane(mask)];                                                                               \
        unsigned place = (unsigned)((T)(first + offset) % PATTERN_LINE / PATTERN_STEP);                                \
        for (unsigned i = 0; i < PATTERN_WAYS; i++) {                                                                  \
            unsigned at = (m->last + i) % PATTERN_WAYS;                                                                \
            struct pattern *p = &m->ways[at];                                                                          \
            if (p->mask != mask || elsewhere(p, reg, first) & mask)                                                    \
                continue;                                                                                              \
            m->last = at;                                                                                              \
            if ((first + offset) % PATTERN_STEP || !(p->known >> place & 1))                                           \
                return false;                                                                                          \
            p->times[place]++;                                                                                         \
            return true;                                                                                               \
        }                                                                                                              \
        return false;                                                                                                  \
    }

AGAIN(patterns_again32, uint32_t, elsewhere32)
AGAIN(patterns_again64, uint64_t, elsewhere64)
#undef AGAIN

/* A lane for each line, of the access that was met last. */
static inline uint32_t patterns_line_lanes(const struct pattern_memory *m, uint64_t first) {
    return m->ways[m->last].costs[first % PATTERN_LINE / PATTERN_STEP].line_lanes;
}

/* The same access, from its lowest address to just after its highest. */
struct pattern_met {
    uint64_t from, to;
    const struct pattern_cost *cost;
    unsigned lanes;
};
static inline struct pattern_met patterns_met(const struct pattern_memory *m, uint64_t first) {
    const struct pattern *p = &m->ways[m->last];
    return (struct pattern_met){first + (uint64_t)p->least, first + (uint64_t)p->most + p->bytes,
                                &p->costs[first % PATTERN_LINE / PATTERN_STEP], (unsigned)__builtin_popcount(p->mask)};
}

/* Passes the last matched pattern to compiled kernels: addresses are of 32 bits or of 64. */
static inline void patterns_report(struct pattern_memory *m, bool narrow, struct counted_access *to) {
    struct pattern *p = &m->ways[m->last];
    *to = (struct counted_access){.step = narrow ? p->narrow[HALF_LANES] : p->offsets[HALF_LANES],
                                  .low = p->low == HALF_RUN ? ~(uint64_t)0 : 0,
                                  .high = p->high == HALF_RUN ? ~(uint64_t)0 : 0,
                                  .times = p->times,
                                  .known = p->low && p->high ? p->known : 0};
}

#endif
