/* Bitwise logic, shifts and byte permutation: and or xor not cnot lop3 shl shr shf prmt. */
#define LANE_FAMILY
#include "ops/lanes.h"

/* ---- and or xor not cnot ---- */

#define BITWISE(bits, U)                                                                                               \
    BINARY(and_##bits, U, U, U, a[l] & b[l])                                                                           \
    BINARY(or_##bits, U, U, U, a[l] | b[l])                                                                            \
    BINARY(xor_##bits, U, U, U, a[l] ^ b[l])                                                                           \
    UNARY(not_##bits, U, U, ~a[l])                                                                                     \
    UNARY(cnot_##bits, U, U, a[l] == 0)
BITWISE(16, uint16_t)
BITWISE(32, uint32_t)
BITWISE(64, uint64_t)

/* On predicates all lanes are done at once. */
#define BITWISE_PRED(name, expr)                                                                                       \
    OPERATION(name##_pred) {                                                                                           \
        WRITE_PRED(0, expr);                                                                                           \
        return in + 1;                                                                                                 \
    }
BITWISE_PRED(and, PRED(1) & PRED(2))
BITWISE_PRED(or, PRED(1) | PRED(2))
BITWISE_PRED(xor, PRED(1) ^ PRED(2))
BITWISE_PRED(not, ~PRED(1))

/* ---- lop3: any function of three bits, given as its table ---- */

/* Bit by bit: x where the selector is 1, y where it is 0. */
#define CHOOSE(selector, x, y) (((selector) & (x)) | (~(selector) & (y)))

/* Row i of the table, as 32 equal bits. */
#define ROW_BITS(i) ((uint32_t)0 - ((table >> (i)) & 1))
#define LOP3(a, b, c)                                                                                                  \
    CHOOSE(a, CHOOSE(b, CHOOSE(c, row[7], row[6]), CHOOSE(c, row[5], row[4])),                                         \
           CHOOSE(b, CHOOSE(c, row[3], row[2]), CHOOSE(c, row[1], row[0])))
#define TABLE_ROWS                                                                                                     \
    uint32_t table = (uint32_t)in->imm;                                                                                \
    const uint32_t row[8] = {ROW_BITS(0), ROW_BITS(1), ROW_BITS(2), ROW_BITS(3),                                       \
                             ROW_BITS(4), ROW_BITS(5), ROW_BITS(6), ROW_BITS(7)}

OPERATION(lop3) {
    const uint32_t *a = REG(const uint32_t, 1), *b = REG(const uint32_t, 2), *c = REG(const uint32_t, 3);
    TABLE_ROWS;
    WRITE_LANES(uint32_t, LOP3(a[l], b[l], c[l]));
    return in + 1;
}

/* lop3.and, lop3.or: d|p, where p is (d != 0) combined with a predicate q. kind: 1 for and. */
OPERATION(lop3_pred) {
    const uint32_t *a = REG(const uint32_t, 2), *b = REG(const uint32_t, 3), *c = REG(const uint32_t, 4);
    uint32_t nonzero, q = PRED(5);
    TABLE_ROWS;
    LANES_WHERE(nonzero, LOP3(a[l], b[l], c[l]) != 0);
    WRITE_LANES(uint32_t, LOP3(a[l], b[l], c[l]));
    WRITE_PRED(1, in->kind ? nonzero & q : nonzero | q);
    return in + 1;
}

/* ---- shifts: amounts beyond the width count as the width ---- */

#define SHIFTS(bits, U, S)                                                                                             \
    BINARY(shl_##bits, U, U, uint32_t, b[l] >= bits ? 0 : a[l] << b[l])                                                \
    BINARY(shr_u##bits, U, U, uint32_t, b[l] >= bits ? 0 : a[l] >> b[l])                                               \
    BINARY(shr_s##bits, S, S, uint32_t, a[l] >> (b[l] >= bits ? bits - 1 : b[l]))
SHIFTS(16, uint16_t, int16_t)
SHIFTS(32, uint32_t, int32_t)
SHIFTS(64, uint64_t, int64_t)

/* shf: the 64 bits b:a shifted left (its high word is the result) or right (its low word). */
#define FUNNEL(a, b)  ((uint64_t)(b) << 32 | (a))
#define AT_MOST_32(n) ((n) > 32 ? 32 : (n))
TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, FUNNEL(a[l], b[l]) << (c[l] & 31) >> 32)
TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, FUNNEL(a[l], b[l]) >> (c[l] & 31))
TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, FUNNEL(a[l], b[l]) << AT_MOST_32(c[l]) >> 32)
TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, FUNNEL(a[l], b[l]) >> AT_MOST_32(c[l]))

/* ---- prmt: four bytes chosen out of eight ---- */

/* Byte number `selector` (its low 3 bits) of b:a; bit 3 selects the byte's sign instead, eight times. */
static inline uint32_t chosen_byte(uint64_t bytes, uint32_t selector) {
    uint32_t byte = (uint32_t)(bytes >> 8 * (selector & 7)) & 0xff;
    uint32_t sign = (0 - (byte >> 7)) & 0xff;
    return selector & 8 ? sign : byte;
}
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors) {
    uint64_t bytes = FUNNEL(a, b);
    return chosen_byte(bytes, selectors) | chosen_byte(bytes, selectors >> 4) << 8 |
           chosen_byte(bytes, selectors >> 8) << 16 | chosen_byte(bytes, selectors >> 12) << 24;
}

/* The selectors of a named mode, by the low two bits of c. */
enum prmt_mode { PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
static const uint16_t prmt_modes[][4] = {
    [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

TERNARY(prmt, uint32_t, uint32_t, uint32_t, uint32_t, permute(a[l], b[l], c[l]))
TERNARY(prmt_mode, uint32_t, uint32_t, uint32_t, uint32_t, permute(a[l], b[l], prmt_modes[in->kind][c[l] & 3]))

/* ---- the table ---- */

#define ROWS_BITWISE(type, bits, r)                                                                                    \
    {"and." #type, r r r, and_##bits, 0, 0}, {"or." #type, r r r, or_##bits, 0, 0},                                    \
        {"xor." #type, r r r, xor_##bits, 0, 0}, {"not." #type, r r, not_##bits, 0, 0},
#define ROWS_SHIFT(bits, r)                                                                                            \
    {"cnot.b" #bits, r r, cnot_##bits, 0, 0}, {"shl.b" #bits, r r "w", shl_##bits, 0, 0},                              \
        {"shr.b" #bits, r r "w", shr_u##bits, 0, 0}, {"shr.u" #bits, r r "w", shr_u##bits, 0, 0},                      \
        {"shr.s" #bits, r r "w", shr_s##bits, 0, 0},

/* clang-format off */
const struct form forms_logic[] = {
    ROWS_BITWISE(pred, pred, "p") ROWS_BITWISE(b16, 16, "h") ROWS_BITWISE(b32, 32, "w") ROWS_BITWISE(b64, 64, "l")
    ROWS_SHIFT(16, "h") ROWS_SHIFT(32, "w") ROWS_SHIFT(64, "l")
    {"lop3.b32", "wwwwi", lop3, 0, 0},
    {"lop3.or.b32", "Wwwwip", lop3_pred, 0, 0},
    {"lop3.and.b32", "Wwwwip", lop3_pred, 0, 1},
    {"shf.l.wrap.b32", "wwww", shf_l_wrap, 0, 0},
    {"shf.r.wrap.b32", "wwww", shf_r_wrap, 0, 0},
    {"shf.l.clamp.b32", "wwww", shf_l_clamp, 0, 0},
    {"shf.r.clamp.b32", "wwww", shf_r_clamp, 0, 0},
    {"prmt.b32", "wwww", prmt, 0, 0},
    {"prmt.b32.f4e", "wwww", prmt_mode, 0, PRMT_F4E},
    {"prmt.b32.b4e", "wwww", prmt_mode, 0, PRMT_B4E},
    {"prmt.b32.rc8", "wwww", prmt_mode, 0, PRMT_RC8},
    {"prmt.b32.ecl", "wwww", prmt_mode, 0, PRMT_ECL},
    {"prmt.b32.ecr", "wwww", prmt_mode, 0, PRMT_ECR},
    {"prmt.b32.rc16", "wwww", prmt_mode, 0, PRMT_RC16},
    {0},
};
/* clang-format on */
