/* cvt between integers, and between integers and floating point; cvt.pack.
 *
 * Integer to .f32 or .f64 is rounded to nearest here and otherwise in convert_rounding.c; floating point to floating
 * point is in convert_float.c. For the widths of .u8 and .s8 registers see convert_types.h. */
#include "ops/convert_types.h"

#define OP(name) static const struct insn *name(struct warp *w, const struct insn *in)

/* Integer to integer: cut off or extend; .sat clamps to the destination's range. A clamp compares as the wider of the
 * two signed or unsigned 64-bit types, by the source's sign. */
static inline bool below_signed(int64_t v, int64_t min) {
    return v < min;
}
static inline bool below_unsigned(uint64_t v, int64_t min) {
    (void)v, (void)min;
    return false;
}
static inline bool above_signed(int64_t v, uint64_t max) {
    return v > 0 && (uint64_t)v > max;
}
static inline bool above_unsigned(uint64_t v, uint64_t max) {
    return v > max;
}
#define SIGN_u8      unsigned
#define SIGN_s8      signed
#define SIGN_u16     unsigned
#define SIGN_s16     signed
#define SIGN_u32     unsigned
#define SIGN_s32     signed
#define SIGN_u64     unsigned
#define SIGN_s64     signed
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

#define INTEGER_TO_INTEGER(D, S)                                                                                       \
    OP(D##_##S) {                                                                                                      \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        WRITE_LANES(LANE_##D, (LANE_##D)(VALUE_##D)(VALUE_##S)a[l]);                                                   \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    static inline VALUE_##D clamp_##D##_##S(VALUE_##S v) {                                                             \
        return PASTE(below_, SIGN_##S)(v, MIN_##D)   ? (VALUE_##D)MIN_##D                                              \
               : PASTE(above_, SIGN_##S)(v, MAX_##D) ? (VALUE_##D)MAX_##D                                              \
                                                     : (VALUE_##D)v;                                                   \
    }                                                                                                                  \
    OP(D##_##S##_sat) {                                                                                                \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        WRITE_LANES(LANE_##D, (LANE_##D)clamp_##D##_##S((VALUE_##S)a[l]));                                             \
        return in + 1;                                                                                                 \
    }
#define FROM_ALL(D) EACH_INTEGER2(INTEGER_TO_INTEGER, D)
EACH_INTEGER(FROM_ALL)

/* Floating point to integer: rounded to an integral value, then clamped to the range. NaN becomes 0, or the lowest
 * signed value's bits where the source is .f64 or the destination has 64 bits. */
static inline float f32_rni(float x) {
    return __builtin_rintf(x);
}
static inline float f32_rzi(float x) {
    return __builtin_truncf(x);
}
static inline float f32_rmi(float x) {
    return __builtin_floorf(x);
}
static inline float f32_rpi(float x) {
    return __builtin_ceilf(x);
}
static inline double f64_rni(double x) {
    return __builtin_rint(x);
}
static inline double f64_rzi(double x) {
    return __builtin_trunc(x);
}
static inline double f64_rmi(double x) {
    return __builtin_floor(x);
}
static inline double f64_rpi(double x) {
    return __builtin_ceil(x);
}

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
    FLOAT_TO_INTEGER(D, f16, irnd##_f16, f32_##irnd, float, f16_to_f32)                                                \
    FLOAT_TO_INTEGER(D, bf16, irnd##_bf16, f32_##irnd, float, bf16_to_f32)
#define FLOATS_TO_INTEGER(D)                                                                                           \
    ROUNDED_TO_INTEGER(D, rni)                                                                                         \
    ROUNDED_TO_INTEGER(D, rzi)                                                                                         \
    ROUNDED_TO_INTEGER(D, rmi)                                                                                         \
    ROUNDED_TO_INTEGER(D, rpi)
EACH_INTEGER(FLOATS_TO_INTEGER)

/* Integer to floating point. The half formats are rounded from a double, exact or with a last bit that says that
 * something was cut off, so that every direction comes out right. */
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
    }                                                                                                                  \
    OP(format##_##mode##_sat_##S) {                                                                                    \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(uint16_t, narrow_##format((VALUE_##S)a[l] > 0, mode));                                             \
        return in + 1;                                                                                                 \
    }
#define HALVES_FROM(S, mode) HALF_FROM(S, f16, mode) HALF_FROM(S, bf16, mode)
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
    OP(f64_sat_##S) {                                                                                                  \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        FLOAT_LANES(double, (VALUE_##S)a[l] > 0);                                                                      \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    HALVES_FROM(S, ROUND_RN)                                                                                           \
    HALVES_FROM(S, ROUND_RZ)                                                                                           \
    HALVES_FROM(S, ROUND_RM)                                                                                           \
    HALVES_FROM(S, ROUND_RP)
EACH_INTEGER(INTEGER_TO_FLOAT)

/* cvt.pack.sat.D.s32: two integers, clamped, packed; with .b32 a third operand's low bits move up to make room. */
static inline int32_t clamp_to(int32_t v, int32_t min, int32_t max) {
    return v < min ? min : v > max ? max : v;
}
#define PACK(D, bits, min, max)                                                                                        \
    static inline uint32_t pack_##D(uint32_t a, uint32_t b) {                                                          \
        const uint32_t field = (1u << bits) - 1;                                                                       \
        return ((uint32_t)clamp_to((int32_t)a, min, max) & field) << bits |                                            \
               ((uint32_t)clamp_to((int32_t)b, min, max) & field);                                                     \
    }
PACK(u16, 16, 0, UINT16_MAX)
PACK(s16, 16, INT16_MIN, INT16_MAX)
PACK(u8, 8, 0, UINT8_MAX)
PACK(s8, 8, INT8_MIN, INT8_MAX)
PACK(u4, 4, 0, 15)
PACK(s4, 4, -8, 7)
PACK(u2, 2, 0, 3)
PACK(s2, 2, -2, 1)

#define PACK_OP(D)                                                                                                     \
    OP(pack_##D##_op) {                                                                                                \
        const uint32_t *a = REG(uint32_t, 1), *b = REG(uint32_t, 2);                                                   \
        WRITE_LANES(uint32_t, pack_##D(a[l], b[l]));                                                                   \
        return in + 1;                                                                                                 \
    }
#define PACK_ONTO_OP(D, bits)                                                                                          \
    OP(pack_##D##_op) {                                                                                                \
        const uint32_t *a = REG(uint32_t, 1), *b = REG(uint32_t, 2), *c = REG(uint32_t, 3);                            \
        WRITE_LANES(uint32_t, pack_##D(a[l], b[l]) | c[l] << 2 * bits);                                                \
        return in + 1;                                                                                                 \
    }
PACK_OP(u16)
PACK_OP(s16)
PACK_ONTO_OP(u8, 8)
PACK_ONTO_OP(s8, 8)
PACK_ONTO_OP(u4, 4)
PACK_ONTO_OP(s4, 4)
PACK_ONTO_OP(u2, 2)
PACK_ONTO_OP(s2, 2)

#define ROW(name, D, S, op)            {"cvt." name, LETTER_##D LETTER_##S, op, 0, 0},
#define ROWS_INTEGER(D, S)             ROW(#D "." #S, D, S, D##_##S) ROW("sat." #D "." #S, D, S, D##_##S##_sat)
#define ROWS_FROM_INTEGER(D)           EACH_INTEGER2(ROWS_INTEGER, D)
#define ROWS_IRND(D, irnd, ftz, S, op) ROW(irnd ftz "." #D "." #S, D, S, op) ROW(irnd ftz ".sat." #D "." #S, D, S, op)
#define ROWS_TO_INTEGER_IRND(D, irnd)                                                                                  \
    ROWS_IRND(D, #irnd, "", f32, D##_##irnd##_f32)                                                                     \
    ROWS_IRND(D, #irnd, ".ftz", f32, D##_##irnd##_ftz_f32)                                                             \
    ROWS_IRND(D, #irnd, "", f64, D##_##irnd##_f64)                                                                     \
    ROWS_IRND(D, #irnd, "", f16, D##_##irnd##_f16)                                                                     \
    ROWS_IRND(D, #irnd, "", bf16, D##_##irnd##_bf16)
#define ROWS_TO_INTEGER(D)                                                                                             \
    ROWS_TO_INTEGER_IRND(D, rni)                                                                                       \
    ROWS_TO_INTEGER_IRND(D, rzi) ROWS_TO_INTEGER_IRND(D, rmi) ROWS_TO_INTEGER_IRND(D, rpi)
#define ROWS_HALF(D, S, rnd, mode)                                                                                     \
    ROW(rnd "." #D "." #S, D, S, D##_##mode##_##S) ROW(rnd ".sat." #D "." #S, D, S, D##_##mode##_sat_##S)
#define ROWS_SAT(D, S)                                                                                                 \
    ROW("rn.sat." #D "." #S, D, S, D##_sat_##S)                                                                        \
    ROW("rz.sat." #D "." #S, D, S, D##_sat_##S)                                                                        \
    ROW("rm.sat." #D "." #S, D, S, D##_sat_##S)                                                                        \
    ROW("rp.sat." #D "." #S, D, S, D##_sat_##S)
#define ROWS_TO_FLOAT(S)                                                                                               \
    ROW("rn.f32." #S, f32, S, f32_##S)                                                                                 \
    ROW("rn.f64." #S, f64, S, f64_##S)                                                                                 \
    ROWS_SAT(f32, S)                                                                                                   \
    ROWS_SAT(f64, S)                                                                                                   \
    ROWS_HALF(f16, S, "rn", ROUND_RN)                                                                                  \
    ROWS_HALF(f16, S, "rz", ROUND_RZ)                                                                                  \
    ROWS_HALF(f16, S, "rm", ROUND_RM)                                                                                  \
    ROWS_HALF(f16, S, "rp", ROUND_RP)                                                                                  \
    ROWS_HALF(bf16, S, "rn", ROUND_RN)                                                                                 \
    ROWS_HALF(bf16, S, "rz", ROUND_RZ)                                                                                 \
    ROWS_HALF(bf16, S, "rm", ROUND_RM)                                                                                 \
    ROWS_HALF(bf16, S, "rp", ROUND_RP)

const struct form forms_convert[] = {
    EACH_INTEGER(ROWS_FROM_INTEGER) EACH_INTEGER(ROWS_TO_INTEGER)
        EACH_INTEGER(ROWS_TO_FLOAT){"cvt.pack.sat.u16.s32", "www", pack_u16_op, 0, 0},
    {"cvt.pack.sat.s16.s32", "www", pack_s16_op, 0, 0},
    {"cvt.pack.sat.u8.s32.b32", "wwww", pack_u8_op, 0, 0},
    {"cvt.pack.sat.s8.s32.b32", "wwww", pack_s8_op, 0, 0},
    {"cvt.pack.sat.u4.s32.b32", "wwww", pack_u4_op, 0, 0},
    {"cvt.pack.sat.s4.s32.b32", "wwww", pack_s4_op, 0, 0},
    {"cvt.pack.sat.u2.s32.b32", "wwww", pack_u2_op, 0, 0},
    {"cvt.pack.sat.s2.s32.b32", "wwww", pack_s2_op, 0, 0},
    {0},
};
