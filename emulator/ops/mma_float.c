/* D = A * B + C in f16, bf16, tf32 and fp8, as an H200's tensor cores compute it. Found from its results, all of which
 * this reproduces bit by bit (tests/tensor):
 *
 * - A sum has all products along k and C in it: at most 16 products of 16-bit and 8 of 32-bit elements.
 * - A product's significand is exact, and not normalized: in [1, 4), or smaller where an operand is subnormal. Its
 *   exponent is the sum of its operands' exponents. C takes part with its own.
 * - All are aligned to the largest exponent among those that are not zero, truncated towards zero (each by itself) 25
 *   bits after the point, and added exactly.
 * - The sum is normalized and rounded once: towards zero to f32 (beyond its range is infinity), to nearest even to f16.
 * - wmma's m16n16k8 with tf32 is two sums of four products; the first one's result is C of the second.
 * - C and D of different types: the sum is all in f32. C is widened first, so that no subnormals are left in it; D is
 *   rounded towards zero to f32, then to nearest even.
 * - There is no negative zero in f32: a value rounded to zero is +0.
 * - A NaN, infinity times zero, and infinities of both signs give NaN 0x7fffffff or 0x7fff.
 * - fp8 is converted to f16 first. Two sums, one after the other, take the lower and then the upper two elements of
 *   each register, beginning with 0; C is added last, by an addition to nearest.
 *
 * In C: a value is its significand, a float in [1, 2), and its exponent. A product of floats is exact, and multiplying
 * it by a power of two and converting it to int truncates as required. f16 is "direct": its range is so small that the
 * value itself stands for the significand, and the power is the same for all products of a sum. Loops go over a row's
 * columns, so they become vector code. */
#include <math.h>
#include <string.h>

#include "ops/half.h"
#include "ops/matrix.h"
#include "ops/mma_sum.h"
#include "ops/mma_tile.h"
#include "ops/wgmma.h"

#define UNROLLED      _Pragma("GCC unroll 16") /* so that the values of loops over columns stay in registers */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define MAX_OPERAND 512   /* elements of A or B: 16 x 32 */
#define NO_EXPONENT -5000 /* of zero: less than any other sum of two */
#define FRACTION    25    /* bits kept after the point of the largest */
/* 16 products, each less than (2 - 2^-10)^2 * 2^25, have a sum that fits 32 bits. */
#define FP8_FRACTION 13 /* the same in wgmma with fp8 */

/* Values split into a significand (or the value itself) and an exponent. Infinities and NaN stay what they are. */
struct split {
    float *significand;
    int32_t *exponent;
};

/* `fraction` bits of a magnitude with exponent bits above them: value = significand * 2^exponent. */
ALWAYS_INLINE void split_one(uint32_t sign, uint32_t magnitude, int fraction, int bias, uint32_t special,
                             float *significand, int32_t *exponent) {
    uint32_t field = magnitude >> fraction, digits = magnitude << (23 - fraction) & 0x7fffff;
    /* A subnormal's significand is below 1, and its exponent that of the smallest normal number: nothing is
     * normalized. */
    uint32_t normal = digits | 0x3f800000u, subnormal = f32_bits((float)(int32_t)digits * 0x1p-23f);
    uint32_t bits = field == special ? digits | F32_INFINITY : field ? normal : subnormal;
    *significand = f32_from(bits | sign << 31);
    *exponent = field ? (int32_t)field - bias : magnitude ? 1 - bias : NO_EXPONENT;
}

ALWAYS_INLINE void split_f16(uint16_t h, float *significand, int32_t *exponent) {
    split_one(h >> 15, h & 0x7fff, 10, 15, 31, significand, exponent);
}

/* The value itself, and its exponent. */
ALWAYS_INLINE void split_direct(uint16_t h, float *value, int32_t *exponent) {
    split_f16(h, value, exponent);
    *value = f16_to_f32(h);
}

ALWAYS_INLINE void split_bf16(uint16_t h, float *significand, int32_t *exponent) {
    split_one(h >> 15, h & 0x7fff, 7, 127, 255, significand, exponent);
}

ALWAYS_INLINE void split_f32(uint32_t u, float *significand, int32_t *exponent) {
    split_one(u >> 31, u & ~F32_SIGN, 23, 127, 255, significand, exponent);
}

ALWAYS_INLINE void split_tf32(uint32_t u, float *significand, int32_t *exponent) {
    split_f32(u & ~0x1fffu, significand, exponent); /* the last 13 bits are ignored */
}

/* ---- operands from registers ---- */

/* Row i's element k is at [i * row_step + k * k_step]. */
struct order {
    unsigned row_step, k_step;
};

/* The elements of a register's block, 16 bits each, two per word. */
static void read_halves(const struct warp *w, uint32_t reg, struct matrix_block at, struct order o, uint16_t *out) {
    const uint16_t *from = (const uint16_t *)(const void *)(w->regs + reg);
    out += at.row * o.row_step + 2 * at.word * o.k_step;
    for (unsigned k = 0; k < 8; k++)
        for (unsigned i = 0; i < 8; i++)
            out[i * o.row_step + k * o.k_step] = from[8 * i + k];
}

static void read_singles(const struct warp *w, uint32_t reg, struct matrix_block at, struct order o, uint32_t *out) {
    const uint32_t *from = (const uint32_t *)(const void *)(w->regs + reg);
    out += at.row * o.row_step + at.word * o.k_step;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < 8; i++)
            out[i * o.row_step + k * o.k_step] = from[4 * i + k];
}

/* Both formats are in f16's range. Their exponents' biases are 7 and 15. */
static uint16_t f16_of_fp8(uint8_t x, enum matrix_type type) {
    unsigned magnitude = x & 0x7f;
    uint16_t sign = (uint16_t)((x & 0x80) << 8);
    if (type == MATRIX_E5M2)
        return (uint16_t)(sign | magnitude << 8);
    if (magnitude == 0x7f)
        return F16_NAN;
    /* e4m3: three bits of fraction. Below 8 it is subnormal, in steps of 2^-9; else bits are moved to a single's
     * places, and the exponent is corrected by the difference of the biases. */
    float value = magnitude < 8 ? (float)magnitude * 0x1p-9f : f32_from((magnitude << 20) + ((127u - 7) << 23));
    return sign | f32_to_f16(value);
}

/* Of fp8, the lower halves of all registers come first along k, then the upper ones. */
static void read_bytes(const struct warp *w, uint32_t reg, struct matrix_block at, struct order o, unsigned depth,
                       enum matrix_type type, uint16_t *out) {
    const uint8_t *from = w->regs + reg;
    for (unsigned l = 0; l < WARP_SIZE; l++)
        for (unsigned i = 0; i < 4; i++) {
            unsigned k = i / 2 * (depth / 2) + 2 * (at.word + l % 4) + i % 2;
            out[(at.row + l / 4) * o.row_step + k * o.k_step] = f16_of_fp8(from[4 * l + i], type);
        }
}

#define SPLIT_ALL(split, T, from)                                                                                      \
    for (unsigned i = 0; i < n; i++)                                                                                   \
    split((T)(from)[i], &to->significand[i], &to->exponent[i])

/* An operand of `rows` rows, split. */
static void read_operand(const struct warp *w, const struct mma *m, bool is_a, struct split *to) {
    enum matrix_type type = is_a ? m->a : m->b;
    const uint32_t *regs = is_a ? m->a_regs : m->b_regs;
    unsigned rows = is_a ? m->rows : m->columns, depth = !is_a && m->dense_depth ? m->dense_depth : m->depth;
    unsigned n = rows * depth;
    unsigned words = depth * matrix_type_bits(type) / 32;
    struct order order = is_a ? (struct order){depth, 1} : (struct order){1, rows};
    uint16_t halves[MAX_OPERAND];
    uint32_t singles[MAX_OPERAND / 2];
    for (unsigned r = 0; r < rows * words / WARP_SIZE; r++) {
        struct matrix_block at = is_a ? matrix_block_a(r, rows, words) : matrix_block_b(r, words);
        if (type == MATRIX_TF32)
            read_singles(w, regs[r], at, order, singles);
        else if (matrix_type_bits(type) == 8)
            read_bytes(w, regs[r], at, order, depth, type, halves);
        else
            read_halves(w, regs[r], at, order, halves);
    }
    if (type == MATRIX_TF32)
        SPLIT_ALL(split_tf32, uint32_t, singles);
    else if (type == MATRIX_BF16)
        SPLIT_ALL(split_bf16, uint16_t, halves);
    else
        SPLIT_ALL(split_direct, uint16_t, halves);
}

/* ---- a row of D ---- */

/* 2^exponent, 0 for what is far too small */
ALWAYS_INLINE float power(int32_t exponent) {
    int32_t field = exponent + 127;
    return f32_from((uint32_t)(field > 0 ? field : 0) << 23);
}

/* The largest exponent in each column's sum. */
ALWAYS_INLINE void largest_exponents(const int32_t *a, const int32_t *b, const int32_t *c, unsigned columns,
                                     unsigned depth, int32_t *out) {
    for (unsigned j = 0; j < columns; j++)
        out[j] = c[j] > -500 ? c[j] : -500; /* the sum is 0, or less than f32 has, with any of them */
    UNROLLED
    for (unsigned k = 0; k < depth; k++)
        for (unsigned j = 0; j < columns; j++) {
            int32_t e = a[k] + b[k * columns + j];
            out[j] = e > out[j] ? e : out[j];
        }
}

/* Adds products to sums, in units of 2^(largest - fraction). Unsigned, since NaN gives arbitrary values. */
ALWAYS_INLINE void add_products(struct split a, struct split b, const int32_t *largest, unsigned columns,
                                unsigned depth, bool direct, int fraction, uint32_t *sums) {
    int32_t shift[16];
    float unit[16];
    for (unsigned j = 0; j < columns; j++) {
        shift[j] = fraction - largest[j];
        unit[j] = power(shift[j] < 100 ? shift[j] : 100); /* more than that only where all products are zero */
    }
    UNROLLED
    for (unsigned k = 0; k < depth; k++)
        for (unsigned j = 0; j < columns; j++) {
            /* Exact: two significands of at most 11 bits. Scaled by a power of two it is exact, too; the conversion
             * cuts off towards zero what is below the last bit that the hardware keeps. */
            float product = a.significand[k] * b.significand[k * columns + j];
            float scale = direct ? unit[j] : power(a.exponent[k] + (b.exponent[k * columns + j] + shift[j]));
            sums[j] += (uint32_t)(int32_t)(product * scale);
        }
}

/* Towards zero. */
ALWAYS_INLINE uint32_t f32_of_sum(double sum) {
    uint64_t u = f64_bits(sum), m = u & ~F64_SIGN;
    /* 29 bits of a double's fraction are more than a single has; without them the conversion is exact. */
    uint32_t normal = f32_bits((float)f64_from(m & ~(uint64_t)0x1fffffff));
    /* A subnormal's bits are the value in units of 2^-149. */
    double tiny = f64_from(m) * 0x1p149;
    uint32_t subnormal = (uint32_t)(int32_t)(tiny < 0x1p24 ? tiny : 0);
    uint32_t magnitude = f64_from(m) < 0x1p-126 ? subnormal : normal;
    return magnitude ? (uint32_t)(u >> 63) << 31 | magnitude : 0;
}

ALWAYS_INLINE void dot_row(struct split a, struct split b, struct split c, unsigned columns, unsigned depth,
                           bool direct, bool to_f16, int fraction, uint32_t *d) {
    int32_t largest[16];
    uint32_t sums[16] = {0};
    largest_exponents(a.exponent, b.exponent, c.exponent, columns, depth, largest);
    add_products(a, b, largest, columns, depth, direct, fraction, sums);
    for (unsigned j = 0; j < columns; j++) {
        int32_t addend = (int32_t)(c.significand[j] * power(c.exponent[j] - largest[j] + fraction));
        double sum = ((double)(int32_t)sums[j] + (double)addend) * power_double(largest[j] - fraction);
        d[j] = to_f16 ? f16_of_sum(sum) : f32_of_sum(sum);
    }
}

#define DOT_ROW(columns, depth, direct, to_f16) dot_row(a, b, c, columns, depth, direct, to_f16, FRACTION, d)

static void dot_row_any(struct split a, struct split b, struct split c, unsigned columns, unsigned depth, bool direct,
                        bool to_f16, uint32_t *d) {
    if (columns == 16 && depth == 16)
        to_f16 ? DOT_ROW(16, 16, true, true) : direct ? DOT_ROW(16, 16, true, false) : DOT_ROW(16, 16, false, false);
    else if (columns == 8 && depth == 16)
        to_f16 ? DOT_ROW(8, 16, true, true) : direct ? DOT_ROW(8, 16, true, false) : DOT_ROW(8, 16, false, false);
    else if (columns == 16)
        DOT_ROW(16, 4, false, false); /* tf32 */
    else if (depth == 8)
        to_f16 ? DOT_ROW(8, 8, true, true) : direct ? DOT_ROW(8, 8, true, false) : DOT_ROW(8, 8, false, false);
    else
        DOT_ROW(8, 4, false, false); /* tf32 */
}

/* ---- the whole ---- */

static bool all_finite(const float *x, unsigned n) {
    uint32_t special = 0; /* not bool: a loop of bool does not become vector code */
    for (unsigned i = 0; i < n; i++)
        special |= (f32_bits(x[i]) & F32_INFINITY) == F32_INFINITY;
    return !special;
}

/* Where an infinity or a NaN takes part, significands alone determine the result. */
static void special_row(struct split a, struct split b, struct split c, unsigned columns, unsigned depth, bool to_f16,
                        uint32_t *d) {
    for (unsigned j = 0; j < columns; j++) {
        float sum = c.significand[j];
        for (unsigned k = 0; k < depth; k++)
            sum += a.significand[k] * b.significand[k * columns + j];
        if (sum != sum)
            d[j] = to_f16 ? F16_NAN : F32_NAN;
        else if (isinf(sum))
            d[j] = to_f16 ? F16_INFINITY | (sum < 0 ? F16_SIGN : 0) : F32_INFINITY | (sum < 0 ? F32_SIGN : 0);
    }
}

/* The terms of a sum: `depth` products from element k on. */
struct part {
    unsigned k, depth;
};

/* c and d may be the same. */
static void dot(const struct mma *m, struct split a, struct split b, struct part part, const uint32_t *c, bool c_f16,
                uint32_t *d, bool d_f16) {
    unsigned columns = m->columns, n = m->rows * columns;
    bool direct = m->a != MATRIX_BF16 && m->a != MATRIX_TF32;
    float c_significand[MATRIX_ELEMENTS];
    int32_t c_exponent[MATRIX_ELEMENTS];
    struct split all = {c_significand, c_exponent}, *to = &all;
    if (c_f16)
        SPLIT_ALL(split_f16, uint16_t, c);
    else
        SPLIT_ALL(split_f32, uint32_t, c);
    struct split bk = {b.significand + part.k * columns, b.exponent + part.k * columns};
    bool finite = all_finite(a.significand, m->rows * m->depth) && all_finite(b.significand, columns * m->depth) &&
                  all_finite(c_significand, n);
    for (unsigned i = 0; i < m->rows; i++) {
        struct split ai = {a.significand + i * m->depth + part.k, a.exponent + i * m->depth + part.k};
        struct split ci = {c_significand + i * columns, c_exponent + i * columns};
        dot_row_any(ai, bk, ci, columns, part.depth, direct, d_f16, d + i * columns);
        if (!finite)
            special_row(ai, bk, ci, columns, part.depth, d_f16, d + i * columns);
    }
}

static void add_c(const uint32_t *c, uint32_t *d, unsigned n, bool f16) {
    for (unsigned i = 0; i < n; i++)
        d[i] = f16 ? f32_to_f16(f16_to_f32((uint16_t)d[i]) + f16_to_f32((uint16_t)c[i]))
                   : f32_bits(f32_canonical(f32_from(d[i]) + f32_from(c[i])));
}

static void widen(uint32_t *c, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        c[i] = f32_bits(f16_to_f32((uint16_t)c[i]));
}

static void narrow(uint32_t *d, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        d[i] = f32_to_f16(f32_from(d[i]));
}

/* d: the product, added to c. Both are as the instruction's types specify. */
static void multiply(const struct mma *m, struct split a, struct split b, uint32_t *c, uint32_t *d) {
    bool c_f16 = m->c == MATRIX_F16, d_f16 = m->d == MATRIX_F16;
    unsigned half = m->depth / 2u, n = (unsigned)m->rows * m->columns;
    if (matrix_type_bits((enum matrix_type)m->a) == 8) {
        memset(d, 0, n * sizeof *d);
        dot(m, a, b, (struct part){0, half}, d, d_f16, d, d_f16);
        dot(m, a, b, (struct part){half, half}, d, d_f16, d, d_f16);
        add_c(c, d, n, d_f16);
    } else if (m->a == MATRIX_TF32 && m->columns == 16) {
        dot(m, a, b, (struct part){0, half}, c, false, d, false);
        dot(m, a, b, (struct part){half, half}, d, false, d, false);
    } else if (c_f16 == d_f16) {
        dot(m, a, b, (struct part){0, m->depth}, c, c_f16, d, d_f16);
    } else {
        if (c_f16)
            widen(c, n);
        dot(m, a, b, (struct part){0, m->depth}, c, false, d, false);
        if (d_f16)
            narrow(d, n);
    }
}

const struct insn *op_mma_float(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct mma *m = in->extra;
    if (mma_by_tiles(w, m))
        return in + 1;
    _Alignas(64) float a_significand[MAX_OPERAND], b_significand[MAX_OPERAND];
    _Alignas(64) int32_t a_exponent[MAX_OPERAND], b_exponent[MAX_OPERAND];
    _Alignas(64) uint32_t c[MATRIX_ELEMENTS], d[MATRIX_ELEMENTS];
    struct split a = {a_significand, a_exponent}, b = {b_significand, b_exponent};
    read_operand(w, m, true, &a);
    read_operand(w, m, false, &b);
    matrix_read_c(w, m->c_regs, m->c, m->rows, m->columns, c);
    multiply(m, a, b, c, d);
    matrix_write_d(w, m->d_regs, m->d, m->rows, m->columns, d);
    return in + 1;
}

/* ---- wgmma ----
 *
 * As an H200 computes it (tests/wgmma): 16-bit types as above, tf32 in one sum of eight products. fp8 is one sum of 32
 * products and C, truncated 13 bits after the point, and of the result in f32 as many bits are kept. */

#define WGMMA_ROW(columns, depth, direct, to_f16, fraction)                                                            \
    dot_row(a, b, c, columns, depth, direct, to_f16, fraction, d)

ALWAYS_INLINE void wgmma_row_of(const struct wgmma *m, struct split a, struct split b, struct split c, unsigned columns,
                                uint32_t *d) {
    bool to_f16 = m->d == MATRIX_F16;
    if (m->depth == 32)
        to_f16 ? WGMMA_ROW(columns, 32, true, true, FP8_FRACTION) : WGMMA_ROW(columns, 32, true, false, FP8_FRACTION);
    else if (m->depth == 8)
        WGMMA_ROW(columns, 8, false, false, FRACTION);
    else if (m->a == MATRIX_BF16)
        WGMMA_ROW(columns, 16, false, false, FRACTION);
    else
        to_f16 ? WGMMA_ROW(columns, 16, true, true, FRACTION) : WGMMA_ROW(columns, 16, true, false, FRACTION);
}

/* A value that is rounded to zero is +0. A sum of fp8 in f32 does not have all bits. */
static void finish_row(const struct wgmma *m, uint32_t *d, unsigned n) {
    bool to_f16 = m->d == MATRIX_F16;
    const uint32_t kept = m->depth == 32 && !to_f16 ? ~0u << (23 - FP8_FRACTION) : ~0u;
    const uint32_t magnitude = to_f16 ? F16_SIGN - 1 : F32_SIGN - 1;
    for (unsigned j = 0; j < n; j++)
        d[j] = d[j] & kept & magnitude ? d[j] & kept : 0;
}

/* The value itself and its exponent, which a subnormal of e4m3 has not as a normal number of f16. */
static void split_fp8(uint32_t x, enum matrix_type type, float *value, int32_t *exponent) {
    bool wide = type == MATRIX_E5M2;
    split_one(x >> 7, x & 0x7f, wide ? 2 : 3, wide ? 15 : 7, wide ? 31 : ~0u, value, exponent);
    *value = f16_to_f32(f16_of_fp8((uint8_t)x, type));
}

static void split_elements(enum matrix_type type, const uint32_t *raw, unsigned n, struct split *to) {
    if (type == MATRIX_TF32)
        SPLIT_ALL(split_tf32, uint32_t, raw);
    else if (type == MATRIX_BF16)
        SPLIT_ALL(split_bf16, uint16_t, raw);
    else if (type == MATRIX_F16)
        SPLIT_ALL(split_direct, uint16_t, raw);
    else
        for (unsigned i = 0; i < n; i++)
            split_fp8(raw[i], type, &to->significand[i], &to->exponent[i]);
}

static void wgmma_rows(const struct wgmma *m, struct split a, struct split b, struct split c, unsigned rows,
                       unsigned columns, uint32_t *d) {
    bool finite = all_finite(a.significand, rows * m->depth) && all_finite(b.significand, columns * m->depth) &&
                  all_finite(c.significand, rows * columns);
    for (unsigned i = 0; i < rows; i++) {
        struct split ai = {a.significand + i * m->depth, a.exponent + i * m->depth};
        struct split ci = {c.significand + i * columns, c.exponent + i * columns};
        uint32_t *di = d + i * columns;
        columns == 16 ? wgmma_row_of(m, ai, b, ci, 16, di) : wgmma_row_of(m, ai, b, ci, 8, di);
        finish_row(m, di, columns);
        if (!finite)
            special_row(ai, b, ci, columns, m->depth, m->d == MATRIX_F16, di);
    }
}

void mma_float_wgmma(const struct wgmma *m, unsigned rows, const uint32_t *a_raw, const uint32_t *b_raw,
                     unsigned columns, uint32_t *c) {
    _Alignas(64) float a_significand[MAX_OPERAND], b_significand[MAX_OPERAND], c_significand[MATRIX_ELEMENTS];
    _Alignas(64) int32_t a_exponent[MAX_OPERAND], b_exponent[MAX_OPERAND], c_exponent[MATRIX_ELEMENTS];
    struct split a = {a_significand, a_exponent}, b = {b_significand, b_exponent}, all = {c_significand, c_exponent},
                 *to = &all;
    unsigned n = rows * columns;
    split_elements(m->a, a_raw, rows * m->depth, &a);
    split_elements(m->b, b_raw, columns * m->depth, &b);
    for (unsigned i = 0; m->negate && i < rows * m->depth; i++)
        a_significand[i] = -a_significand[i];
    if (m->d == MATRIX_F16)
        SPLIT_ALL(split_f16, uint16_t, c);
    else
        SPLIT_ALL(split_f32, uint32_t, c);
    wgmma_rows(m, a, b, all, rows, columns, c);
}

/* ---- mma.sp ---- */

/* Where read_operand puts the element that is the k-th of its row. */
static unsigned place_of(const struct mma *m, unsigned k, unsigned depth) {
    return matrix_type_bits((enum matrix_type)m->a) == 8 ? k % 4 / 2 * (depth / 2) + 2 * (k / 4) + k % 2 : k;
}

/* Those rows of B that a row of A is multiplied by, in the order of its elements. */
static void gather(const struct mma *m, struct split b, const uint8_t *rows, struct split *to) {
    for (unsigned k = 0; k < m->depth; k++) {
        unsigned from = place_of(m, rows[k], m->dense_depth) * m->columns, at = place_of(m, k, m->depth) * m->columns;
        memcpy(to->significand + at, b.significand + from, m->columns * sizeof *to->significand);
        memcpy(to->exponent + at, b.exponent + from, m->columns * sizeof *to->exponent);
    }
}

/* Each row of A has a separate B, so each row of D is a separate product. */
const struct insn *op_mma_sparse_float(struct warp *w, const struct insn *in) {
    const struct insn *next;
    if (!matrix_ready(w, in, &next))
        return next;
    const struct mma *m = in->extra;
    struct mma row = *m;
    _Alignas(64) float a_significand[MAX_OPERAND], b_significand[MAX_OPERAND], own_significand[MAX_OPERAND];
    _Alignas(64) int32_t a_exponent[MAX_OPERAND], b_exponent[MAX_OPERAND], own_exponent[MAX_OPERAND];
    _Alignas(64) uint32_t c[MATRIX_ELEMENTS], d[MATRIX_ELEMENTS];
    uint8_t rows_of_b[MATRIX_SPARSE_ELEMENTS];
    struct split a = {a_significand, a_exponent}, b = {b_significand, b_exponent},
                 own = {own_significand, own_exponent};
    read_operand(w, m, true, &a);
    read_operand(w, m, false, &b);
    matrix_read_c(w, m->c_regs, m->c, m->rows, m->columns, c);
    matrix_sparse_rows(w, m, rows_of_b);
    row.rows = 1;
    for (unsigned i = 0; i < m->rows; i++) {
        struct split ai = {a_significand + i * m->depth, a_exponent + i * m->depth};
        gather(m, b, rows_of_b + i * m->depth, &own);
        multiply(&row, ai, own, c + i * m->columns, d + i * m->columns);
    }
    matrix_write_d(w, m->d_regs, m->d, m->rows, m->columns, d);
    return in + 1;
}
