/* Single precision, rounded to nearest even: add, sub, mul, fma, div, rcp, sqrt, min, max, neg, abs, copysign, testp.
 *
 * Results that are NaN are the canonical NaN, 0x7fffffff. The other roundings are in float32_rounding.c, the
 * approximations (.approx, .full) in special.c. */
#define LANE_FAMILY
#include "ops/float32.h"

static inline float negate(float x) {
    return f32_from(f32_bits(x) ^ F32_SIGN);
}
static inline float absolute(float x) {
    return f32_from(f32_bits(x) & ~F32_SIGN);
}

/* min and max order -0 below +0 and prefer a number to a NaN. Comparing as integers, with the negative numbers'
 * order turned round, does both zeros right. */
static inline int32_t order(float x) {
    int32_t i = (int32_t)f32_bits(x);
    return i ^ (int32_t)((uint32_t)(i >> 31) >> 1);
}
static inline float min_number(float x, float y) {
    float r = order(x) < order(y) ? x : y;
    r = x == x ? r : y;
    return y == y ? r : x;
}
static inline float max_number(float x, float y) {
    float r = order(x) > order(y) ? x : y;
    r = x == x ? r : y;
    return y == y ? r : x;
}
/* .NaN: any NaN operand makes the result NaN. */
static inline float min_nan(float x, float y) {
    return x == x ? (y == y ? min_number(x, y) : y) : x;
}
static inline float max_nan(float x, float y) {
    return x == x ? (y == y ? max_number(x, y) : y) : x;
}

/* .xorsign.abs: compares magnitudes; a result that is a number gets the xor of the signs. */
#define XORSIGN(name, of)                                                                                              \
    static inline float name(float x, float y) {                                                                       \
        float r = of(absolute(x), absolute(y));                                                                        \
        return f32_from(f32_bits(r) | ((f32_bits(x) ^ f32_bits(y)) & F32_SIGN));                                       \
    }
XORSIGN(min_number_xorsign, min_number)
XORSIGN(max_number_xorsign, max_number)
XORSIGN(min_nan_xorsign, min_nan)
XORSIGN(max_nan_xorsign, max_nan)

F32_ALL_MODIFIERS(FLOAT_OP2, f32_add)
F32_ALL_MODIFIERS(FLOAT_OP2, f32_sub)
F32_ALL_MODIFIERS(FLOAT_OP2, f32_mul)
F32_ALL_MODIFIERS(FLOAT_OP3, f32_fma)
F32_PLAIN_FTZ(FLOAT_OP2, f32_div)
F32_PLAIN_FTZ(FLOAT_OP1, f32_rcp)
F32_PLAIN_FTZ(FLOAT_OP1, f32_sqrt)

/* These do not round: .ftz flushes what comes in. */
#define UNROUNDED(OP, f)                                                                                               \
    OP(f##_plain, float, f, in_plain, out_plain)                                                                       \
    OP(f##_ftz, float, f, in_ftz, out_plain)
UNROUNDED(FLOAT_OP1, negate)
UNROUNDED(FLOAT_OP1, absolute)
UNROUNDED(FLOAT_OP2, min_number)
UNROUNDED(FLOAT_OP2, max_number)
UNROUNDED(FLOAT_OP2, min_nan)
UNROUNDED(FLOAT_OP2, max_nan)
UNROUNDED(FLOAT_OP2, min_number_xorsign)
UNROUNDED(FLOAT_OP2, max_number_xorsign)
UNROUNDED(FLOAT_OP2, min_nan_xorsign)
UNROUNDED(FLOAT_OP2, max_nan_xorsign)

/* copysign d, a, b: the sign of a, the magnitude of b, whatever they are. */
OPERATION(copysign_f32) {
    const uint32_t *a = REG(uint32_t, 1), *b = REG(uint32_t, 2);
    WRITE_LANES(uint32_t, (a[l] & F32_SIGN) | (b[l] & ~F32_SIGN));
    return in + 1;
}

/* testp: a property of the number's bits; zero is normal. m is the magnitude. */
#define TESTP(name, property)                                                                                          \
    OPERATION(testp_##name) {                                                                                          \
        const uint32_t *a = REG(uint32_t, 1);                                                                          \
        uint32_t bits = 0;                                                                                             \
        for (int l = 0; l < WARP_SIZE; l++) {                                                                          \
            uint32_t m = a[l] & ~F32_SIGN;                                                                             \
            bits |= (uint32_t)(property) << l;                                                                         \
        }                                                                                                              \
        WRITE_PRED(0, bits);                                                                                           \
        return in + 1;                                                                                                 \
    }
TESTP(finite, m < F32_INFINITY)
TESTP(infinite, m == F32_INFINITY)
TESTP(number, m <= F32_INFINITY)
TESTP(notanumber, m > F32_INFINITY)
TESTP(normal, (m >= 0x00800000u && m < F32_INFINITY) || m == 0)
TESTP(subnormal, m < 0x00800000u && m != 0)

#define ROWS_FTZ(opcode, letters, f, flags)                                                                            \
    {opcode ".f32", letters, f##_plain, flags, 0}, {                                                                   \
        opcode ".ftz.f32", letters, f##_ftz, flags, 0                                                                  \
    }
#define ROWS_ALL(opcode, letters, f, flags)                                                                            \
    ROWS_FTZ(opcode, letters, f, (flags) | INSN_RAW), {opcode ".sat.f32", letters, f##_sat, flags, 0}, {               \
        opcode ".ftz.sat.f32", letters, f##_ftz_sat, flags, 0                                                          \
    }
#define ROWS_MINMAX(opcode, f)                                                                                         \
    ROWS_FTZ(opcode, "www", f##_number, 0), {opcode ".NaN.f32", "www", f##_nan_plain, 0, 0},                           \
        {opcode ".ftz.NaN.f32", "www", f##_nan_ftz, 0, 0},                                                             \
        {opcode ".xorsign.abs.f32", "www", f##_number_xorsign_plain, 0, 0},                                            \
        {opcode ".ftz.xorsign.abs.f32", "www", f##_number_xorsign_ftz, 0, 0},                                          \
        {opcode ".NaN.xorsign.abs.f32", "www", f##_nan_xorsign_plain, 0, 0}, {                                         \
        opcode ".ftz.NaN.xorsign.abs.f32", "www", f##_nan_xorsign_ftz, 0, 0                                            \
    }

const struct form forms_float32[] = {
    ROWS_ALL("add", "www", f32_add, INSN_FLOAT),
    ROWS_ALL("add.rn", "www", f32_add, INSN_FLOAT),
    ROWS_ALL("sub", "www", f32_sub, INSN_FLOAT),
    ROWS_ALL("sub.rn", "www", f32_sub, INSN_FLOAT),
    ROWS_ALL("mul", "www", f32_mul, INSN_FLOAT),
    ROWS_ALL("mul.rn", "www", f32_mul, INSN_FLOAT),
    ROWS_ALL("fma.rn", "wwww", f32_fma, INSN_FLOAT_FMA),
    ROWS_ALL("mad.rn", "wwww", f32_fma, INSN_FLOAT_FMA),
    ROWS_FTZ("div.rn", "www", f32_div, INSN_RAW),
    ROWS_FTZ("rcp.rn", "ww", f32_rcp, INSN_RAW),
    ROWS_FTZ("sqrt.rn", "ww", f32_sqrt, INSN_RAW),
    ROWS_FTZ("neg", "ww", negate, 0),
    ROWS_FTZ("abs", "ww", absolute, 0),
    ROWS_MINMAX("min", min),
    ROWS_MINMAX("max", max),
    {"copysign.f32", "www", copysign_f32, 0, 0},
    {"testp.finite.f32", "pw", testp_finite, 0, 0},
    {"testp.infinite.f32", "pw", testp_infinite, 0, 0},
    {"testp.number.f32", "pw", testp_number, 0, 0},
    {"testp.notanumber.f32", "pw", testp_notanumber, 0, 0},
    {"testp.normal.f32", "pw", testp_normal, 0, 0},
    {"testp.subnormal.f32", "pw", testp_subnormal, 0, 0},
    {0},
};
