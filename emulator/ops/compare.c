/* Comparison and selection: setp set selp slct.
 *
 * A comparison gives a mask, one bit per lane. A plain setp is one operation per comparison, because loops use it
 * heavily; everything that combines the mask with a predicate or turns it into a number looks the comparison up in a
 * table, by insn.kind. */
#define LANE_FAMILY
#include "ops/half.h"
#include "ops/lanes.h"
#include "ops/forms.h"

/* ---- values by their order ---- */

/* && and || without a branch, which would keep a loop from becoming vector code */
#define BOTH(x, y)   ((int)(x) & (int)(y))
#define EITHER(x, y) ((int)(x) | (int)(y))

/* Half-precision numbers order like their magnitudes with a sign, so integers can represent them. `least` is the
 * smallest normal number: with .ftz what is below it counts as 0. */
static inline int32_t half_order(uint16_t x, uint16_t least) {
    int32_t magnitude = x & 0x7fff;
    magnitude = magnitude < least ? 0 : magnitude;
    return x & 0x8000 ? -magnitude : magnitude;
}
static inline int half_unordered(uint16_t x, uint16_t y, uint32_t infinity) {
    return EITHER((x & 0x7fff) > infinity, (y & 0x7fff) > infinity);
}
#define F16_LEAST 0x0400

/* ---- comparisons ---- */

/* All comparisons, as X(name, type of a lane, expression of a and b). The letters of float comparisons: ltu is lt or
 * unordered; num: neither is a NaN. */
#define INTEGER_COMPARISONS(X, type, T)                                                                                \
    X(eq_##type, T, a == b)                                                                                            \
    X(ne_##type, T, a != b)                                                                                            \
    X(lt_##type, T, a < b)                                                                                             \
    X(le_##type, T, a <= b)                                                                                            \
    X(gt_##type, T, a > b)                                                                                             \
    X(ge_##type, T, a >= b)
#define ORDERED_COMPARISONS(X, type, T, x, y, nan)                                                                     \
    X(eq_##type, T, BOTH(!(nan), ((x) == (y))))                                                                        \
    X(ne_##type, T, BOTH(!(nan), ((x) != (y))))                                                                        \
    X(lt_##type, T, BOTH(!(nan), ((x) < (y))))                                                                         \
    X(le_##type, T, BOTH(!(nan), ((x) <= (y))))                                                                        \
    X(gt_##type, T, BOTH(!(nan), ((x) > (y))))                                                                         \
    X(ge_##type, T, BOTH(!(nan), ((x) >= (y))))                                                                        \
    X(equ_##type, T, EITHER(nan, ((x) == (y))))                                                                        \
    X(neu_##type, T, EITHER(nan, ((x) != (y))))                                                                        \
    X(ltu_##type, T, EITHER(nan, ((x) < (y))))                                                                         \
    X(leu_##type, T, EITHER(nan, ((x) <= (y))))                                                                        \
    X(gtu_##type, T, EITHER(nan, ((x) > (y))))                                                                         \
    X(geu_##type, T, EITHER(nan, ((x) >= (y))))                                                                        \
    X(num_##type, T, !(nan))                                                                                           \
    X(nan_##type, T, (nan))
#define FLOAT_COMPARISONS(X, type, T, flush)                                                                           \
    X(eq_##type, T, flush(a) == flush(b))                                                                              \
    X(ne_##type, T, EITHER(flush(a) < flush(b), flush(a) > flush(b)))                                                  \
    X(lt_##type, T, flush(a) < flush(b))                                                                               \
    X(le_##type, T, flush(a) <= flush(b))                                                                              \
    X(gt_##type, T, flush(a) > flush(b))                                                                               \
    X(ge_##type, T, flush(a) >= flush(b))                                                                              \
    X(equ_##type, T, !(EITHER(flush(a) < flush(b), flush(a) > flush(b))))                                              \
    X(neu_##type, T, flush(a) != flush(b))                                                                             \
    X(ltu_##type, T, !(flush(a) >= flush(b)))                                                                          \
    X(leu_##type, T, !(flush(a) > flush(b)))                                                                           \
    X(gtu_##type, T, !(flush(a) <= flush(b)))                                                                          \
    X(geu_##type, T, !(flush(a) < flush(b)))                                                                           \
    X(num_##type, T, BOTH(a == a, b == b))                                                                             \
    X(nan_##type, T, EITHER(a != a, b != b))
#define HALF_COMPARISONS(X, type, least, infinity)                                                                     \
    ORDERED_COMPARISONS(X, type, uint16_t, half_order(a, least), half_order(b, least), half_unordered(a, b, infinity))

#define AS_IT_IS(x) (x)
#define COMPARISONS(X)                                                                                                 \
    INTEGER_COMPARISONS(X, u16, uint16_t)                                                                              \
    INTEGER_COMPARISONS(X, s16, int16_t)                                                                               \
    INTEGER_COMPARISONS(X, u32, uint32_t)                                                                              \
    INTEGER_COMPARISONS(X, s32, int32_t)                                                                               \
    INTEGER_COMPARISONS(X, u64, uint64_t)                                                                              \
    INTEGER_COMPARISONS(X, s64, int64_t)                                                                               \
    FLOAT_COMPARISONS(X, f32, float, AS_IT_IS)                                                                         \
    FLOAT_COMPARISONS(X, ftz_f32, float, f32_flush)                                                                    \
    FLOAT_COMPARISONS(X, f64, double, AS_IT_IS)                                                                        \
    HALF_COMPARISONS(X, f16, 0, F16_INFINITY)                                                                          \
    HALF_COMPARISONS(X, ftz_f16, F16_LEAST, F16_INFINITY)                                                              \
    HALF_COMPARISONS(X, bf16, 0, BF16_INFINITY)

/* Each comparison: its number, its function from two registers to a mask, and its plain setp. */
#define NUMBER(name, T, expr) COMPARE_##name,
enum comparison { COMPARISONS(NUMBER) COMPARISON_COUNT };

#define DEFINE(name, T, expr)                                                                                          \
    static uint32_t compare_##name(const void *from_a, const void *from_b) {                                           \
        const T *lanes_a = from_a, *lanes_b = from_b;                                                                  \
        int32_t truth[WARP_SIZE] __attribute__((aligned(64)));                                                         \
        LANE_LOOP {                                                                                                    \
            T a = lanes_a[l], b = lanes_b[l];                                                                          \
            truth[l] = (expr) ? -1 : 0;                                                                                \
        }                                                                                                              \
        return mask_of_truths(truth);                                                                                  \
    }                                                                                                                  \
    OPERATION(setp_##name) {                                                                                           \
        uint32_t mask = compare_##name(REG(void, 2), REG(void, 3));                                                    \
        WRITE_PRED(0, mask);                                                                                           \
        WRITE_PRED(1, ~mask);                                                                                          \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    OPERATION(setp_constant_##name) {                                                                                  \
        const T *lanes_a = REG(const T, 2);                                                                            \
        int32_t truth[WARP_SIZE] __attribute__((aligned(64)));                                                         \
        T b;                                                                                                           \
        memcpy(&b, &in->imm, sizeof b);                                                                                \
        LANE_LOOP {                                                                                                    \
            T a = lanes_a[l];                                                                                          \
            truth[l] = (expr) ? -1 : 0;                                                                                \
        }                                                                                                              \
        uint32_t mask = mask_of_truths(truth);                                                                         \
        WRITE_PRED(0, mask);                                                                                           \
        WRITE_PRED(1, ~mask);                                                                                          \
        return in + 1;                                                                                                 \
    }
COMPARISONS(DEFINE)

/* Most comparisons are with an immediate. As a vector it would take a place in every warp's frame, and in the cache. */
#if WARP_SIZE == 32
handler_fn setp_with_constant(handler_fn handler) {
#define PAIR(name, T, expr) {setp_##name, setp_constant_##name},
    static const struct { handler_fn plain, constant; } pairs[] = {COMPARISONS(PAIR)};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].plain == handler)
            return pairs[i].constant;
    return NULL;
}
#endif

typedef uint32_t (*compare_fn)(const void *, const void *);
#define ENTRY(name, T, expr) [COMPARE_##name] = compare_##name,
static const compare_fn comparisons[] = {COMPARISONS(ENTRY)};

/* ---- combined with a predicate, packed, or turned into a number ---- */

/* insn.kind: the comparison, how to combine its result, and the form of the result. */
enum combine { COMBINE_NOT, COMBINE_AND, COMBINE_OR, COMBINE_XOR };
enum result { RESULT_ONES_32, RESULT_ONES_16, RESULT_ONE_F32, RESULT_ONE_F16, RESULT_ONE_BF16 };
#define KIND(comparison, combine, result) ((comparison) | (combine) << 8 | (result) << 10)
#define KIND_COMPARISON(kind)             ((kind)&0xff)
#define KIND_COMBINE(kind)                ((kind) >> 8 & 3)
#define KIND_RESULT(kind)                 ((kind) >> 10)
_Static_assert(COMPARISON_COUNT <= 256, "a comparison's number has 8 bits of insn.kind");

static uint32_t combined(const struct insn *in, uint32_t mask, uint32_t c) {
    switch (KIND_COMBINE(in->kind)) {
    case COMBINE_AND:
        return mask & c;
    case COMBINE_OR:
        return mask | c;
    case COMBINE_XOR:
        return mask ^ c;
    default:
        return mask;
    }
}

/* p|q, a, b, c: p = (a op b) combined with c, q = !(a op b) combined with c */
OPERATION(setp_combined) {
    uint32_t mask = comparisons[KIND_COMPARISON(in->kind)](REG(void, 2), REG(void, 3)), c = PRED(4);
    WRITE_PRED(0, combined(in, mask, c));
    WRITE_PRED(1, combined(in, ~mask, c));
    return in + 1;
}

/* The low and the high halves of a packed register, as two registers of 16 bits. */
struct halves {
    uint16_t low[WARP_SIZE], high[WARP_SIZE];
};
static void unpack_halves(struct halves *out, const uint32_t *packed) {
    for (int l = 0; l < WARP_SIZE; l++) {
        out->low[l] = (uint16_t)packed[l];
        out->high[l] = (uint16_t)(packed[l] >> 16);
    }
}
/* Compares the halves of operands k and k + 1. */
static void compare_halves(struct warp *w, const struct insn *in, unsigned k, uint32_t *low, uint32_t *high) {
    struct halves a, b;
    unpack_halves(&a, REG(uint32_t, k));
    unpack_halves(&b, REG(uint32_t, k + 1));
    *low = comparisons[KIND_COMPARISON(in->kind)](a.low, b.low);
    *high = comparisons[KIND_COMPARISON(in->kind)](a.high, b.high);
}

/* setp of f16x2 and bf16x2: p is the comparison of the low halves, q that of the high ones. */
OPERATION(setp_packed) {
    uint32_t low, high, c = KIND_COMBINE(in->kind) ? PRED(4) : 0;
    compare_halves(w, in, 2, &low, &high);
    WRITE_PRED(0, combined(in, low, c));
    WRITE_PRED(1, combined(in, high, c));
    return in + 1;
}

/* The representation of "true" in each type of result. */
static const uint32_t truths[] = {
    [RESULT_ONES_32] = 0xffffffffu, [RESULT_ONES_16] = 0xffff,  [RESULT_ONE_F32] = 0x3f800000u,
    [RESULT_ONE_F16] = 0x3c00,      [RESULT_ONE_BF16] = 0x3f80,
};

OPERATION(set_to_32) {
    uint32_t mask = comparisons[KIND_COMPARISON(in->kind)](REG(void, 1), REG(void, 2));
    uint32_t one = truths[KIND_RESULT(in->kind)];
    mask = combined(in, mask, KIND_COMBINE(in->kind) ? PRED(3) : 0);
    WRITE_LANES(uint32_t, LANE_ON(mask) ? one : 0);
    return in + 1;
}
OPERATION(set_to_16) {
    uint32_t mask = comparisons[KIND_COMPARISON(in->kind)](REG(void, 1), REG(void, 2));
    uint16_t one = (uint16_t)truths[KIND_RESULT(in->kind)];
    mask = combined(in, mask, KIND_COMBINE(in->kind) ? PRED(3) : 0);
    WRITE_LANES(uint16_t, LANE_ON(mask) ? one : 0);
    return in + 1;
}
OPERATION(set_packed) {
    uint32_t low, high, one = truths[KIND_RESULT(in->kind)], c = KIND_COMBINE(in->kind) ? PRED(3) : 0;
    compare_halves(w, in, 1, &low, &high);
    low = combined(in, low, c);
    high = combined(in, high, c);
    WRITE_LANES(uint32_t, (LANE_ON(low) ? one : 0) | (LANE_ON(high) ? one << 16 : 0));
    return in + 1;
}

/* ---- selection ---- */

#define SELECT(bits, U)                                                                                                \
    OPERATION(selp_##bits) {                                                                                           \
        const U *a = REG(const U, 1), *b = REG(const U, 2);                                                            \
        uint32_t choice = PRED(3);                                                                                     \
        WRITE_LANES(U, LANE_ON(choice) ? a[l] : b[l]);                                                                 \
        return in + 1;                                                                                                 \
    }                                                                                                                  \
    TERNARY(slct_s32_##bits, U, U, U, int32_t, c[l] >= 0 ? a[l] : b[l])                                                \
    TERNARY(slct_f32_##bits, U, U, U, float, c[l] >= 0.0f ? a[l] : b[l])                                               \
    TERNARY(slct_ftz_f32_##bits, U, U, U, float, f32_flush(c[l]) >= 0.0f ? a[l] : b[l])
SELECT(16, uint16_t)
SELECT(32, uint32_t)
SELECT(64, uint64_t)

/* ---- the table ---- */

/* The spellings of one comparison: op is its name, type that of its operands, r the letter of
 * their width, name that of the comparison. */
#define SET_ROW(op, mid, dtype, d, type, letters, name, COMBINE, RESULT, to)                                           \
    {"set." op mid "." dtype "." type, d letters, to, 0, KIND(COMPARE_##name, COMBINE, RESULT)},
#define SET_F16(op, mid, type, letters, name, COMBINE)                                                                 \
    SET_ROW(op, mid, "f16", "h", type, letters, name, COMBINE, RESULT_ONE_F16, set_to_16)
#define SET_BF16(op, mid, type, letters, name, COMBINE)                                                                \
    SET_ROW(op, mid, "bf16", "h", type, letters, name, COMBINE, RESULT_ONE_BF16, set_to_16)
#define SET_INTEGER(op, mid, type, letters, name, COMBINE)                                                             \
    SET_ROW(op, mid, "u32", "w", type, letters, name, COMBINE, RESULT_ONES_32, set_to_32)                              \
    SET_ROW(op, mid, "s32", "w", type, letters, name, COMBINE, RESULT_ONES_32, set_to_32)
/* Only half-precision comparisons give 16-bit integers, and only they give no f32; bf16 has no .ftz. */
#define SET_WIDE_FTZ(op, mid, type, letters, name, COMBINE)                                                            \
    SET_INTEGER(op, mid, type, letters, name, COMBINE)                                                                 \
    SET_F16(op, mid, type, letters, name, COMBINE)                                                                     \
    SET_ROW(op, mid, "f32", "w", type, letters, name, COMBINE, RESULT_ONE_F32, set_to_32)
#define SET_WIDE(op, mid, type, letters, name, COMBINE)                                                                \
    SET_WIDE_FTZ(op, mid, type, letters, name, COMBINE) SET_BF16(op, mid, type, letters, name, COMBINE)
#define SET_HALF(op, mid, type, letters, name, COMBINE)                                                                \
    SET_INTEGER(op, mid, type, letters, name, COMBINE)                                                                 \
    SET_ROW(op, mid, "u16", "h", type, letters, name, COMBINE, RESULT_ONES_16, set_to_16)                              \
    SET_ROW(op, mid, "s16", "h", type, letters, name, COMBINE, RESULT_ONES_16, set_to_16)
#define SET_FROM_F16_FTZ(op, mid, type, letters, name, COMBINE)                                                        \
    SET_HALF(op, mid, type, letters, name, COMBINE) SET_F16(op, mid, type, letters, name, COMBINE)
#define SET_FROM_F16(op, mid, type, letters, name, COMBINE)                                                            \
    SET_FROM_F16_FTZ(op, mid, type, letters, name, COMBINE) SET_BF16(op, mid, type, letters, name, COMBINE)
#define SET_FROM_BF16(op, mid, type, letters, name, COMBINE)                                                           \
    SET_HALF(op, mid, type, letters, name, COMBINE) SET_BF16(op, mid, type, letters, name, COMBINE)
#define ROWS_WITH(SETS, flags, op, ftz, type, r, name)                                                                 \
    {"setp." op ftz "." type, "P" r r, setp_##name, flags, 0},                                                         \
        {"setp." op ".and" ftz "." type, "P" r r "p", setp_combined, 0, KIND(COMPARE_##name, COMBINE_AND, 0)},         \
        {"setp." op ".or" ftz "." type, "P" r r "p", setp_combined, 0, KIND(COMPARE_##name, COMBINE_OR, 0)},           \
        {"setp." op ".xor" ftz "." type, "P" r r "p", setp_combined, 0, KIND(COMPARE_##name, COMBINE_XOR, 0)},         \
        SETS(op, ftz, type, r r, name, COMBINE_NOT) SETS(op, ".and" ftz, type, r r "p", name, COMBINE_AND)             \
            SETS(op, ".or" ftz, type, r r "p", name, COMBINE_OR)                                                       \
                SETS(op, ".xor" ftz, type, r r "p", name, COMBINE_XOR)
#define ROWS(op, ftz, type, r, name)         ROWS_WITH(SET_WIDE, 0, op, ftz, type, r, name)
#define ROWS_F32(op, ftz, type, r, name)     ROWS_WITH(SET_WIDE, INSN_RAW_SOURCES, op, ftz, type, r, name)
#define ROWS_FTZ(op, ftz, type, r, name)     ROWS_WITH(SET_WIDE_FTZ, INSN_RAW_SOURCES, op, ftz, type, r, name)
#define ROWS_F16(op, ftz, type, r, name)     ROWS_WITH(SET_FROM_F16, 0, op, ftz, type, r, name)
#define ROWS_F16_FTZ(op, ftz, type, r, name) ROWS_WITH(SET_FROM_F16_FTZ, 0, op, ftz, type, r, name)
#define ROWS_BF16(op, ftz, type, r, name)    ROWS_WITH(SET_FROM_BF16, 0, op, ftz, type, r, name)

#define PACKED_ROWS_COMBINED(op, mid, type, ONE, extra, name, COMBINE)                                                 \
    {"setp." op mid "." type, "Pww" extra, setp_packed, 0, KIND(COMPARE_##name, COMBINE, 0)},                          \
        {"set." op mid ".u32." type, "www" extra, set_packed, 0, KIND(COMPARE_##name, COMBINE, RESULT_ONES_16)},       \
        {"set." op mid ".s32." type, "www" extra, set_packed, 0, KIND(COMPARE_##name, COMBINE, RESULT_ONES_16)},       \
        {"set." op mid "." type "." type, "www" extra, set_packed, 0, KIND(COMPARE_##name, COMBINE, ONE)},
#define PACKED_ROWS(op, ftz, type, ONE, name)                                                                          \
    PACKED_ROWS_COMBINED(op, ftz, type, ONE, "", name, COMBINE_NOT)                                                    \
    PACKED_ROWS_COMBINED(op, ".and" ftz, type, ONE, "p", name, COMBINE_AND)                                            \
    PACKED_ROWS_COMBINED(op, ".or" ftz, type, ONE, "p", name, COMBINE_OR)                                              \
    PACKED_ROWS_COMBINED(op, ".xor" ftz, type, ONE, "p", name, COMBINE_XOR)

#define ROWS_EQUALITY(type, r, as) ROWS("eq", "", type, r, eq_##as) ROWS("ne", "", type, r, ne_##as)
#define ROWS_SIGNED(type, r, as)                                                                                       \
    ROWS_EQUALITY(type, r, as)                                                                                         \
    ROWS("lt", "", type, r, lt_##as)                                                                                   \
    ROWS("le", "", type, r, le_##as) ROWS("gt", "", type, r, gt_##as) ROWS("ge", "", type, r, ge_##as)
#define ROWS_UNSIGNED(type, r, as)                                                                                     \
    ROWS_SIGNED(type, r, as)                                                                                           \
    ROWS("lo", "", type, r, lt_##as)                                                                                   \
    ROWS("ls", "", type, r, le_##as) ROWS("hi", "", type, r, gt_##as) ROWS("hs", "", type, r, ge_##as)
#define FLOAT_ROWS(ROW, ftz, type, r, as)                                                                              \
    ROW("eq", ftz, type, r, eq_##as)                                                                                   \
    ROW("ne", ftz, type, r, ne_##as)                                                                                   \
    ROW("lt", ftz, type, r, lt_##as)                                                                                   \
    ROW("le", ftz, type, r, le_##as)                                                                                   \
    ROW("gt", ftz, type, r, gt_##as)                                                                                   \
    ROW("ge", ftz, type, r, ge_##as)                                                                                   \
    ROW("equ", ftz, type, r, equ_##as)                                                                                 \
    ROW("neu", ftz, type, r, neu_##as)                                                                                 \
    ROW("ltu", ftz, type, r, ltu_##as)                                                                                 \
    ROW("leu", ftz, type, r, leu_##as)                                                                                 \
    ROW("gtu", ftz, type, r, gtu_##as)                                                                                 \
    ROW("geu", ftz, type, r, geu_##as)                                                                                 \
    ROW("num", ftz, type, r, num_##as)                                                                                 \
    ROW("nan", ftz, type, r, nan_##as)

#define SLCT_ROWS(dtype, r, bits)                                                                                      \
    {"selp." #dtype, r r r "p", selp_##bits, 0, 0}, {"slct." #dtype ".s32", r r r "w", slct_s32_##bits, 0, 0},         \
        {"slct." #dtype ".f32", r r r "w", slct_f32_##bits, 0, 0},                                                     \
        {"slct.ftz." #dtype ".f32", r r r "w", slct_ftz_f32_##bits, 0, 0},

/* clang-format off */
const struct form forms_compare[] = {
    ROWS_EQUALITY("b16", "h", u16) ROWS_UNSIGNED("u16", "h", u16) ROWS_SIGNED("s16", "h", s16)
    ROWS_EQUALITY("b32", "w", u32) ROWS_UNSIGNED("u32", "w", u32) ROWS_SIGNED("s32", "w", s32)
    ROWS_EQUALITY("b64", "l", u64) ROWS_UNSIGNED("u64", "l", u64) ROWS_SIGNED("s64", "l", s64)
    FLOAT_ROWS(ROWS_F32, "", "f32", "w", f32)
    FLOAT_ROWS(ROWS_FTZ, ".ftz", "f32", "w", ftz_f32)
    FLOAT_ROWS(ROWS, "", "f64", "l", f64)
    FLOAT_ROWS(ROWS_F16, "", "f16", "h", f16)
    FLOAT_ROWS(ROWS_F16_FTZ, ".ftz", "f16", "h", ftz_f16)
    FLOAT_ROWS(ROWS_BF16, "", "bf16", "h", bf16)
    FLOAT_ROWS(PACKED_ROWS, "", "f16x2", RESULT_ONE_F16, f16)
    FLOAT_ROWS(PACKED_ROWS, ".ftz", "f16x2", RESULT_ONE_F16, ftz_f16)
    FLOAT_ROWS(PACKED_ROWS, "", "bf16x2", RESULT_ONE_BF16, bf16)
    SLCT_ROWS(b16, "h", 16) SLCT_ROWS(u16, "h", 16) SLCT_ROWS(s16, "h", 16)
    SLCT_ROWS(b32, "w", 32) SLCT_ROWS(u32, "w", 32) SLCT_ROWS(s32, "w", 32) SLCT_ROWS(f32, "w", 32)
    SLCT_ROWS(b64, "l", 64) SLCT_ROWS(u64, "l", 64) SLCT_ROWS(s64, "l", 64) SLCT_ROWS(f64, "l", 64)
    {0},
};
/* clang-format on */
