/* Rounding of the sums of matrix products, in the slow path and in the fast one. */
#ifndef OPS_MMA_SUM_H
#define OPS_MMA_SUM_H

#include "ops/half.h"

static inline __attribute__((always_inline)) double power_double(int32_t exponent) {
    return f64_from((uint64_t)(uint32_t)(exponent + 1023) << 52);
}

/* To nearest even: by way of a single that is odd when anything was cut off. */
static inline __attribute__((always_inline)) uint32_t f16_of_sum(double sum) {
    uint64_t u = f64_bits(sum), odd = u & 0x1fffffff ? (uint64_t)1 << 29 : 0;
    return f32_to_f16((float)f64_from((u & ~(uint64_t)0x1fffffff) | odd));
}

#endif
