/* The object of an mbarrier: 8 bytes in shared memory. A phase of it is over when all expected arrivals and all
 * expected bytes have arrived; then the next one begins.
 *
 * The format of the 64 bits is implementation-defined. Here:
 *   pending : 20   arrivals this phase waits for
 *   expected : 20  arrivals the next phase will wait for
 *   bytes : 21     bytes this phase waits for, signed: they may come before they are announced
 *   tag : 2        01, so that memory which nobody initialised (ones or zeros) is told from an mbarrier
 *   phase : 1 */
#ifndef MBARRIER_OBJECT_H
#define MBARRIER_OBJECT_H

#include <stdint.h>

#define MBARRIER_COUNT_BITS 20
#define MBARRIER_COUNT_MASK ((1u << MBARRIER_COUNT_BITS) - 1)
#define MBARRIER_TAG        ((uint64_t)1 << 61)
#define MBARRIER_TAG_MASK   ((uint64_t)3 << 61)
#define MBARRIER_PHASE      63

struct mbarrier {
    uint32_t pending, expected;
    int32_t bytes;
    uint32_t phase;
};

static inline struct mbarrier mbarrier_unpack(uint64_t x) {
    int32_t bytes = (int32_t)((uint32_t)(x >> 2 * MBARRIER_COUNT_BITS) << 11) >> 11;
    return (struct mbarrier){(uint32_t)x & MBARRIER_COUNT_MASK,
                             (uint32_t)(x >> MBARRIER_COUNT_BITS) & MBARRIER_COUNT_MASK, bytes,
                             (uint32_t)(x >> MBARRIER_PHASE)};
}

static inline uint64_t mbarrier_pack(struct mbarrier b) {
    uint64_t bytes = (uint32_t)b.bytes & ((1u << 21) - 1);
    return b.pending | (uint64_t)b.expected << MBARRIER_COUNT_BITS | bytes << 2 * MBARRIER_COUNT_BITS | MBARRIER_TAG |
           (uint64_t)b.phase << MBARRIER_PHASE;
}

#endif
