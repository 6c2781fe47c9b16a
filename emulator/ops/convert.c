/* cvt from integers to integers, and cvt.pack. Conversions from and to floating point are in convert_integer.c and
 * convert_float.c. For the widths of .u8 and .s8 registers see convert_types.h. */
#define LANE_FAMILY
#include "ops/convert_types.h"

#define OP(name) OPERATION(name)

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
#define INTEGER_TO_INTEGER(D, S)                                                                                       \
    OP(D##_##S) {                                                                                                      \
        const LANE_##S *a = REG(LANE_##S, 1);                                                                          \
        WRITE_LANES(LANE_##D, (LANE_##D)(VALUE_##D)(VALUE_##S)a[l]);                                                   \
        return in + 1;                                                                                                 \
    }
#define INTEGER_CLAMPED(D, S)                                                                                          \
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
/* The pairs for which .sat is legal: where the source has values that the destination has not. */
// clang-format off
#define EACH_CLAMPED(M)                                                                                                \
    M(u8, s8) M(u8, u16) M(u8, s16) M(u8, u32) M(u8, s32) M(u8, u64) M(u8, s64)                                        \
    M(s8, u8) M(s8, u16) M(s8, s16) M(s8, u32) M(s8, s32) M(s8, u64) M(s8, s64)                                        \
    M(u16, s8) M(u16, s16) M(u16, u32) M(u16, s32) M(u16, u64) M(u16, s64)                                             \
    M(s16, u16) M(s16, u32) M(s16, s32) M(s16, u64) M(s16, s64)                                                        \
    M(u32, s8) M(u32, s16) M(u32, s32) M(u32, u64) M(u32, s64)                                                         \
    M(s32, u32) M(s32, u64) M(s32, s64)                                                                                \
    M(u64, s8) M(u64, s16) M(u64, s32) M(u64, s64)                                                                     \
    M(s64, u64)
// clang-format on
#define FROM_ALL(D) EACH_INTEGER2(INTEGER_TO_INTEGER, D)
EACH_INTEGER(FROM_ALL)
EACH_CLAMPED(INTEGER_CLAMPED)

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

#define ROWS_INTEGER(D, S)   CONVERT_ROW(#D "." #S, D, S, D##_##S)
#define ROWS_CLAMPED(D, S)   CONVERT_ROW("sat." #D "." #S, D, S, D##_##S##_sat)
#define ROWS_FROM_INTEGER(D) EACH_INTEGER2(ROWS_INTEGER, D)

const struct form forms_convert[] = {
    {"cvt.pack.sat.u16.s32", "www", pack_u16_op, 0, 0},
    {"cvt.pack.sat.s16.s32", "www", pack_s16_op, 0, 0},
    {"cvt.pack.sat.u8.s32.b32", "wwww", pack_u8_op, 0, 0},
    {"cvt.pack.sat.s8.s32.b32", "wwww", pack_s8_op, 0, 0},
    {"cvt.pack.sat.u4.s32.b32", "wwww", pack_u4_op, 0, 0},
    {"cvt.pack.sat.s4.s32.b32", "wwww", pack_s4_op, 0, 0},
    {"cvt.pack.sat.u2.s32.b32", "wwww", pack_u2_op, 0, 0},
    {"cvt.pack.sat.s2.s32.b32", "wwww", pack_s2_op, 0, 0},
    // clang-format off
    EACH_INTEGER(ROWS_FROM_INTEGER)
    EACH_CLAMPED(ROWS_CLAMPED)
    // clang-format on
    {0},
};
