/* Half-precision formats (f16: 5 exponent and 10 fraction bits, bf16: 8 and 7) to and from single precision.
 *
 * Integer arithmetic, so that every machine gives the same bits and a loop over lanes becomes vector code. */
#ifndef OPS_HALF_H
#define OPS_HALF_H

#include "ops/ieee.h"

#define F16_SIGN      0x8000u
#define F16_INFINITY  0x7c00u
#define BF16_INFINITY 0x7f80u

static inline float f16_to_f32(uint16_t h) {
    uint32_t m = (uint32_t)(h & 0x7fff) << 13;
    uint32_t exponent = m & F32_INFINITY; /* f16's exponent, in single's place */
    uint32_t normal = m + (exponent == F16_INFINITY << 13 ? (uint32_t)(255 - 31) << 23 : (uint32_t)(127 - 15) << 23);
    uint32_t subnormal = f32_bits((float)(int32_t)(h & 0x3ff) * 0x1p-24f);
    return f32_from((exponent ? normal : subnormal) | (uint32_t)(h & F16_SIGN) << 16);
}

/* To nearest even. */
static inline uint16_t f32_to_f16(float x) {
    uint32_t u = f32_bits(x), m = u & ~F32_SIGN;
    uint32_t normal = (m + 0xfff + (m >> 13 & 1) - ((uint32_t)(127 - 15) << 23)) >> 13;
    /* Below 2^-14 the sum with 0.5 has the right number of bits: the machine rounds it. */
    uint32_t subnormal = f32_bits(f32_from(m) + 0.5f) - 0x3f000000u;
    uint32_t h = m < 0x38800000u ? subnormal : normal;
    h = m >= 0x477ff000u ? F16_INFINITY : h;
    h |= u >> 16 & F16_SIGN;
    return (uint16_t)(m > F32_INFINITY ? F16_NAN : h);
}

static inline float bf16_to_f32(uint16_t h) {
    return f32_from((uint32_t)h << 16);
}

static inline uint16_t f32_to_bf16(float x) {
    uint32_t u = f32_bits(x);
    uint32_t h = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (uint16_t)((u & ~F32_SIGN) > F32_INFINITY ? F16_NAN : h);
}

/* A double as a single whose last bit shows that something was cut off ("round to odd"): rounding it again, to a format
 * with at least two bits fewer, gives what rounding the double would have given. NaN stays NaN. */
static inline float f64_to_f32_odd(double x) {
    float f = (float)x;
    double rest = x - (double)f; /* exact; NaN when f is not finite */
    uint32_t u = f32_bits(f);
    /* f is infinite for a finite x beyond its range, where odd means the largest number. */
    uint32_t beyond = (u & ~F32_SIGN) == F32_INFINITY && (f64_bits(x) & ~F64_SIGN) != 0x7ff0000000000000u;
    uint32_t outward = (uint32_t)(f64_bits(x) >> 63) == (uint32_t)(f64_bits(rest) >> 63); /* |x| > |f| */
    uint32_t inexact = rest < 0 || rest > 0;
    uint32_t odd = inexact && !(u & 1) ? (outward ? u + 1 : u - 1) : u;
    return f32_from(beyond ? u - 1 : odd);
}

#endif
