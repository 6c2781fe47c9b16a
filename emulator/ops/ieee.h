/* Bits of IEEE numbers, and the steps that PTX adds around an arithmetic operation: flushing subnormals (.ftz),
 * clamping to [0,1] (.sat), and the one NaN that single and half precision return.
 *
 * Everything is branchless, so that a loop over the lanes becomes vector code. */
#ifndef IEEE_H
#define IEEE_H

#include <stdint.h>
#include <string.h>

#include "machine/warp.h"

static inline uint32_t f32_bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float f32_from(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint64_t f64_bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double f64_from(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#define F32_NAN      0x7fffffffu /* the NaN of every single-precision result */
#define F32_INFINITY 0x7f800000u
#define F32_SIGN     0x80000000u
#define F64_NAN      0xfff8000000000000u /* the NaN that an invalid double-precision operation creates */
#define F64_QUIET    0x0008000000000000u
#define F64_SIGN     0x8000000000000000u
#define F16_NAN      0x7fffu /* of .f16 and .bf16 */

static inline float f32_canonical(float x) {
    return x == x ? x : f32_from(F32_NAN);
}

static inline float f32_flush(float x) {
    uint32_t u = f32_bits(x);
    return f32_from(u & F32_INFINITY ? u : u & F32_SIGN);
}

/* A GPU flushes what would be subnormal if it were rounded to 24 bits with an exponent of any size, so
 * 2^-126 * (1 - 2^-24) becomes 0 although it rounds to 2^-126. `scaled` is the result computed 2^64 times larger, where
 * no subnormals interfere; SCALE is for its operands. Sums need none of this: a tiny one is exact. */
#define SCALE 0x1p64f
static inline float f32_flush_result(float r, float scaled) {
    return f32_from(__builtin_fabsf(scaled) < 0x1p-62f ? f32_bits(r) & F32_SIGN : f32_bits(r));
}

/* NaN and -0 become +0. */
static inline float f32_clamp(float x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}
static inline double f64_clamp(double x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* The treatment of an operand and of a result, by the instruction's modifiers. */
static inline float in_plain(float x) {
    return x;
}
static inline float in_ftz(float x) {
    return f32_flush(x);
}
static inline float out_plain(float x) {
    return f32_canonical(x);
}
static inline float out_ftz(float x) {
    return f32_canonical(f32_flush(x));
}
static inline float out_sat(float x) {
    return f32_clamp(x);
}
static inline float out_ftz_sat(float x) {
    return f32_clamp(f32_flush(x));
}

/* Double precision keeps the payload of a NaN operand, made quiet. Of several NaN operands an H200 takes the second
 * of a sum or a product, the first of a quotient, and of a * b + c that of b, c, a: callers pass them in that order.
 * f64_nan_operand is the NaN of a result, when x is the next operand to look at, from the last to the first. */
static inline uint64_t f64_nan_operand(double x, uint64_t nan) {
    return x == x ? nan : f64_bits(x) | F64_QUIET;
}
static inline double f64_result(double r, uint64_t nan) {
    return r == r ? r : f64_from(nan);
}
static inline double f64_nan1(double a, double r) {
    return f64_result(r, f64_nan_operand(a, F64_NAN));
}
static inline double f64_nan2(double a, double b, double r) {
    return f64_result(r, f64_nan_operand(a, f64_nan_operand(b, F64_NAN)));
}
static inline double f64_nan3(double a, double b, double c, double r) {
    return f64_result(r, f64_nan_operand(a, f64_nan_operand(b, f64_nan_operand(c, F64_NAN))));
}

/* Writes expr to register 0 in the active lanes. Unlike WRITE_LANES it computes every lane, active or not, which is
 * harmless for a floating-point operation and which the compiler may not decide by itself. */
#define FLOAT_LANES(T, expr)                                                                                           \
    do {                                                                                                               \
        T *d = REG(T, 0);                                                                                              \
        uint32_t active = w->mask;                                                                                     \
        if (active == FULL_MASK) {                                                                                     \
            LANE_LOOP d[l] = (expr);                                                                                   \
        } else {                                                                                                       \
            LANE_LOOP {                                                                                                \
                T v = (expr);                                                                                          \
                d[l] = LANE_ON(active) ? v : d[l];                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* Operations of one, two and three operands of type T: f applied to in(operand), then out. */
#define FLOAT_OP1(name, T, f, in_, out_)                                                                               \
    OPERATION(name) {                                                                                                  \
        const T *a = REG(T, 1);                                                                                        \
        FLOAT_LANES(T, out_(f(in_(a[l]))));                                                                            \
        return in + 1;                                                                                                 \
    }
#define FLOAT_OP2(name, T, f, in_, out_)                                                                               \
    OPERATION(name) {                                                                                                  \
        const T *a = REG(T, 1), *b = REG(T, 2);                                                                        \
        FLOAT_LANES(T, out_(f(in_(a[l]), in_(b[l]))));                                                                 \
        return in + 1;                                                                                                 \
    }
#define FLOAT_OP3(name, T, f, in_, out_)                                                                               \
    OPERATION(name) {                                                                                                  \
        const T *a = REG(T, 1), *b = REG(T, 2), *c = REG(T, 3);                                                        \
        FLOAT_LANES(T, out_(f(in_(a[l]), in_(b[l]), in_(c[l]))));                                                      \
        return in + 1;                                                                                                 \
    }

#endif
