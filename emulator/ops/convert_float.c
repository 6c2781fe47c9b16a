/* cvt from floating point to floating point: f16, bf16, f32, f64, tf32, the packed pairs, the 8-bit formats, and
 * rounding to an integral value. */
#define LANE_FAMILY
#include "ops/convert_types.h"
#include "ops/float64.h"

/* .relu: negative numbers and -0 become 0. */
static inline float relu(float x) {
    return x <= 0 ? 0 : x;
}

/* Any single to single, any double to double. */
static inline float f32_copy(float x) {
    return x;
}

static inline double f64_out(double x) {
    return f64_nan1(x, x);
}

#define TO_INTEGRAL(irnd)                                                                                              \
    FLOAT_OP1(f32_##irnd##_plain, float, f32_##irnd, in_plain, out_plain)                                              \
    FLOAT_OP1(f32_##irnd##_ftz, float, f32_##irnd, in_ftz, out_ftz)                                                    \
    FLOAT_OP1(f32_##irnd##_sat, float, f32_##irnd, in_plain, out_sat)                                                  \
    FLOAT_OP1(f32_##irnd##_ftz_sat, float, f32_##irnd, in_ftz, out_ftz_sat)                                            \
    FLOAT_OP1(f64_##irnd##_plain, double, f64_##irnd, f64_same, f64_out)                                               \
    FLOAT_OP1(f64_##irnd##_sat, double, f64_##irnd, f64_same, f64_clamp)                                               \
    FLOAT_OP1(f16_##irnd##_plain, uint16_t, f32_##irnd, f16_to_f32, f32_to_f16)                                        \
    FLOAT_OP1(f16_##irnd##_sat, uint16_t, f32_##irnd, f16_to_f32, f16_sat)                                             \
    FLOAT_OP1(bf16_##irnd##_plain, uint16_t, f32_##irnd, bf16_to_f32, f32_to_bf16)

static inline uint16_t f16_sat(float x) {
    return f32_to_f16(f32_clamp(x));
}
TO_INTEGRAL(rni)
TO_INTEGRAL(rzi)
TO_INTEGRAL(rmi)
TO_INTEGRAL(rpi)
FLOAT_OP1(f32_copy_ftz, float, f32_copy, in_ftz, out_ftz)
FLOAT_OP1(f32_copy_plain, float, f32_copy, in_plain, in_plain) /* NaN as it is */
FLOAT_OP1(f32_copy_sat, float, f32_copy, in_plain, out_sat)
FLOAT_OP1(f32_copy_ftz_sat, float, f32_copy, in_ftz, out_ftz_sat)
FLOAT_OP1(f64_copy_plain, double, f64_same, f64_same, f64_same)
FLOAT_OP1(f64_copy_sat, double, f64_same, f64_same, f64_clamp)
FLOAT_OP1(f16_copy_sat, uint16_t, f32_copy, f16_to_f32, f16_sat)

/* One operand of type S to type D. */
#define CONVERT(name, D, S, expr)                                                                                      \
    OPERATION(name) {                                                                                                  \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(LANE_##D, expr);                                                                                   \
        return in + 1;                                                                                                 \
    }

/* Widening is exact. A NaN becomes the canonical one, but from .f32 to .f64 its payload moves along. */
static inline double f32_to_f64(float x) {
    return f64_nan1((double)x, (double)x);
}
CONVERT(f32_f16, f32, f16, f32_canonical(f16_to_f32(a[l])))
CONVERT(f32_f16_sat, f32, f16, f32_clamp(f16_to_f32(a[l])))
CONVERT(f32_bf16, f32, bf16, bf16_to_f32(a[l])) /* NaN as it is */
CONVERT(f32_bf16_ftz, f32, bf16, f32_canonical(f32_flush(bf16_to_f32(a[l]))))
CONVERT(f64_f16, f64, f16, f32_to_f64(f16_to_f32(a[l])))
CONVERT(f64_f16_sat, f64, f16, f64_clamp((double)f16_to_f32(a[l])))
CONVERT(f64_bf16, f64, bf16, f32_to_f64(bf16_to_f32(a[l])))
CONVERT(f64_f32, f64, f32, f32_to_f64(a[l]))
CONVERT(f64_f32_sat, f64, f32, f64_clamp((double)a[l]))
CONVERT(f64_f32_ftz, f64, f32, f32_to_f64(f32_canonical(f32_flush(a[l]))))
CONVERT(f64_f32_ftz_sat, f64, f32, f64_clamp((double)f32_flush(a[l])))

/* Narrowing, in four directions. A NaN becomes the canonical one, but from .f64 its sign and the upper bits of its
 * payload move along. */
static inline uint16_t f64_to_f16(double x, enum rounding mode) {
    float f = f64_to_f32_odd(x);
    uint32_t u = f32_bits(f);
    uint32_t nan = (u >> 16 & F16_SIGN) | F16_INFINITY | (u >> 13 & 0x3ff);
    return f == f ? narrow_f16(f, mode) : (uint16_t)nan;
}
static inline uint16_t f64_to_bf16(double x, enum rounding mode) {
    float f = f64_to_f32_odd(x);
    return f == f ? narrow_bf16(f, mode) : (uint16_t)(f32_bits(f) >> 16);
}
static inline float f64_to_f32_flushed(double x, enum rounding mode) {
    return f32_flush_result(f64_to_f32(x, mode), f64_to_f32(x * (double)SCALE, mode));
}
#define TO_HALF(D, mode)                                                                                               \
    CONVERT(D##_f32_##mode, D, f32, narrow_##D(a[l], mode))                                                            \
    CONVERT(D##_f64_##mode, D, f64, f64_to_##D(a[l], mode))
#define TO_F16_SAT(mode)                                                                                               \
    CONVERT(f16_f32_##mode##_sat, f16, f32, narrow_f16(f32_clamp(a[l]), mode))                                         \
    CONVERT(f16_f64_##mode##_sat, f16, f64, narrow_f16(f32_clamp(f64_to_f32_odd(a[l])), mode))
#define TO_BF16_FTZ(mode) CONVERT(bf16_f32_##mode##_ftz, bf16, f32, narrow_bf16(f32_flush(a[l]), mode))
#define NARROWING(mode)                                                                                                \
    CONVERT(f32_f64_##mode, f32, f64, f64_to_f32(a[l], mode))                                                          \
    CONVERT(f32_f64_##mode##_ftz, f32, f64, f64_to_f32_flushed(a[l], mode))                                            \
    CONVERT(f32_f64_##mode##_sat, f32, f64, out_sat(f64_to_f32(a[l], mode)))                                           \
    CONVERT(f32_f64_##mode##_ftz_sat, f32, f64, f32_clamp(f64_to_f32_flushed(a[l], mode)))                             \
    TO_HALF(f16, mode)                                                                                                 \
    TO_BF16_FTZ(mode)                                                                                                  \
    TO_F16_SAT(mode)                                                                                                   \
    TO_HALF(bf16, mode)                                                                                                \
    CONVERT(f16_bf16_##mode, f16, bf16, narrow_f16(bf16_to_f32(a[l]), mode))                                           \
    CONVERT(bf16_f16_##mode, bf16, f16, narrow_bf16(f16_to_f32(a[l]), mode))
NARROWING(ROUND_RN)
NARROWING(ROUND_RZ)
NARROWING(ROUND_RM)
NARROWING(ROUND_RP)

/* Without a rounding, which the manual requires, ptxas uses the nearest; a copy makes NaN canonical. */
static inline uint16_t half_copy(uint16_t h, uint16_t infinity) {
    return (h & 0x7fff) > infinity ? F16_NAN : h;
}
CONVERT(f16_f16, f16, f16, half_copy(a[l], F16_INFINITY))
CONVERT(bf16_bf16, bf16, bf16, half_copy(a[l], BF16_INFINITY))

/* The forms for matrix code: .relu, .satfinite, pairs (the first operand goes to the upper half), tf32. */
#define PAIR(name, lane, bits, narrowed)                                                                               \
    OPERATION(name) {                                                                                                  \
        const float *a = REG(float, 1), *b = REG(float, 2);                                                            \
        FLOAT_LANES(lane, (lane)(narrowed(a[l]) << bits | narrowed(b[l])));                                            \
        return in + 1;                                                                                                 \
    }
#define SATFINITE(name, format, bits, mode)                                                                            \
    static inline uint32_t name##_satfinite(float x) {                                                                 \
        return narrow(x, format, bits, mode, true);                                                                    \
    }                                                                                                                  \
    static inline uint32_t name##_relu_satfinite(float x) {                                                            \
        return narrow(relu(x), format, bits, mode, true);                                                              \
    }
#define SINGLE_AND_PAIR(f)                                                                                             \
    CONVERT(f##_one, f16, f32, (uint16_t)f(a[l]))                                                                      \
    PAIR(f##_pair, uint32_t, 16, f)
#define HALF_FORMS(name, D, format, mode)                                                                              \
    static inline uint32_t name(float x) {                                                                             \
        return narrow_##D(x, mode);                                                                                    \
    }                                                                                                                  \
    static inline uint32_t name##_relu(float x) {                                                                      \
        return narrow_##D(relu(x), mode);                                                                              \
    }                                                                                                                  \
    SATFINITE(name, format, 15, mode)                                                                                  \
    PAIR(name##_pair, uint32_t, 16, name)                                                                              \
    SINGLE_AND_PAIR(name##_satfinite)                                                                                  \
    SINGLE_AND_PAIR(name##_relu)                                                                                       \
    SINGLE_AND_PAIR(name##_relu_satfinite)
HALF_FORMS(f16_rn, f16, FORMAT_F16, ROUND_RN)
HALF_FORMS(f16_rz, f16, FORMAT_F16, ROUND_RZ)
HALF_FORMS(bf16_rn, bf16, FORMAT_BF16, ROUND_RN)
HALF_FORMS(bf16_rz, bf16, FORMAT_BF16, ROUND_RZ)

#define TF32(name, x, mode) CONVERT(name, f32, f32, f32_from(narrow(x, FORMAT_TF32, 18, mode, false) << 13))
/* .rna works on the bits: NaN is cut off, and .satfinite takes one unit from infinity and from NaN alike. */
static inline float tf32_away(float x) {
    uint32_t u = f32_bits(x);
    return f32_from((x == x ? u + 0x1000 : u) & ~0x1fffu);
}
static inline float tf32_away_satfinite(float x) {
    uint32_t u = f32_bits(tf32_away(x));
    return f32_from((u & F32_INFINITY) == F32_INFINITY ? u - 0x2000 : u);
}
CONVERT(tf32_rna, f32, f32, tf32_away(a[l]))
CONVERT(tf32_rna_satfinite, f32, f32, tf32_away_satfinite(a[l]))
TF32(tf32_rn, a[l], ROUND_RN)
TF32(tf32_rn_relu, relu(a[l]), ROUND_RN)
TF32(tf32_rz, a[l], ROUND_RZ)
TF32(tf32_rz_relu, relu(a[l]), ROUND_RZ)

/* The 8-bit formats, always in pairs. */
SATFINITE(e4m3, FORMAT_E4M3, 7, ROUND_RN)
SATFINITE(e5m2, FORMAT_E5M2, 7, ROUND_RN)
static inline uint16_t e5m2_to_f16(uint32_t b) {
    return (b & 0x7f) > 0x7c ? F16_NAN : (uint16_t)(b << 8);
}
static inline uint16_t e4m3_to_f16(uint32_t b) {
    uint32_t m = b & 0x7f, sign = (b & 0x80) << 8;
    uint32_t normal = (m << 7) + ((15 - 7) << 10);
    uint32_t subnormal = f32_to_f16((float)(int32_t)m * 0x1p-9f);
    return (uint16_t)(m == 0x7f ? F16_NAN : sign | (m < 8 ? subnormal : normal));
}
static inline uint16_t relu_f16(uint16_t h) {
    return h >= F16_SIGN && h <= (F16_SIGN | F16_INFINITY) ? 0 : h;
}

#define FROM_FP8(name, one)                                                                                            \
    CONVERT(name, u32, u16, (uint32_t)one((uint32_t)(a[l] >> 8)) << 16 | one((uint32_t)a[l] & 0xff))
#define E4M3_RELU(b) relu_f16(e4m3_to_f16(b))
#define E5M2_RELU(b) relu_f16(e5m2_to_f16(b))
#define FP8(f)                                                                                                         \
    PAIR(f##_f32, uint16_t, 8, f##_satfinite)                                                                          \
    PAIR(f##_f32_relu, uint16_t, 8, f##_relu_satfinite)                                                                \
    FROM_F16X2(f##_f16x2, f##_satfinite)                                                                               \
    FROM_F16X2(f##_f16x2_relu, f##_relu_satfinite)
#define FROM_F16X2(name, f)                                                                                            \
    CONVERT(name, u16, u32, (uint16_t)(f(f16_to_f32((uint16_t)(a[l] >> 16))) << 8 | f(f16_to_f32((uint16_t)a[l]))))
FP8(e4m3)
FP8(e5m2)
FROM_FP8(f16x2_e4m3, e4m3_to_f16)
FROM_FP8(f16x2_e4m3_relu, E4M3_RELU)
FROM_FP8(f16x2_e5m2, e5m2_to_f16)
FROM_FP8(f16x2_e5m2_relu, E5M2_RELU)

#define ROWS_INTEGRAL(irnd)                                                                                            \
    CONVERT_ROW(#irnd ".f32.f32", f32, f32, f32_##irnd##_plain)                                                        \
    CONVERT_ROW(#irnd ".ftz.f32.f32", f32, f32, f32_##irnd##_ftz)                                                      \
    CONVERT_ROW(#irnd ".sat.f32.f32", f32, f32, f32_##irnd##_sat)                                                      \
    CONVERT_ROW(#irnd ".ftz.sat.f32.f32", f32, f32, f32_##irnd##_ftz_sat)                                              \
    CONVERT_ROW(#irnd ".f64.f64", f64, f64, f64_##irnd##_plain)                                                        \
    CONVERT_ROW(#irnd ".sat.f64.f64", f64, f64, f64_##irnd##_sat)                                                      \
    CONVERT_ROW(#irnd ".f16.f16", f16, f16, f16_##irnd##_plain)                                                        \
    CONVERT_ROW(#irnd ".sat.f16.f16", f16, f16, f16_##irnd##_sat)                                                      \
    CONVERT_ROW(#irnd ".bf16.bf16", bf16, bf16, bf16_##irnd##_plain)
#define ROWS_HALF(D, rnd, mode)                                                                                        \
    CONVERT_ROW(rnd "." #D ".f32", D, f32, D##_f32_##mode)                                                             \
    CONVERT_ROW(rnd "." #D ".f64", D, f64, D##_f64_##mode)
#define ROWS_NARROWING(rnd, mode)                                                                                      \
    CONVERT_ROW(rnd ".f32.f64", f32, f64, f32_f64_##mode)                                                              \
    CONVERT_ROW(rnd ".ftz.f32.f64", f32, f64, f32_f64_##mode##_ftz)                                                    \
    CONVERT_ROW(rnd ".sat.f32.f64", f32, f64, f32_f64_##mode##_sat)                                                    \
    CONVERT_ROW(rnd ".ftz.sat.f32.f64", f32, f64, f32_f64_##mode##_ftz_sat)                                            \
    ROWS_HALF(f16, rnd, mode)                                                                                          \
    ROWS_HALF(bf16, rnd, mode)                                                                                         \
    CONVERT_ROW(rnd ".ftz.bf16.f32", bf16, f32, bf16_f32_##mode##_ftz)                                                 \
    CONVERT_ROW(rnd ".ftz.f16.f32", f16, f32, f16_f32_##mode) /* a GPU flushes nothing here */                         \
    CONVERT_ROW(rnd ".sat.f16.f32", f16, f32, f16_f32_##mode##_sat)                                                    \
    CONVERT_ROW(rnd ".ftz.sat.f16.f32", f16, f32, f16_f32_##mode##_sat)                                                \
    CONVERT_ROW(rnd ".sat.f16.f64", f16, f64, f16_f64_##mode##_sat)                                                    \
    CONVERT_ROW(rnd ".f16.bf16", f16, bf16, f16_bf16_##mode)                                                           \
    CONVERT_ROW(rnd ".bf16.f16", bf16, f16, bf16_f16_##mode)
/* bf16 to a wider format takes a rounding, which an exact conversion does not need. */
#define ROWS_FROM_BF16(rnd)                                                                                            \
    CONVERT_ROW(rnd "f32.bf16", f32, bf16, f32_bf16)                                                                   \
    CONVERT_ROW(rnd "ftz.f32.bf16", f32, bf16, f32_bf16_ftz)                                                           \
    CONVERT_ROW(rnd "f64.bf16", f64, bf16, f64_bf16)

#define ROW_PAIR(name, D, f) {"cvt." name "." #D "x2.f32", "www", f##_pair, 0, 0},
#define ROWS_ONE_AND_PAIR(name, D, f)                                                                                  \
    CONVERT_ROW(name "." #D ".f32", D, f32, f##_one)                                                                   \
    ROW_PAIR(name, D, f)
#define ROWS_MATRIX(rnd, D, f)                                                                                         \
    ROW_PAIR(rnd, D, f)                                                                                                \
    ROWS_ONE_AND_PAIR(rnd ".satfinite", D, f##_satfinite)                                                              \
    ROWS_ONE_AND_PAIR(rnd ".relu", D, f##_relu)                                                                        \
    ROWS_ONE_AND_PAIR(rnd ".relu.satfinite", D, f##_relu_satfinite)                                                    \
    ROWS_ONE_AND_PAIR(rnd ".satfinite.relu", D, f##_relu_satfinite)
#define ROW_FP8(name, letters, f) {"cvt.rn." name, letters, f, 0, 0},
#define ROWS_FP8(f)                                                                                                    \
    ROW_FP8("satfinite." #f "x2.f32", "hww", f##_f32)                                                                  \
    ROW_FP8("satfinite.relu." #f "x2.f32", "hww", f##_f32_relu)                                                        \
    ROW_FP8("satfinite." #f "x2.f16x2", "hw", f##_f16x2)                                                               \
    ROW_FP8("satfinite.relu." #f "x2.f16x2", "hw", f##_f16x2_relu)                                                     \
    ROW_FP8("f16x2." #f "x2", "wh", f16x2_##f)                                                                         \
    ROW_FP8("relu.f16x2." #f "x2", "wh", f16x2_##f##_relu)

const struct form forms_convert_float[] = {
    {"cvt.f32.f32", "ww", f32_copy_plain, 0, 0},
    {"cvt.ftz.f32.f32", "ww", f32_copy_ftz, 0, 0},
    {"cvt.sat.f32.f32", "ww", f32_copy_sat, 0, 0},
    {"cvt.ftz.sat.f32.f32", "ww", f32_copy_ftz_sat, 0, 0},
    {"cvt.f64.f64", "ll", f64_copy_plain, 0, 0},
    {"cvt.sat.f64.f64", "ll", f64_copy_sat, 0, 0},
    {"cvt.sat.f16.f16", "hh", f16_copy_sat, 0, 0},
    {"cvt.f16.f16", "hh", f16_f16, 0, 0},
    {"cvt.bf16.bf16", "hh", bf16_bf16, 0, 0},
    {"cvt.f16.bf16", "hh", f16_bf16_ROUND_RN, 0, 0},
    {"cvt.bf16.f16", "hh", bf16_f16_ROUND_RN, 0, 0},
    {"cvt.f32.f16", "wh", f32_f16, 0, 0},
    {"cvt.sat.f32.f16", "wh", f32_f16_sat, 0, 0},
    {"cvt.ftz.f32.f16", "wh", f32_f16, 0, 0}, /* every f16 is a normal number in f32 */
    {"cvt.ftz.sat.f32.f16", "wh", f32_f16_sat, 0, 0},
    {"cvt.f64.f16", "lh", f64_f16, 0, 0},
    {"cvt.sat.f64.f16", "lh", f64_f16_sat, 0, 0},
    {"cvt.f64.f32", "lw", f64_f32, 0, 0},
    {"cvt.sat.f64.f32", "lw", f64_f32_sat, 0, 0},
    {"cvt.ftz.f64.f32", "lw", f64_f32_ftz, 0, 0},
    {"cvt.ftz.sat.f64.f32", "lw", f64_f32_ftz_sat, 0, 0},
    {"cvt.rna.tf32.f32", "ww", tf32_rna, 0, 0},
    {"cvt.rna.satfinite.tf32.f32", "ww", tf32_rna_satfinite, 0, 0},
    {"cvt.rn.tf32.f32", "ww", tf32_rn, 0, 0},
    {"cvt.rn.relu.tf32.f32", "ww", tf32_rn_relu, 0, 0},
    {"cvt.rz.tf32.f32", "ww", tf32_rz, 0, 0},
    {"cvt.rz.relu.tf32.f32", "ww", tf32_rz_relu, 0, 0},
    // clang-format off
    ROWS_INTEGRAL(rni)
    ROWS_INTEGRAL(rzi)
    ROWS_INTEGRAL(rmi)
    ROWS_INTEGRAL(rpi)
    ROWS_NARROWING("rn", ROUND_RN)
    ROWS_NARROWING("rz", ROUND_RZ)
    ROWS_NARROWING("rm", ROUND_RM)
    ROWS_NARROWING("rp", ROUND_RP)
    ROWS_FROM_BF16("")
    ROWS_FROM_BF16("rn.")
    ROWS_FROM_BF16("rz.")
    ROWS_FROM_BF16("rm.")
    ROWS_FROM_BF16("rp.")
    ROWS_MATRIX("rn", f16, f16_rn)
    ROWS_MATRIX("rz", f16, f16_rz)
    ROWS_MATRIX("rn", bf16, bf16_rn)
    ROWS_MATRIX("rz", bf16, bf16_rz)
    ROWS_FP8(e4m3)
    ROWS_FP8(e5m2)
    // clang-format on
    {0},
};
