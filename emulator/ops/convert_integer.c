/* cvt between integers and floating point. Integer to .f32 or .f64 is rounded to nearest here and otherwise in
 * convert_rounding.c. For the widths of .u8 and .s8 registers see convert_types.h. */
#define LANE_FAMILY
#include "ops/convert_types.h"

#define OP(name) OPERATION(name)

/* Floating point to integer: rounded to an integral value, then clamped to the range. NaN becomes 0, or the lowest
 * signed value's bits where the source is .f64 or the destination has 64 bits. */

/* MIN as a number, and the first number above MAX. */
#define LOW_u8   0
#define LOW_s8   -0x1p7f
#define LOW_u16  0
#define LOW_s16  -0x1p15f
#define LOW_u32  0
#define LOW_s32  -0x1p31f
#define LOW_u64  0
#define LOW_s64  -0x1p63f
#define HIGH_u8  0x1p8f
#define HIGH_s8  0x1p7f
#define HIGH_u16 0x1p16f
#define HIGH_s16 0x1p15f
#define HIGH_u32 0x1p32f
#define HIGH_s32 0x1p31f
#define HIGH_u64 0x1p64f
#define HIGH_s64 0x1p63f

#define NAN_64_BITS(D, float_bits) ((float_bits) == 64 || sizeof(VALUE_##D) == 8)
#define CLAMP_FLOAT(D, T, bits)                                                                                        \
    static inline LANE_##D D##_from_##T(T x) {                                                                         \
        bool inside = x >= LOW_##D && x < HIGH_##D;                                                                    \
        VALUE_##D v = (VALUE_##D)(inside ? x : 0);                                                                     \
        v = x >= HIGH_##D ? (VALUE_##D)MAX_##D : v;                                                                    \
        v = x < LOW_##D ? (VALUE_##D)MIN_##D : v;                                                                      \
        if (NAN_64_BITS(D, bits))                                                                                      \
            v = x != x ? (VALUE_##D)((uint64_t)1 << (8 * sizeof(VALUE_##D) - 1)) : v;                                  \
        return (LANE_##D)v;                                                                                            \
    }
#define CLAMP_FLOATS(D) CLAMP_FLOAT(D, float, 32) CLAMP_FLOAT(D, double, 64)
EACH_INTEGER(CLAMP_FLOATS)

#define FLOAT_TO_INTEGER(D, S, name, rounding, T, load)                                                                \
    OP(D##_##name) {                                                                                                   \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(LANE_##D, D##_from_##T(rounding(load(a[l]))));                                                     \
        return in + 1;                                                                                                 \
    }
#define ROUNDED_TO_INTEGER(D, irnd)                                                                                    \
    FLOAT_TO_INTEGER(D, f32, irnd##_f32, f32_##irnd, float, in_plain)                                                  \
    FLOAT_TO_INTEGER(D, f32, irnd##_ftz_f32, f32_##irnd, float, in_ftz)                                                \
    FLOAT_TO_INTEGER(D, f64, irnd##_f64, f64_##irnd, double, (double))                                                 \
    FLOAT_TO_INTEGER(D, f16, irnd##_f16, f32_##irnd, float, f16_to_f32)
#define BF16_TO_INTEGER(D, irnd) FLOAT_TO_INTEGER(D, bf16, irnd##_bf16, f32_##irnd, float, bf16_to_f32)
#define FLOATS_TO_INTEGER(D)                                                                                           \
    ROUNDED_TO_INTEGER(D, rni)                                                                                         \
    ROUNDED_TO_INTEGER(D, rzi)                                                                                         \
    ROUNDED_TO_INTEGER(D, rmi)                                                                                         \
    ROUNDED_TO_INTEGER(D, rpi)
#define BF16S_TO_INTEGER(D)                                                                                            \
    BF16_TO_INTEGER(D, rni)                                                                                            \
    BF16_TO_INTEGER(D, rzi)                                                                                            \
    BF16_TO_INTEGER(D, rmi)                                                                                            \
    BF16_TO_INTEGER(D, rpi)
EACH_INTEGER(FLOATS_TO_INTEGER)
EACH_INTEGER(BF16S_TO_INTEGER)

/* Integer to floating point. The half formats are rounded from a double, exact or with a last bit that shows that
 * something was cut off, so that every direction is correct. */
static inline double double_odd_unsigned(uint64_t v) {
    return (double)(v >> 53 ? (v & ~(uint64_t)0x7ff) | (uint64_t)((v & 0x7ff) != 0) << 11 : v);
}
static inline double double_odd_signed(int64_t v) {
    return v < 0 ? -double_odd_unsigned(-(uint64_t)v) : double_odd_unsigned((uint64_t)v);
}

#define HALF_FROM(S, format, mode)                                                                                     \
    OP(format##_##mode##_##S) {                                                                                        \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(uint16_t, narrow_##format(f64_to_f32_odd(PASTE(double_odd_, SIGN_##S)((VALUE_##S)a[l])), mode));   \
        return in + 1;                                                                                                 \
    }
#define HALVES_FROM(S, format)                                                                                         \
    HALF_FROM(S, format, ROUND_RN)                                                                                     \
    HALF_FROM(S, format, ROUND_RZ)                                                                                     \
    HALF_FROM(S, format, ROUND_RM)                                                                                     \
    HALF_FROM(S, format, ROUND_RP)
#define BF16_FROM(S) HALVES_FROM(S, bf16)
#define INTEGER_TO_FLOAT(S)                                                                                            \
    OP(f32_##S) {                                                                                                      \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(float, (float)(VALUE_##S)a[l]);                                                                    \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    OP(f64_##S) {                                                                                                      \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(double, (double)(VALUE_##S)a[l]);                                                                  \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    /* Clamped to [0,1] an integer is 0 or 1, in every rounding. */                                                    \
    OP(f32_sat_##S) {                                                                                                  \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(float, (VALUE_##S)a[l] > 0);                                                                       \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    OP(f16_sat_##S) {                                                                                                  \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(uint16_t, (VALUE_##S)a[l] > 0 ? 0x3c00 : 0);                                                       \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    OP(f64_sat_##S) {                                                                                                  \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(double, (VALUE_##S)a[l] > 0);                                                                      \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    HALVES_FROM(S, f16)
EACH_INTEGER(INTEGER_TO_FLOAT)
EACH_INTEGER(BF16_FROM)

#define ROWS_IRND(D, irnd, ftz, S, op)                                                                                 \
    CONVERT_ROW(irnd ftz "." #D "." #S, D, S, op)                                                                      \
    CONVERT_ROW(irnd ftz ".sat." #D "." #S, D, S, op)
#define ROWS_TO_INTEGER_IRND(D, irnd)                                                                                  \
    ROWS_IRND(D, #irnd, "", f32, D##_##irnd##_f32)                                                                     \
    ROWS_IRND(D, #irnd, ".ftz", f32, D##_##irnd##_ftz_f32)                                                             \
    ROWS_IRND(D, #irnd, "", f64, D##_##irnd##_f64)                                                                     \
    ROWS_IRND(D, #irnd, "", f16, D##_##irnd##_f16)
#define ROWS_TO_INTEGER(D)                                                                                             \
    ROWS_TO_INTEGER_IRND(D, rni)                                                                                       \
    ROWS_TO_INTEGER_IRND(D, rzi)                                                                                       \
    ROWS_TO_INTEGER_IRND(D, rmi)                                                                                       \
    ROWS_TO_INTEGER_IRND(D, rpi)
#define ROWS_BF16_TO_INTEGER(D)                                                                                        \
    CONVERT_ROW("rni." #D ".bf16", D, bf16, D##_rni_bf16)                                                              \
    CONVERT_ROW("rzi." #D ".bf16", D, bf16, D##_rzi_bf16)                                                              \
    CONVERT_ROW("rmi." #D ".bf16", D, bf16, D##_rmi_bf16)                                                              \
    CONVERT_ROW("rpi." #D ".bf16", D, bf16, D##_rpi_bf16)

#define ROWS_RND(modifiers, D, S, op)                                                                                  \
    CONVERT_ROW("rn" modifiers "." #D "." #S, D, S, op)                                                                \
    CONVERT_ROW("rz" modifiers "." #D "." #S, D, S, op)                                                                \
    CONVERT_ROW("rm" modifiers "." #D "." #S, D, S, op)                                                                \
    CONVERT_ROW("rp" modifiers "." #D "." #S, D, S, op)
#define ROWS_HALF(D, S)                                                                                                \
    CONVERT_ROW("rn." #D "." #S, D, S, D##_ROUND_RN_##S)                                                               \
    CONVERT_ROW("rz." #D "." #S, D, S, D##_ROUND_RZ_##S)                                                               \
    CONVERT_ROW("rm." #D "." #S, D, S, D##_ROUND_RM_##S)                                                               \
    CONVERT_ROW("rp." #D "." #S, D, S, D##_ROUND_RP_##S)
#define ROWS_TO_BF16(S) ROWS_HALF(bf16, S)
#define ROWS_TO_FLOAT(S)                                                                                               \
    CONVERT_ROW("rn.f32." #S, f32, S, f32_##S)                                                                         \
    CONVERT_ROW("rn.ftz.f32." #S, f32, S, f32_##S) /* no integer is a subnormal number */                              \
    CONVERT_ROW("rn.f64." #S, f64, S, f64_##S)                                                                         \
    ROWS_HALF(f16, S)                                                                                                  \
    ROWS_RND(".sat", f32, S, f32_sat_##S)                                                                              \
    ROWS_RND(".ftz.sat", f32, S, f32_sat_##S)                                                                          \
    ROWS_RND(".sat", f64, S, f64_sat_##S)                                                                              \
    ROWS_RND(".sat", f16, S, f16_sat_##S)

const struct form forms_convert_integer[] = {
    // clang-format off
    EACH_INTEGER(ROWS_TO_INTEGER)
    EACH_INTEGER(ROWS_TO_FLOAT)
    EACH_INTEGER(ROWS_BF16_TO_INTEGER)
    EACH_INTEGER(ROWS_TO_BF16)
    // clang-format on
    {0},
};
