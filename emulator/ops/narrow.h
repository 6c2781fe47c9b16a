/* Rounding single precision to a narrower format in any direction: f16, bf16, tf32, e4m3, e5m2. */
#ifndef NARROW_H
#define NARROW_H

#include "ops/half.h"

enum rounding {
    ROUND_RN, /* nearest, ties to even */
    ROUND_RZ, /* towards zero */
    ROUND_RM, /* towards minus infinity */
    ROUND_RP, /* towards plus infinity */
};

struct narrow_format {
    uint32_t fraction, bias; /* bits of the fraction; the exponent's bias */
    uint32_t largest, infinity, nan;
};

#define FORMAT_F16  ((struct narrow_format){10, 15, 0x7bff, F16_INFINITY, F16_NAN})
#define FORMAT_BF16 ((struct narrow_format){7, 127, 0x7f7f, BF16_INFINITY, F16_NAN})
#define FORMAT_TF32 ((struct narrow_format){10, 127, 0x3fbff, 0x3fc00, 0x3ffff})
#define FORMAT_E4M3 ((struct narrow_format){3, 7, 0x7e, 0x7f, 0x7f}) /* has no infinity: always saturates */
#define FORMAT_E5M2 ((struct narrow_format){2, 15, 0x7b, 0x7c, 0x7f})

/* m without its last `shift` bits, rounded; m is the magnitude of a number with this sign. */
static inline uint32_t round_magnitude(uint32_t m, uint32_t shift, bool negative, enum rounding mode) {
    uint32_t kept = m >> shift, rest = m & ((1u << shift) - 1), half = 1u << (shift - 1);
    switch (mode) {
    case ROUND_RN:
        return kept + (rest > half - (kept & 1));
    case ROUND_RM:
        return kept + (negative & (rest != 0));
    case ROUND_RP:
        return kept + (!negative & (rest != 0));
    default:
        return kept;
    }
}

/* The magnitude of x in the format: its exponent and fraction, without the sign. */
static inline uint32_t narrow_magnitude(float x, struct narrow_format f, enum rounding mode, bool satfinite) {
    uint32_t u = f32_bits(x), m = u & ~F32_SIGN;
    bool negative = u >> 31;
    uint32_t normal = round_magnitude(m - ((127 - f.bias) << 23), 23 - f.fraction, negative, mode);
    /* Below the smallest normal number more bits go, the fewer the smaller the number is. */
    uint32_t exponent = m >> 23, digits = exponent ? (m & 0x7fffff) | 0x800000 : m;
    uint32_t shift = 151 - f.bias - f.fraction - (exponent ? exponent : 1);
    uint32_t subnormal = round_magnitude(digits, shift - 1 < 30 ? shift : 31, negative, mode);
    uint32_t h = exponent < 128 - f.bias ? subnormal : normal;
    bool to_largest = satfinite | (m < F32_INFINITY && (mode == ROUND_RZ || mode == (negative ? ROUND_RP : ROUND_RM)));
    uint32_t overflow = to_largest ? f.largest : f.infinity;
    h = h > f.largest || m == F32_INFINITY ? overflow : h;
    return m > F32_INFINITY ? f.nan : h;
}

/* Rounds x, with the sign in front of `bits` bits; NaN is positive. */
static inline uint32_t narrow(float x, struct narrow_format f, uint32_t bits, enum rounding mode, bool satfinite) {
    uint32_t sign = x == x ? f32_bits(x) >> 31 << bits : 0;
    return sign | narrow_magnitude(x, f, mode, satfinite);
}

static inline uint16_t narrow_f16(float x, enum rounding mode) {
    return mode == ROUND_RN ? f32_to_f16(x) : (uint16_t)narrow(x, FORMAT_F16, 15, mode, false);
}
static inline uint16_t narrow_bf16(float x, enum rounding mode) {
    return mode == ROUND_RN ? f32_to_bf16(x) : (uint16_t)narrow(x, FORMAT_BF16, 15, mode, false);
}

/* Double to single precision in any direction: the nearest number, moved by one where that is on the wrong side. */
static inline float f64_to_f32(double x, enum rounding mode) {
    float f = (float)x;
    double back = (double)f;
    uint32_t u = f32_bits(f);
    bool negative = f64_bits(x) >> 63;
    bool above = back > x, below = back < x;
    bool inward = mode == ROUND_RZ || mode == (negative ? ROUND_RP : ROUND_RM); /* |result| <= |x| */
    bool outward = mode == (negative ? ROUND_RM : ROUND_RP);
    bool too_large = negative ? below : above, too_small = negative ? above : below;
    u -= inward && too_large;
    u += outward && too_small;
    return f32_from(u);
}

#endif
