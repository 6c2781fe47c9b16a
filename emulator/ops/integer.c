/* Integer arithmetic: add sub mul mad sad div rem min max abs neg, the bit-field instructions, dp4a and dp2a.
 * Arithmetic wraps around: it is done on unsigned types, and signed types appear only where the sign matters. */
#define LANE_FAMILY
#include "ops/lanes.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

/* ---- one value ---- */

static inline int32_t saturate32(int64_t x) {
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

/* 32-bit division goes through double: the quotient of two 32-bit integers is at least 2^-32 (relative) away from the
 * next integer, so rounding to 53 bits never reaches it, and unlike integer division it is a vector instruction. PTX
 * leaves division by zero undefined. The values here are an H200's. */
static inline uint32_t div_u32(uint32_t a, uint32_t b) {
    uint32_t q = (uint32_t)(int64_t)((double)a / (double)(b | (b == 0)));
    return q | (0 - (uint32_t)(b == 0));
}
static inline int32_t div_s32(int32_t a, int32_t b) {
    int64_t q = (int64_t)((double)a / (double)(b | (b == 0))); /* INT_MIN / -1 wraps to INT_MIN */
    return (int32_t)q | -(b == 0);
}
static inline uint64_t div_u64(uint64_t a, uint64_t b) {
    return b ? a / b : UINT64_MAX;
}
static inline int64_t div_s64(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline uint16_t div_u16(uint16_t a, uint16_t b) {
    return (uint16_t)div_u32(a, b);
}
static inline int16_t div_s16(int16_t a, int16_t b) {
    return (int16_t)div_s32(a, b);
}

/* Division by zero also gives all ones. */
static inline uint32_t rem_u32(uint32_t a, uint32_t b) {
    return (a - div_u32(a, b) * b) | (0 - (uint32_t)(b == 0));
}
static inline int32_t rem_s32(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a - (uint32_t)div_s32(a, b) * (uint32_t)b) | -(b == 0);
}
static inline uint64_t rem_u64(uint64_t a, uint64_t b) {
    return b ? a % b : UINT64_MAX;
}
static inline int64_t rem_s64(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}
static inline uint16_t rem_u16(uint16_t a, uint16_t b) {
    return (uint16_t)rem_u32(a, b);
}
static inline int16_t rem_s16(int16_t a, int16_t b) {
    return (int16_t)rem_s32(a, b);
}

static inline uint64_t mulhi_u64(uint64_t a, uint64_t b) {
    return (uint64_t)((u128)a * b >> 64);
}
static inline int64_t mulhi_s64(int64_t a, int64_t b) {
    return (int64_t)((s128)a * b >> 64);
}
static inline uint32_t mulhi_u32(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b >> 32);
}
static inline int32_t mulhi_s32(int32_t a, int32_t b) {
    return (int32_t)((int64_t)a * b >> 32);
}
static inline uint16_t mulhi_u16(uint16_t a, uint16_t b) {
    return (uint16_t)((uint32_t)a * b >> 16);
}
static inline int16_t mulhi_s16(int16_t a, int16_t b) {
    return (int16_t)((int32_t)a * b >> 16);
}

/* 24-bit operands in 32-bit registers; hi means bits 16 to 47 of the product. */
static inline uint64_t product24_u32(uint32_t a, uint32_t b) {
    return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}
static inline int64_t product24_s32(int32_t a, int32_t b) {
    return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
/* |a - b| without overflow: U is the unsigned type. */
#define DISTANCE(U, a, b) ((U)((a) > (b) ? (U)(a) - (U)(b) : (U)(b) - (U)(a)))

/* An expression of the halves x and y of a[l] and b[l], of type T, applied to both. */
#define PACKED2(T, a, b, expr)                                                                                         \
    ({                                                                                                                 \
        uint32_t packed = 0;                                                                                           \
        for (int half = 0; half < 32; half += 16) {                                                                    \
            T x = (T)((a) >> half), y = (T)((b) >> half);                                                              \
            packed |= (uint32_t)(uint16_t)(expr) << half;                                                              \
        }                                                                                                              \
        packed;                                                                                                        \
    })

/* ---- add, sub, mul, mad, sad, min, max, abs, neg, div, rem ---- */

/* Wrapping operations are the same for signed and unsigned numbers. W is a type as wide that does not promote to
 * int. */
#define WRAPPING(bits, U, W)                                                                                           \
    BINARY(add_##bits, U, U, U, (W)a[l] + b[l])                                                                        \
    BINARY(sub_##bits, U, U, U, (W)a[l] - b[l])                                                                        \
    BINARY(mul_lo_##bits, U, U, U, (W)a[l] * b[l])                                                                     \
    TERNARY(mad_lo_##bits, U, U, U, U, (W)a[l] * b[l] + c[l])                                                          \
    UNARY(neg_##bits, U, U, 0 - (W)a[l])
WRAPPING(16, uint16_t, uint32_t)
WRAPPING(32, uint32_t, uint32_t)
WRAPPING(64, uint64_t, uint64_t)

/* T is the type, U the unsigned one as wide, W as above. */
#define BY_SIGN(type, T, U, W)                                                                                         \
    BINARY(mul_hi_##type, T, T, T, mulhi_##type(a[l], b[l]))                                                           \
    TERNARY(mad_hi_##type, U, T, T, U, (W)mulhi_##type(a[l], b[l]) + c[l])                                             \
    TERNARY(sad_##type, U, T, T, U, (W)DISTANCE(U, a[l], b[l]) + c[l])                                                 \
    BINARY(div_##type##_lanes, T, T, T, div_##type(a[l], b[l]))                                                        \
    BINARY(rem_##type##_lanes, T, T, T, rem_##type(a[l], b[l]))                                                        \
    BINARY(min_##type, T, T, T, MIN(a[l], b[l]))                                                                       \
    BINARY(max_##type, T, T, T, MAX(a[l], b[l]))
BY_SIGN(u16, uint16_t, uint16_t, uint32_t)
BY_SIGN(s16, int16_t, uint16_t, uint32_t)
BY_SIGN(u32, uint32_t, uint32_t, uint32_t)
BY_SIGN(s32, int32_t, uint32_t, uint32_t)
BY_SIGN(u64, uint64_t, uint64_t, uint64_t)
BY_SIGN(s64, int64_t, uint64_t, uint64_t)

#define WIDE(type, T, D, U)                                                                                            \
    BINARY(mul_wide_##type, D, T, T, (D)a[l] * b[l])                                                                   \
    TERNARY(mad_wide_##type, U, T, T, U, (U)((D)a[l] * b[l]) + c[l])
WIDE(u16, uint16_t, uint32_t, uint32_t)
WIDE(s16, int16_t, int32_t, uint32_t)
WIDE(u32, uint32_t, uint64_t, uint64_t)
WIDE(s32, int32_t, int64_t, uint64_t)

/* The smallest number has no negative: it stays the same. */
UNARY(abs_s16, uint16_t, int16_t, a[l] < 0 ? 0 - (uint32_t)a[l] : (uint32_t)a[l])
UNARY(abs_s32, uint32_t, int32_t, a[l] < 0 ? 0 - (uint32_t)a[l] : (uint32_t)a[l])
UNARY(abs_s64, uint64_t, int64_t, a[l] < 0 ? 0 - (uint64_t)a[l] : (uint64_t)a[l])

BINARY(add_sat_s32, int32_t, int32_t, int32_t, saturate32((int64_t)a[l] + b[l]))
BINARY(sub_sat_s32, int32_t, int32_t, int32_t, saturate32((int64_t)a[l] - b[l]))
TERNARY(mad_hi_sat_s32, int32_t, int32_t, int32_t, int32_t, saturate32((int64_t)mulhi_s32(a[l], b[l]) + c[l]))

BINARY(min_relu_s32, int32_t, int32_t, int32_t, MAX(MIN(a[l], b[l]), 0))
BINARY(max_relu_s32, int32_t, int32_t, int32_t, MAX(MAX(a[l], b[l]), 0))

BINARY(add_x2, uint32_t, uint32_t, uint32_t, PACKED2(uint16_t, a[l], b[l], x + y))
BINARY(min_u16x2, uint32_t, uint32_t, uint32_t, PACKED2(uint16_t, a[l], b[l], MIN(x, y)))
BINARY(max_u16x2, uint32_t, uint32_t, uint32_t, PACKED2(uint16_t, a[l], b[l], MAX(x, y)))
BINARY(min_s16x2, uint32_t, uint32_t, uint32_t, PACKED2(int16_t, a[l], b[l], MIN(x, y)))
BINARY(max_s16x2, uint32_t, uint32_t, uint32_t, PACKED2(int16_t, a[l], b[l], MAX(x, y)))
BINARY(min_relu_s16x2, uint32_t, uint32_t, uint32_t, PACKED2(int16_t, a[l], b[l], MAX(MIN(x, y), 0)))
BINARY(max_relu_s16x2, uint32_t, uint32_t, uint32_t, PACKED2(int16_t, a[l], b[l], MAX(MAX(x, y), 0)))

BINARY(mul24_lo_u32, uint32_t, uint32_t, uint32_t, product24_u32(a[l], b[l]))
BINARY(mul24_lo_s32, uint32_t, int32_t, int32_t, product24_s32(a[l], b[l]))
BINARY(mul24_hi_u32, uint32_t, uint32_t, uint32_t, product24_u32(a[l], b[l]) >> 16)
BINARY(mul24_hi_s32, int32_t, int32_t, int32_t, product24_s32(a[l], b[l]) >> 16)
TERNARY(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, product24_u32(a[l], b[l]) + c[l])
TERNARY(mad24_lo_s32, uint32_t, int32_t, int32_t, uint32_t, (uint64_t)product24_s32(a[l], b[l]) + c[l])
TERNARY(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (product24_u32(a[l], b[l]) >> 16) + c[l])
TERNARY(mad24_hi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint64_t)(product24_s32(a[l], b[l]) >> 16) + c[l])
TERNARY(mad24_hi_sat_s32, int32_t, int32_t, int32_t, int32_t, saturate32((product24_s32(a[l], b[l]) >> 16) + c[l]))

/* ---- extended precision: the carry is a bit per lane in w->carry ---- */

/* `sum` is the result, `out` the condition of a carry; both may use a, b, c, CARRY_IN and BORROW_IN. As on the
 * hardware, a - b is a + ~b + 1: the flag is 0 after a borrow and 1 without, which shows where sub.cc meets addc. */
#define BORROW_IN (CARRY_IN ^ 1)
#define CARRY_IN  ((w->carry >> l) & 1)
#define WITH_CARRY(name, T, third, sum, out)                                                                           \
    WARP_OPERATION(name) {                                                                                             \
        const T *a = REG(const T, 1), *b = REG(const T, 2), *c = REG(const T, third);                                  \
        uint32_t carry;                                                                                                \
        LANES_WHERE(carry, out);                                                                                       \
        (void)c;                                                                                                       \
        WRITE_LANES(T, sum);                                                                                           \
        w->carry = (w->carry & ~w->mask) | (carry & w->mask);                                                          \
        return in + 1;                                                                                                 \
    }
#define CARRY_FREE(name, T, third, sum)                                                                                \
    WARP_OPERATION(name) {                                                                                             \
        const T *a = REG(const T, 1), *b = REG(const T, 2), *c = REG(const T, third);                                  \
        (void)c;                                                                                                       \
        WRITE_LANES(T, sum);                                                                                           \
        return in + 1;                                                                                                 \
    }

/* x + y + carry-in carries out of T when the first or the second sum wraps. */
#define CARRIES(T, x, y)    ((T)((x) + (y)) < (T)(x))
#define CARRIES_IN(T, x, y) (CARRIES(T, x, y) || CARRIES(T, (T)((x) + (y)), CARRY_IN))

#define EXTENDED(bits, T)                                                                                              \
    WITH_CARRY(add_cc_##bits, T, 1, a[l] + b[l], CARRIES(T, a[l], b[l]))                                               \
    WITH_CARRY(addc_cc_##bits, T, 1, a[l] + b[l] + CARRY_IN, CARRIES_IN(T, a[l], b[l]))                                \
    CARRY_FREE(addc_##bits, T, 1, a[l] + b[l] + CARRY_IN)                                                              \
    WITH_CARRY(sub_cc_##bits, T, 1, a[l] - b[l], a[l] >= b[l])                                                         \
    WITH_CARRY(subc_cc_##bits, T, 1, a[l] - b[l] - BORROW_IN, !(a[l] < b[l] || (T)(a[l] - b[l]) < BORROW_IN))          \
    CARRY_FREE(subc_##bits, T, 1, a[l] - b[l] - BORROW_IN)                                                             \
    WITH_CARRY(mad_lo_cc_##bits, T, 3, a[l] * b[l] + c[l], CARRIES(T, a[l] * b[l], c[l]))                              \
    WITH_CARRY(madc_lo_cc_##bits, T, 3, a[l] * b[l] + c[l] + CARRY_IN, CARRIES_IN(T, a[l] * b[l], c[l]))               \
    CARRY_FREE(madc_lo_##bits, T, 3, a[l] * b[l] + c[l] + CARRY_IN)
EXTENDED(32, uint32_t)
EXTENDED(64, uint64_t)

#define HIGH(type, T, U) (U) mulhi_##type((T)a[l], (T)b[l])
#define EXTENDED_HIGH(type, T, U)                                                                                      \
    WITH_CARRY(mad_hi_cc_##type, U, 3, HIGH(type, T, U) + c[l], CARRIES(U, HIGH(type, T, U), c[l]))                    \
    WITH_CARRY(madc_hi_cc_##type, U, 3, HIGH(type, T, U) + c[l] + CARRY_IN, CARRIES_IN(U, HIGH(type, T, U), c[l]))     \
    CARRY_FREE(madc_hi_##type, U, 3, HIGH(type, T, U) + c[l] + CARRY_IN)
EXTENDED_HIGH(u32, uint32_t, uint32_t)
EXTENDED_HIGH(s32, int32_t, uint32_t)
EXTENDED_HIGH(u64, uint64_t, uint64_t)
EXTENDED_HIGH(s64, int64_t, uint64_t)

/* ---- counting and finding bits ---- */

static inline uint32_t clz32(uint32_t a) {
    return a ? (uint32_t)__builtin_clz(a) : 32;
}
static inline uint32_t clz64(uint64_t a) {
    return a ? (uint32_t)__builtin_clzll(a) : 64;
}
/* Position of the highest bit that differs from the sign (of the highest 1 for unsigned numbers); ~0 if none. */
static inline uint32_t bfind_u32(uint32_t a) {
    return 31 - clz32(a);
}
static inline uint32_t bfind_u64(uint64_t a) {
    return 63 - clz64(a);
}
static inline uint32_t bfind_s32(int32_t a) {
    return bfind_u32((uint32_t)(a < 0 ? ~a : a));
}
static inline uint32_t bfind_s64(int64_t a) {
    return bfind_u64((uint64_t)(a < 0 ? ~a : a));
}
/* .shiftamt: how far to shift left to bring that bit to the top. */
static inline uint32_t shift_amount(uint32_t position, uint32_t top) {
    return position == ~0u ? ~0u : top - position;
}

static inline uint32_t brev32(uint32_t a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
static inline uint64_t brev64(uint64_t a) {
    return (uint64_t)brev32((uint32_t)a) << 32 | brev32((uint32_t)(a >> 32));
}

/* Position of the offset-th set bit counted from base upwards (offset > 0) or downwards (< 0). */
static uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == 0)
        return base < 32 && (mask >> base & 1) ? base : ~0u;
    int64_t step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -(int64_t)offset;
    for (int64_t at = (int32_t)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0)
            return (uint32_t)at;
    return ~0u;
}

UNARY(popc_32, uint32_t, uint32_t, __builtin_popcount(a[l]))
UNARY(popc_64, uint32_t, uint64_t, __builtin_popcountll(a[l]))
UNARY(clz_32, uint32_t, uint32_t, clz32(a[l]))
UNARY(clz_64, uint32_t, uint64_t, clz64(a[l]))
UNARY(brev_32, uint32_t, uint32_t, brev32(a[l]))
UNARY(brev_64, uint64_t, uint64_t, brev64(a[l]))
TERNARY(fns_32, uint32_t, uint32_t, uint32_t, int32_t, find_nth_set(a[l], b[l], c[l]))

#define BFIND(type, T, top)                                                                                            \
    UNARY(bfind_op_##type, uint32_t, T, bfind_##type(a[l]))                                                            \
    UNARY(bfind_shiftamt_##type, uint32_t, T, shift_amount(bfind_##type(a[l]), top))
BFIND(u32, uint32_t, 31)
BFIND(s32, int32_t, 31)
BFIND(u64, uint64_t, 63)
BFIND(s64, int64_t, 63)

/* ---- bit fields: position and length are the low bytes of their operands ---- */

#define BIT_FIELDS(bits, U, S)                                                                                         \
    static inline U low_ones_##bits(uint32_t n) {                                                                      \
        return n >= bits ? (U)-1 : ((U)1 << n) - 1;                                                                    \
    }                                                                                                                  \
    static inline U bfe_u##bits(U a, uint32_t at, uint32_t n) {                                                        \
        at &= 0xff, n &= 0xff;                                                                                         \
        return at >= bits ? 0 : a >> at & low_ones_##bits(n);                                                          \
    }                                                                                                                  \
    /* Beyond the end of the number, the field continues with its sign. */                                             \
    static inline U bfe_s##bits(U a, uint32_t at, uint32_t n) {                                                        \
        at &= 0xff, n &= 0xff;                                                                                         \
        uint32_t end = MIN(at + n, bits);                                                                              \
        U beyond = (U)((S)a >> (bits - 1));                                                                            \
        U field = at < end ? (U)((S)(a << (bits - end)) >> ((bits - end) + at)) : beyond;                              \
        return n ? field : 0;                                                                                          \
    }                                                                                                                  \
    static inline U bfi_##bits(U a, U b, uint32_t at, uint32_t n) {                                                    \
        at &= 0xff, n &= 0xff;                                                                                         \
        U field = at >= bits ? 0 : low_ones_##bits(n) << at;                                                           \
        return (b & ~field) | ((at >= bits ? 0 : a << at) & field);                                                    \
    }                                                                                                                  \
    TERNARY(bfe_op_u##bits, U, U, uint32_t, uint32_t, bfe_u##bits(a[l], b[l], c[l]))                                   \
    TERNARY(bfe_op_s##bits, U, U, uint32_t, uint32_t, bfe_s##bits(a[l], b[l], c[l]))                                   \
    OPERATION(bfi_op_##bits) {                                                                                         \
        const U *a = REG(const U, 1), *b = REG(const U, 2);                                                            \
        const uint32_t *c = REG(const uint32_t, 3), *d = REG(const uint32_t, 4);                                       \
        WRITE_LANES(U, bfi_##bits(a[l], b[l], c[l], d[l]));                                                            \
        return in + 1;                                                                                                 \
    }
BIT_FIELDS(32, uint32_t, int32_t)
BIT_FIELDS(64, uint64_t, int64_t)

/* The low n bits of a, extended to 32; .wrap takes n modulo 32, .clamp takes at most 32. */
static inline uint32_t szext_u32(uint32_t a, uint32_t n) {
    return a & low_ones_32(n);
}
static inline uint32_t szext_s32(uint32_t a, uint32_t n) {
    if (n == 0 || n >= 32)
        return n ? a : 0;
    return (uint32_t)((int32_t)(a << (32 - n)) >> (32 - n));
}
BINARY(szext_wrap_u32, uint32_t, uint32_t, uint32_t, szext_u32(a[l], b[l] & 31))
BINARY(szext_wrap_s32, uint32_t, uint32_t, uint32_t, szext_s32(a[l], b[l] & 31))
BINARY(szext_clamp_u32, uint32_t, uint32_t, uint32_t, szext_u32(a[l], b[l]))
BINARY(szext_clamp_s32, uint32_t, uint32_t, uint32_t, szext_s32(a[l], b[l]))

/* `n` ones from bit `at` upwards, as many as fit. */
static inline uint32_t bmsk(uint32_t at, uint32_t n) {
    return at >= 32 ? 0 : low_ones_32(n) << at;
}
BINARY(bmsk_wrap, uint32_t, uint32_t, uint32_t, bmsk(a[l] & 31, b[l] & 31))
BINARY(bmsk_clamp, uint32_t, uint32_t, uint32_t, bmsk(a[l], b[l]))

/* ---- dot products of bytes ---- */

/* Part i of x as type T. */
#define PART(T, x, i) ((int32_t)(T)((x) >> 8 * sizeof(T) * (size_t)(i)))
#define DP4A(A, B)                                                                                                     \
    c[l] + (uint32_t)(PART(A, a[l], 0) * PART(B, b[l], 0)) + (uint32_t)(PART(A, a[l], 1) * PART(B, b[l], 1)) +         \
        (uint32_t)(PART(A, a[l], 2) * PART(B, b[l], 2)) + (uint32_t)(PART(A, a[l], 3) * PART(B, b[l], 3))
#define DP2A(A, B, first)                                                                                              \
    c[l] + (uint32_t)(PART(A, a[l], 0) * PART(B, b[l], first)) +                                                       \
        (uint32_t)(PART(A, a[l], 1) * PART(B, b[l], (first) + 1))
#define DOT(at, bt, A4, A2, B)                                                                                         \
    TERNARY(dp4a_##at##_##bt, uint32_t, uint32_t, uint32_t, uint32_t, DP4A(A4, B))                                     \
    TERNARY(dp2a_lo_##at##_##bt, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(A2, B, 0))                               \
    TERNARY(dp2a_hi_##at##_##bt, uint32_t, uint32_t, uint32_t, uint32_t, DP2A(A2, B, 2))
DOT(u32, u32, uint8_t, uint16_t, uint8_t)
DOT(u32, s32, uint8_t, uint16_t, int8_t)
DOT(s32, u32, int8_t, int16_t, uint8_t)
DOT(s32, s32, int8_t, int16_t, int8_t)

/* ---- the table ---- */

/* r is the letter of the type's width */
#define ROWS_WRAPPING(type, bits, r)                                                                                   \
    {"add." #type, r r r, add_##bits, 0, 0}, {"sub." #type, r r r, sub_##bits, 0, 0},                                  \
        {"mul.lo." #type, r r r, mul_lo_##bits, 0, 0}, {"mad.lo." #type, r r r r, mad_lo_##bits, 0, 0},
#define ROWS_BY_SIGN(type, r)                                                                                          \
    {"mul.hi." #type, r r r, mul_hi_##type, 0, 0}, {"mad.hi." #type, r r r r, mad_hi_##type, 0, 0},                    \
        {"sad." #type, r r r r, sad_##type, 0, 0}, {"div." #type, r r r, div_##type##_lanes, 0, 0},                    \
        {"rem." #type, r r r, rem_##type##_lanes, 0, 0}, {"min." #type, r r r, min_##type, 0, 0},                      \
        {"max." #type, r r r, max_##type, 0, 0},
#define ROWS_WIDE(type, r, R)                                                                                          \
    {"mul.wide." #type, R r r, mul_wide_##type, 0, 0}, {"mad.wide." #type, R r r R, mad_wide_##type, 0, 0},
#define ROWS_SIGNED(type, bits, r) {"neg." #type, r r, neg_##bits, 0, 0}, {"abs." #type, r r, abs_##type, 0, 0},
#define ROWS_EXTENDED(type, bits, r)                                                                                   \
    {"add.cc." #type, r r r, add_cc_##bits, 0, 0}, {"addc." #type, r r r, addc_##bits, 0, 0},                          \
        {"addc.cc." #type, r r r, addc_cc_##bits, 0, 0}, {"sub.cc." #type, r r r, sub_cc_##bits, 0, 0},                \
        {"subc." #type, r r r, subc_##bits, 0, 0}, {"subc.cc." #type, r r r, subc_cc_##bits, 0, 0},                    \
        {"mad.lo.cc." #type, r r r r, mad_lo_cc_##bits, 0, 0}, {"mad.hi.cc." #type, r r r r, mad_hi_cc_##type, 0, 0},  \
        {"madc.lo." #type, r r r r, madc_lo_##bits, 0, 0}, {"madc.hi." #type, r r r r, madc_hi_##type, 0, 0},          \
        {"madc.lo.cc." #type, r r r r, madc_lo_cc_##bits, 0, 0},                                                       \
        {"madc.hi.cc." #type, r r r r, madc_hi_cc_##type, 0, 0},
#define ROWS_BITS(type, bits, r)                                                                                       \
    {"bfind." #type, "w" r, bfind_op_##type, 0, 0}, {"bfind.shiftamt." #type, "w" r, bfind_shiftamt_##type, 0, 0},     \
        {"bfe." #type, r r "ww", bfe_op_##type, 0, 0},
#define ROWS_DOT(at, bt)                                                                                               \
    {"dp4a." #at "." #bt, "wwww", dp4a_##at##_##bt, 0, 0},                                                             \
        {"dp2a.lo." #at "." #bt, "wwww", dp2a_lo_##at##_##bt, 0, 0},                                                   \
        {"dp2a.hi." #at "." #bt, "wwww", dp2a_hi_##at##_##bt, 0, 0},

/* clang-format off */
const struct form forms_integer[] = {
    ROWS_WRAPPING(u16, 16, "h") ROWS_WRAPPING(s16, 16, "h") ROWS_WRAPPING(u32, 32, "w")
    ROWS_WRAPPING(s32, 32, "w") ROWS_WRAPPING(u64, 64, "l") ROWS_WRAPPING(s64, 64, "l")
    ROWS_BY_SIGN(u16, "h") ROWS_BY_SIGN(s16, "h") ROWS_BY_SIGN(u32, "w")
    ROWS_BY_SIGN(s32, "w") ROWS_BY_SIGN(u64, "l") ROWS_BY_SIGN(s64, "l")
    ROWS_WIDE(u16, "h", "w") ROWS_WIDE(s16, "h", "w") ROWS_WIDE(u32, "w", "l") ROWS_WIDE(s32, "w", "l")
    ROWS_SIGNED(s16, 16, "h") ROWS_SIGNED(s32, 32, "w") ROWS_SIGNED(s64, 64, "l")
    {"add.sat.s32", "www", add_sat_s32, 0, 0},
    {"sub.sat.s32", "www", sub_sat_s32, 0, 0},
    {"mad.hi.sat.s32", "wwww", mad_hi_sat_s32, 0, 0},
    {"min.relu.s32", "www", min_relu_s32, 0, 0},
    {"max.relu.s32", "www", max_relu_s32, 0, 0},
    {"add.u16x2", "www", add_x2, 0, 0},
    {"add.s16x2", "www", add_x2, 0, 0},
    {"min.u16x2", "www", min_u16x2, 0, 0},
    {"max.u16x2", "www", max_u16x2, 0, 0},
    {"min.s16x2", "www", min_s16x2, 0, 0},
    {"max.s16x2", "www", max_s16x2, 0, 0},
    {"min.relu.s16x2", "www", min_relu_s16x2, 0, 0},
    {"max.relu.s16x2", "www", max_relu_s16x2, 0, 0},
    {"mul24.lo.u32", "www", mul24_lo_u32, 0, 0},
    {"mul24.lo.s32", "www", mul24_lo_s32, 0, 0},
    {"mul24.hi.u32", "www", mul24_hi_u32, 0, 0},
    {"mul24.hi.s32", "www", mul24_hi_s32, 0, 0},
    {"mad24.lo.u32", "wwww", mad24_lo_u32, 0, 0},
    {"mad24.lo.s32", "wwww", mad24_lo_s32, 0, 0},
    {"mad24.hi.u32", "wwww", mad24_hi_u32, 0, 0},
    {"mad24.hi.s32", "wwww", mad24_hi_s32, 0, 0},
    {"mad24.hi.sat.s32", "wwww", mad24_hi_sat_s32, 0, 0},
    ROWS_EXTENDED(u32, 32, "w") ROWS_EXTENDED(s32, 32, "w") ROWS_EXTENDED(u64, 64, "l") ROWS_EXTENDED(s64, 64, "l")
    ROWS_BITS(u32, 32, "w") ROWS_BITS(s32, 32, "w") ROWS_BITS(u64, 64, "l") ROWS_BITS(s64, 64, "l")
    {"popc.b32", "ww", popc_32, 0, 0},
    {"popc.b64", "wl", popc_64, 0, 0},
    {"clz.b32", "ww", clz_32, 0, 0},
    {"clz.b64", "wl", clz_64, 0, 0},
    {"brev.b32", "ww", brev_32, 0, 0},
    {"brev.b64", "ll", brev_64, 0, 0},
    {"fns.b32", "wwww", fns_32, 0, 0},
    {"bfi.b32", "wwwww", bfi_op_32, 0, 0},
    {"bfi.b64", "lllww", bfi_op_64, 0, 0},
    {"szext.wrap.u32", "www", szext_wrap_u32, 0, 0},
    {"szext.wrap.s32", "www", szext_wrap_s32, 0, 0},
    {"szext.clamp.u32", "www", szext_clamp_u32, 0, 0},
    {"szext.clamp.s32", "www", szext_clamp_s32, 0, 0},
    {"bmsk.wrap.b32", "www", bmsk_wrap, 0, 0},
    {"bmsk.clamp.b32", "www", bmsk_clamp, 0, 0},
    ROWS_DOT(u32, u32) ROWS_DOT(u32, s32) ROWS_DOT(s32, u32) ROWS_DOT(s32, s32)
    {0},
};
/* clang-format on */
