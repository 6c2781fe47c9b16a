/* Half precision: .f16 and .bf16, single and in pairs: add, sub, mul, fma, min, max, neg, abs.
 *
 * Sums and products of two halves are computed in single precision, which has enough bits that rounding twice is
 * rounding once; fma needs a double, and a last bit that shows that something was cut off. A pair is two halves. A
 * result that is NaN is the canonical one, 0x7fff. ex2 and tanh are in special.c. */
#define LANE_FAMILY
#include "ops/half.h"

/* f16 or bf16: loaded (single precision), stored. */
static inline float load_f16(uint16_t h) {
    return f16_to_f32(h);
}
static inline float load_bf16(uint16_t h) {
    return bf16_to_f32(h);
}
static inline uint16_t store_f16(float x) {
    return f32_to_f16(x);
}
static inline uint16_t store_bf16(float x) {
    return f32_to_bf16(x);
}
/* .ftz flushes what would be subnormal if the exponent had no limit (see f32_flush_result): from 2^-14 - 2^-26 on a
 * number rounds to 2^-14 then. */
static inline uint16_t store_f16_flushed(float x) {
    return __builtin_fabsf(x) < 0x1p-14f - 0x1p-26f ? (uint16_t)(f32_bits(x) >> 16 & F16_SIGN) : f32_to_f16(x);
}

static inline float add(float x, float y) {
    return x + y;
}
static inline float sub(float x, float y) {
    return x - y;
}
static inline float mul(float x, float y) {
    return x * y;
}

/* x * y is exact in double precision. Adding z may not be; then the sum is made odd (see f64_to_f32_odd), in the
 * direction of what was lost. f16 has so few exponents that what is lost never matters. */
static inline float fma_f16(float x, float y, float z) {
    return f64_to_f32_odd((double)x * (double)y + (double)z);
}
static inline float fma_bf16(float x, float y, float z) {
    double p = (double)x * (double)y, c = (double)z;
    double sum = p + c;
    double c_part = sum - p, p_part = sum - c_part;
    double lost = (p - p_part) + (c - c_part); /* exact; NaN when sum is not finite */
    uint64_t u = f64_bits(sum);
    bool inexact = lost < 0 || lost > 0;
    bool outward = u >> 63 == f64_bits(lost) >> 63;
    u = inexact && !(u & 1) ? (outward ? u + 1 : u - 1) : u;
    return f64_to_f32_odd(f64_from(u));
}

/* The effects of the modifiers, on the bits. */
static inline uint16_t h_same(uint16_t h) {
    return h;
}
static inline uint16_t h_flush(uint16_t h) {
    return h & F16_INFINITY ? h : h & F16_SIGN;
}
static inline float x_same(float x) {
    return x;
}
static inline float x_relu(float x) {
    return x <= 0 ? 0 : x;
}
static inline float x_sat(float x) {
    return f32_clamp(x);
}

/* min and max order -0 below +0 and prefer a number to a NaN; with .NaN any NaN makes the result NaN. The formats
 * differ in where NaN starts. */
static inline int32_t order_half(uint16_t h) {
    int32_t m = h & 0x7fff;
    return h & F16_SIGN ? ~m : m;
}
static inline bool nan_f16(uint16_t h) {
    return (h & 0x7fff) > F16_INFINITY;
}
static inline bool nan_bf16(uint16_t h) {
    return (h & 0x7fff) > BF16_INFINITY;
}
static inline uint16_t smaller(uint16_t x, uint16_t y) {
    return order_half(x) < order_half(y) ? x : y;
}
static inline uint16_t larger(uint16_t x, uint16_t y) {
    return order_half(x) > order_half(y) ? x : y;
}

#define MINMAX(name, T, of)                                                                                            \
    static inline uint16_t name(uint16_t x, uint16_t y) {                                                              \
        uint16_t r = of(x, y);                                                                                         \
        r = nan_##T(x) ? y : r;                                                                                        \
        r = nan_##T(y) ? x : r;                                                                                        \
        return nan_##T(r) ? F16_NAN : r;                                                                               \
    }                                                                                                                  \
    static inline uint16_t name##_nan(uint16_t x, uint16_t y) {                                                        \
        return nan_##T(x) || nan_##T(y) ? F16_NAN : of(x, y);                                                          \
    }                                                                                                                  \
    /* .xorsign.abs: compares magnitudes; a result that is a number gets the xor of the signs. */                      \
    static inline uint16_t name##_xorsign(uint16_t x, uint16_t y) {                                                    \
        uint16_t r = name(x & 0x7fff, y & 0x7fff);                                                                     \
        return nan_##T(r) ? r : r | ((x ^ y) & F16_SIGN);                                                              \
    }                                                                                                                  \
    static inline uint16_t name##_nan_xorsign(uint16_t x, uint16_t y) {                                                \
        uint16_t r = name##_nan(x & 0x7fff, y & 0x7fff);                                                               \
        return nan_##T(r) ? r : r | ((x ^ y) & F16_SIGN);                                                              \
    }
MINMAX(min_f16, f16, smaller)
MINMAX(max_f16, f16, larger)
MINMAX(min_bf16, bf16, smaller)
MINMAX(max_bf16, bf16, larger)

#define NEGATE_ABSOLUTE(T)                                                                                             \
    static inline uint16_t neg_##T(uint16_t x) {                                                                       \
        return nan_##T(x) ? F16_NAN : x ^ F16_SIGN;                                                                    \
    }                                                                                                                  \
    static inline uint16_t abs_##T(uint16_t x) {                                                                       \
        return nan_##T(x) ? F16_NAN : x & 0x7fff;                                                                      \
    }
NEGATE_ABSOLUTE(f16)
NEGATE_ABSOLUTE(bf16)

/* An operation on halves, f(x, ...) of uint16_t, for one half and for a pair. */
#define HIGH(x) ((uint16_t)((x) >> 16))
#define LOW(x)  ((uint16_t)(x))
#define UNARY(name, f)                                                                                                 \
    static inline uint32_t name##_pair(uint32_t x) {                                                                   \
        return (uint32_t)f(HIGH(x)) << 16 | f(LOW(x));                                                                 \
    }                                                                                                                  \
    FLOAT_OP1(name##_one, uint16_t, f, (uint16_t), (uint16_t))                                                         \
    FLOAT_OP1(name##_x2, uint32_t, name##_pair, (uint32_t), (uint32_t))
#define BINARY(name, f)                                                                                                \
    static inline uint32_t name##_pair(uint32_t x, uint32_t y) {                                                       \
        return (uint32_t)f(HIGH(x), HIGH(y)) << 16 | f(LOW(x), LOW(y));                                                \
    }                                                                                                                  \
    FLOAT_OP2(name##_one, uint16_t, f, (uint16_t), (uint16_t))                                                         \
    FLOAT_OP2(name##_x2, uint32_t, name##_pair, (uint32_t), (uint32_t))
#define TERNARY(name, f)                                                                                               \
    static inline uint32_t name##_pair(uint32_t x, uint32_t y, uint32_t z) {                                           \
        return (uint32_t)f(HIGH(x), HIGH(y), HIGH(z)) << 16 | f(LOW(x), LOW(y), LOW(z));                               \
    }                                                                                                                  \
    FLOAT_OP3(name##_one, uint16_t, f, (uint16_t), (uint16_t))                                                         \
    FLOAT_OP3(name##_x2, uint32_t, name##_pair, (uint32_t), (uint32_t))

/* name(x, y) = store(limit(f(bits(x), bits(y)))) */
#define ARITHMETIC2(name, T, f, bits, limit, store)                                                                    \
    static inline uint16_t name##_half(uint16_t x, uint16_t y) {                                                       \
        return store(limit(f(load_##T(bits(x)), load_##T(bits(y)))));                                                  \
    }                                                                                                                  \
    BINARY(name, name##_half)
#define ARITHMETIC3(name, T, bits, limit, store)                                                                       \
    static inline uint16_t name##_half(uint16_t x, uint16_t y, uint16_t z) {                                           \
        return store(limit(fma_##T(load_##T(bits(x)), load_##T(bits(y)), load_##T(bits(z)))));                         \
    }                                                                                                                  \
    TERNARY(name, name##_half)
#define FLUSHED1(name, f)                                                                                              \
    static inline uint16_t name##_half(uint16_t x) {                                                                   \
        return f(h_flush(x));                                                                                          \
    }                                                                                                                  \
    UNARY(name, name##_half)
#define FLUSHED2(name, f)                                                                                              \
    static inline uint16_t name##_half(uint16_t x, uint16_t y) {                                                       \
        return f(h_flush(x), h_flush(y));                                                                              \
    }                                                                                                                  \
    BINARY(name, name##_half)

#define ADD_SUB_MUL(f)                                                                                                 \
    ARITHMETIC2(f##_f16, f16, f, h_same, x_same, store_f16)                                                            \
    ARITHMETIC2(f##_sat_f16, f16, f, h_same, x_sat, store_f16)                                                         \
    ARITHMETIC2(f##_ftz_f16, f16, f, h_flush, x_same, store_f16_flushed)                                               \
    ARITHMETIC2(f##_ftz_sat_f16, f16, f, h_flush, x_sat, store_f16_flushed)                                            \
    ARITHMETIC2(f##_bf16, bf16, f, h_same, x_same, store_bf16)
ADD_SUB_MUL(add)
ADD_SUB_MUL(sub)
ADD_SUB_MUL(mul)
ARITHMETIC3(fma_plain_f16, f16, h_same, x_same, store_f16)
ARITHMETIC3(fma_sat_f16, f16, h_same, x_sat, store_f16)
ARITHMETIC3(fma_relu_f16, f16, h_same, x_relu, store_f16)
ARITHMETIC3(fma_ftz_f16, f16, h_flush, x_same, store_f16_flushed)
ARITHMETIC3(fma_ftz_sat_f16, f16, h_flush, x_sat, store_f16_flushed)
ARITHMETIC3(fma_ftz_relu_f16, f16, h_flush, x_relu, store_f16_flushed)
ARITHMETIC3(fma_plain_bf16, bf16, h_same, x_same, store_bf16)
ARITHMETIC3(fma_relu_bf16, bf16, h_same, x_relu, store_bf16)

/* .oob: the NaN that tensor copies put where a tensor has no elements makes the result zero, regardless of c. On an
 * H200 it is this one, with either sign. */
static inline bool is_oob_nan(uint16_t h) {
    return (h & 0x7fff) == 0x7ff7;
}
#define FMA_OOB(name, plain)                                                                                           \
    static inline uint16_t name##_half(uint16_t x, uint16_t y, uint16_t z) {                                           \
        return is_oob_nan(x) || is_oob_nan(y) ? 0 : plain##_half(x, y, z);                                             \
    }                                                                                                                  \
    TERNARY(name, name##_half)
FMA_OOB(fma_oob_f16, fma_plain_f16)
FMA_OOB(fma_oob_relu_f16, fma_relu_f16)
FMA_OOB(fma_oob_bf16, fma_plain_bf16)
FMA_OOB(fma_oob_relu_bf16, fma_relu_bf16)

UNARY(negate_f16, neg_f16)
UNARY(absolute_f16, abs_f16)
UNARY(negate_bf16, neg_bf16)
UNARY(absolute_bf16, abs_bf16)
FLUSHED1(negate_ftz_f16, neg_f16)
FLUSHED1(absolute_ftz_f16, abs_f16)

#define MINMAX_OPS(f, T)                                                                                               \
    BINARY(f##_plain_##T, f##_##T)                                                                                     \
    BINARY(f##_nan_##T, f##_##T##_nan)                                                                                 \
    BINARY(f##_xorsign_##T, f##_##T##_xorsign)                                                                         \
    BINARY(f##_nan_xorsign_##T, f##_##T##_nan_xorsign)
MINMAX_OPS(min, f16)
MINMAX_OPS(max, f16)
MINMAX_OPS(min, bf16)
MINMAX_OPS(max, bf16)
#define MINMAX_FTZ_OPS(f)                                                                                              \
    FLUSHED2(f##_ftz_f16, f##_f16)                                                                                     \
    FLUSHED2(f##_ftz_nan_f16, f##_f16_nan)                                                                             \
    FLUSHED2(f##_ftz_xorsign_f16, f##_f16_xorsign)                                                                     \
    FLUSHED2(f##_ftz_nan_xorsign_f16, f##_f16_nan_xorsign)
MINMAX_FTZ_OPS(min)
MINMAX_FTZ_OPS(max)

#define ROWS1(name, T, f)                                                                                              \
    {name "." #T, "hh", f##_one, 0, 0}, {                                                                              \
        name "." #T "x2", "ww", f##_x2, 0, 0                                                                           \
    }
#define ROWS2(name, T, f, flags)                                                                                       \
    {name "." #T, "hhh", f##_one, flags, 0}, {                                                                         \
        name "." #T "x2", "www", f##_x2, flags, 0                                                                      \
    }
#define ROWS3(name, T, f)                                                                                              \
    {name "." #T, "hhhh", f##_one, 0, 0}, {                                                                            \
        name "." #T "x2", "wwww", f##_x2, 0, 0                                                                         \
    }
#define ROWS_ARITHMETIC(name, f)                                                                                       \
    ROWS2(name, f16, f##_f16, 0), ROWS2(name ".sat", f16, f##_sat_f16, 0), ROWS2(name ".ftz", f16, f##_ftz_f16, 0),    \
        ROWS2(name ".ftz.sat", f16, f##_ftz_sat_f16, 0), ROWS2(name, bf16, f##_bf16, 0)
#define ROWS_MINMAX(name, f, T)                                                                                        \
    ROWS2(name, T, f##_plain_##T, 0), ROWS2(name ".NaN", T, f##_nan_##T, 0),                                           \
        ROWS2(name ".xorsign.abs", T, f##_xorsign_##T, 0), ROWS2(name ".NaN.xorsign.abs", T, f##_nan_xorsign_##T, 0)
#define ROWS_MINMAX_FTZ(name, f)                                                                                       \
    ROWS2(name ".ftz", f16, f##_ftz_f16, 0), ROWS2(name ".ftz.NaN", f16, f##_ftz_nan_f16, 0),                          \
        ROWS2(name ".ftz.xorsign.abs", f16, f##_ftz_xorsign_f16, 0),                                                   \
        ROWS2(name ".ftz.NaN.xorsign.abs", f16, f##_ftz_nan_xorsign_f16, 0)

const struct form forms_half[] = {
    ROWS_ARITHMETIC("add", add),
    ROWS_ARITHMETIC("add.rn", add),
    ROWS_ARITHMETIC("sub", sub),
    ROWS_ARITHMETIC("sub.rn", sub),
    ROWS_ARITHMETIC("mul", mul),
    ROWS_ARITHMETIC("mul.rn", mul),
    ROWS3("fma.rn", f16, fma_plain_f16),
    ROWS3("fma.rn.sat", f16, fma_sat_f16),
    ROWS3("fma.rn.relu", f16, fma_relu_f16),
    ROWS3("fma.rn.ftz", f16, fma_ftz_f16),
    ROWS3("fma.rn.ftz.sat", f16, fma_ftz_sat_f16),
    ROWS3("fma.rn.ftz.relu", f16, fma_ftz_relu_f16),
    ROWS3("fma.rn.oob", f16, fma_oob_f16),
    ROWS3("fma.rn.oob.relu", f16, fma_oob_relu_f16),
    ROWS3("fma.rn.oob", bf16, fma_oob_bf16),
    ROWS3("fma.rn.oob.relu", bf16, fma_oob_relu_bf16),
    ROWS3("fma.rn", bf16, fma_plain_bf16),
    ROWS3("fma.rn.relu", bf16, fma_relu_bf16),
    ROWS1("neg", f16, negate_f16),
    ROWS1("neg.ftz", f16, negate_ftz_f16),
    ROWS1("neg", bf16, negate_bf16),
    ROWS1("abs", f16, absolute_f16),
    ROWS1("abs.ftz", f16, absolute_ftz_f16),
    ROWS1("abs", bf16, absolute_bf16),
    ROWS_MINMAX("min", min, f16),
    ROWS_MINMAX("max", max, f16),
    ROWS_MINMAX("min", min, bf16),
    ROWS_MINMAX("max", max, bf16),
    ROWS_MINMAX_FTZ("min", min),
    ROWS_MINMAX_FTZ("max", max),
    {0},
};
