/* The common part of the integer, logic and compare families: how an operation over 32 lanes is written. */
#ifndef OPS_LANES_H
#define OPS_LANES_H

#include <string.h>

#include "machine/simd.h"
#include "machine/warp.h"

#if defined(__clang__) /* warns when a loop over lanes cannot become vector code: 64-bit division, for one */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* Operations by their number of sources. The expression may use a[l], b[l], c[l]. D is the type of the destination,
 * A, B, C are those of the sources. */
#define UNARY(name, D, A, expr)                                                                                        \
    OPERATION(name) {                                                                                                  \
        const A *a = REG(const A, 1);                                                                                  \
        WRITE_LANES(D, expr);                                                                                          \
        return in + 1;                                                                                                 \
    }

#define BINARY(name, D, A, B, expr)                                                                                    \
    OPERATION(name) {                                                                                                  \
        const A *a = REG(const A, 1);                                                                                  \
        const B *b = REG(const B, 2);                                                                                  \
        WRITE_LANES(D, expr);                                                                                          \
        return in + 1;                                                                                                 \
    }

#define TERNARY(name, D, A, B, C, expr)                                                                                \
    OPERATION(name) {                                                                                                  \
        const A *a = REG(const A, 1);                                                                                  \
        const B *b = REG(const B, 2);                                                                                  \
        const C *c = REG(const C, 3);                                                                                  \
        WRITE_LANES(D, expr);                                                                                          \
        return in + 1;                                                                                                 \
    }

/* A mask from the truth values of a warp's lanes, given as 0 or -1. Compilers turn a loop that sets bits of an
 * integer into a long reduction. */
static inline uint32_t mask_of_truths(const int32_t truth[WARP_SIZE]) {
#if WARP_SIZE == 1
    return (uint32_t)truth[0] & 1;
#else
    return simd_lane_bits(truth);
#endif
}

/* Sets `mask` (a uint32_t) to the lanes in which `expr` holds. */
#define LANES_WHERE(mask, expr)                                                                                        \
    do {                                                                                                               \
        int32_t truth[WARP_SIZE] __attribute__((aligned(64)));                                                         \
        LANE_LOOP truth[l] = (expr) ? -1 : 0;                                                                          \
        (mask) = mask_of_truths(truth);                                                                                \
    } while (0)

#endif
