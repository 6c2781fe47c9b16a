/* See mma_tile.h. A product of values is exact in single precision; multiplied by a power of two, the same for all products of a sum, and
 * converted to an integer, it is cut off as the hardware cuts it off. The power follows from the largest sum of two exponents. The fast path
 * takes only sums in which all of that stays within the range of single precision, whatever single products do: those that are much too
 * small are cut off to zero in any case. */
#include "ops/mma_tile.h"

#include "ops/half.h"
#include "ops/mma_sum.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define UNROLLED      _Pragma("GCC unroll 32")

/* Added to the exponents of zero, and of infinities and NaN: sums of two show it, and still fit 16 bits. */
#define OF_ZERO    (-8000)
#define OF_SPECIAL 16000
/* Sums of exponents: below ANY_ZERO one of the two is zero. */
#define ANY_ZERO (-7000)
#define LEAST    (-90)
#define MOST     125

#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (simd_u32){__VA_ARGS__})
#endif
/* Word c of each row, in all four lanes of the row. */
#define OF_ROWS(v, c)                                                                                                  \
    SHUFFLE(v, v, c, c, c, c, 4 + c, 4 + c, 4 + c, 4 + c, 8 + c, 8 + c, 8 + c, 8 + c, 12 + c, 12 + c, 12 + c, 12 + c)
/* Word c of the even or odd columns, again and again. */
#define FOUR(x) x, x + 8, x + 16, x + 24
#define OF_COLUMNS(v, w, c, odd)                                                                                       \
    SHUFFLE(v, w, FOUR(4 * odd + c), FOUR(4 * odd + c), FOUR(4 * odd + c), FOUR(4 * odd + c))

ALWAYS_INLINE bool is_byte(enum matrix_type type) {
    return matrix_type_bits(type) == 8;
}
ALWAYS_INLINE bool is_integer(enum matrix_type type) {
    return type == MATRIX_S8 || type == MATRIX_U8;
}
/* Elements in a word. */
ALWAYS_INLINE unsigned per_word(enum matrix_type type) {
    return 32 / matrix_type_bits(type);
}

/* ---- values and exponents of words ---- */

/* bits: a sign, and 15 bits that begin as those of f32 do, but for the exponent's bias */
ALWAYS_INLINE simd_f32 with_bias(simd_i32 bits, float factor) {
    return (simd_f32)bits * factor;
}

/* The i-th element of each word. */
ALWAYS_INLINE simd_f32 value_of(enum matrix_type type, simd_u32 words, unsigned i) {
    simd_i32 top = (simd_i32)(words << (32 - matrix_type_bits(type) * (i + 1)));
    switch (type) {
    case MATRIX_TF32:
        return (simd_f32)(words & ~0x1fffu);
    case MATRIX_BF16:
        return (simd_f32)(top & (int32_t)0xffff0000);
    case MATRIX_F16:
        return with_bias(top >> 3 & (int32_t)0x8fffe000, 0x1p112f);
    case MATRIX_E4M3:
        return with_bias(top >> 4 & (int32_t)0x87f00000, 0x1p120f);
    case MATRIX_E5M2:
        return with_bias(top >> 3 & (int32_t)0x8fe00000, 0x1p112f);
    case MATRIX_S8:
        return __builtin_convertvector(top >> 24, simd_f32);
    default:
        return __builtin_convertvector((simd_i32)((simd_u32)top >> 24), simd_f32);
    }
}

/* field: of an exponent; digits: behind it; special: the field, or the digits, of infinity and NaN */
#define EXPONENT(V, field, digits, bias, is_special)                                                                   \
    ((field) - (bias) - (V)((field) == 0) + ((V)(((field) | (digits)) == 0) & OF_ZERO) + ((V)(is_special)&OF_SPECIAL))

/* Of 32 elements of 16 bits, in their places. */
ALWAYS_INLINE simd_u32 exponents_of_halves(enum matrix_type type, simd_u32 words) {
    simd_i16 h = (simd_i16)words & 0x7fff;
    if (type == MATRIX_BF16) {
        simd_i16 field = h >> 7, digits = h & 0x7f;
        return (simd_u32)EXPONENT(simd_i16, field, digits, 127, field == 255);
    }
    simd_i16 field = h >> 10, digits = h & 0x3ff;
    return (simd_u32)EXPONENT(simd_i16, field, digits, 15, field == 31);
}

ALWAYS_INLINE simd_i32 exponents_of_singles(simd_u32 bits) {
    simd_i32 m = (simd_i32)(bits & 0x7fffffff), field = m >> 23, digits = m & 0x7fffff;
    return EXPONENT(simd_i32, field, digits, 127, field == 255);
}

/* Of the i-th bytes. */
ALWAYS_INLINE simd_i32 exponents_of_bytes(enum matrix_type type, simd_u32 words, unsigned i) {
    simd_i32 m = (simd_i32)(words >> 8 * i & 0x7f);
    if (type == MATRIX_E4M3) {
        simd_i32 field = m >> 3, digits = m & 7;
        return EXPONENT(simd_i32, field, digits, 7, m == 0x7f);
    }
    simd_i32 field = m >> 2, digits = m & 3;
    return EXPONENT(simd_i32, field, digits, 15, field == 31);
}

ALWAYS_INLINE simd_u32 pair(simd_i32 low, simd_i32 high) {
    return ((simd_u32)low & 0xffff) | (simd_u32)high << 16;
}

/* Pairs of exponents in each word, or (tf32) one. */
ALWAYS_INLINE simd_u32 exponents_of(enum matrix_type type, simd_u32 words, unsigned i) {
    if (type == MATRIX_TF32)
        return (simd_u32)exponents_of_singles(words & ~0x1fffu);
    if (is_byte(type))
        return pair(exponents_of_bytes(type, words, 2 * i), exponents_of_bytes(type, words, 2 * i + 1));
    return exponents_of_halves(type, words);
}

/* ---- operands ---- */

#define ROWS_OF_WORD(c)                                                                                                \
    {                                                                                                                  \
        simd_u32 words = OF_ROWS(v, c);                                                                                \
        for (unsigned i = 0; i < per_word(type); i++)                                                                  \
            to->value[per_word(type) * (4 * block + c) + i][q] = value_of(type, words, i);                             \
    }

ALWAYS_INLINE void rows_of_block(enum matrix_type type, simd_u32 v, unsigned block, unsigned q, struct tile_rows *to) {
    ROWS_OF_WORD(0)
    ROWS_OF_WORD(1)
    ROWS_OF_WORD(2)
    ROWS_OF_WORD(3)
    if (is_integer(type))
        return;
    if (type == MATRIX_TF32) {
        simd_u32 e = exponents_of(type, v, 0);
        to->exponent[2 * block][q] = pair((simd_i32)OF_ROWS(e, 0), (simd_i32)OF_ROWS(e, 1));
        to->exponent[2 * block + 1][q] = pair((simd_i32)OF_ROWS(e, 2), (simd_i32)OF_ROWS(e, 3));
        return;
    }
    unsigned pairs = per_word(type) / 2;
    for (unsigned i = 0; i < pairs; i++) {
        simd_u32 e = exponents_of(type, v, i);
        to->exponent[pairs * (4 * block + 0) + i][q] = OF_ROWS(e, 0);
        to->exponent[pairs * (4 * block + 1) + i][q] = OF_ROWS(e, 1);
        to->exponent[pairs * (4 * block + 2) + i][q] = OF_ROWS(e, 2);
        to->exponent[pairs * (4 * block + 3) + i][q] = OF_ROWS(e, 3);
    }
}

#define COLUMNS_OF_WORD(c, odd)                                                                                        \
    {                                                                                                                  \
        simd_u32 words = OF_COLUMNS(v, w, c, odd);                                                                     \
        for (unsigned i = 0; i < per_word(type); i++)                                                                  \
            to->value[per_word(type) * (4 * block + c) + i][odd] = value_of(type, words, i);                           \
    }
#define EXPONENTS_OF_COLUMNS(c, odd) to->exponent[pairs * (4 * block + c) + i][odd] = OF_COLUMNS(ev, ew, c, odd);

ALWAYS_INLINE void columns_of_block(enum matrix_type type, simd_u32 v, simd_u32 w, unsigned block,
                                    struct tile_columns *to) {
    COLUMNS_OF_WORD(0, 0)
    COLUMNS_OF_WORD(1, 0)
    COLUMNS_OF_WORD(2, 0)
    COLUMNS_OF_WORD(3, 0)
    COLUMNS_OF_WORD(0, 1)
    COLUMNS_OF_WORD(1, 1)
    COLUMNS_OF_WORD(2, 1)
    COLUMNS_OF_WORD(3, 1)
    if (is_integer(type))
        return;
    unsigned pairs = per_word(type) / 2;
    if (type == MATRIX_TF32) {
        simd_u32 ev = exponents_of(type, v, 0), ew = exponents_of(type, w, 0);
        to->exponent[2 * block][0] = pair((simd_i32)OF_COLUMNS(ev, ew, 0, 0), (simd_i32)OF_COLUMNS(ev, ew, 1, 0));
        to->exponent[2 * block][1] = pair((simd_i32)OF_COLUMNS(ev, ew, 0, 1), (simd_i32)OF_COLUMNS(ev, ew, 1, 1));
        to->exponent[2 * block + 1][0] = pair((simd_i32)OF_COLUMNS(ev, ew, 2, 0), (simd_i32)OF_COLUMNS(ev, ew, 3, 0));
        to->exponent[2 * block + 1][1] = pair((simd_i32)OF_COLUMNS(ev, ew, 2, 1), (simd_i32)OF_COLUMNS(ev, ew, 3, 1));
    }
    for (unsigned i = 0; i < pairs; i++) {
        simd_u32 ev = exponents_of(type, v, i), ew = exponents_of(type, w, i);
        EXPONENTS_OF_COLUMNS(0, 0)
        EXPONENTS_OF_COLUMNS(1, 0)
        EXPONENTS_OF_COLUMNS(2, 0)
        EXPONENTS_OF_COLUMNS(3, 0)
        EXPONENTS_OF_COLUMNS(0, 1)
        EXPONENTS_OF_COLUMNS(1, 1)
        EXPONENTS_OF_COLUMNS(2, 1)
        EXPONENTS_OF_COLUMNS(3, 1)
    }
}

ALWAYS_INLINE void take_rows(enum matrix_type type, tile_words words[TILE_QUARTERS][2], unsigned blocks,
                             struct tile_rows *to) {
    for (unsigned q = 0; q < TILE_QUARTERS; q++)
        for (unsigned block = 0; block < blocks; block++)
            rows_of_block(type, words[q][block], block, q, to);
}

ALWAYS_INLINE void take_columns(enum matrix_type type, tile_words words[2][2], unsigned blocks,
                                struct tile_columns *to) {
    for (unsigned block = 0; block < blocks; block++)
        columns_of_block(type, words[0][block], words[1][block], block, to);
}

/* One compiled for each type. */
#define BY_TYPE(function, ...)                                                                                         \
    switch (type) {                                                                                                    \
    case MATRIX_BF16:                                                                                                  \
        function(MATRIX_BF16, __VA_ARGS__);                                                                            \
        break;                                                                                                         \
    case MATRIX_F16:                                                                                                   \
        function(MATRIX_F16, __VA_ARGS__);                                                                             \
        break;                                                                                                         \
    case MATRIX_TF32:                                                                                                  \
        function(MATRIX_TF32, __VA_ARGS__);                                                                            \
        break;                                                                                                         \
    case MATRIX_E4M3:                                                                                                  \
        function(MATRIX_E4M3, __VA_ARGS__);                                                                            \
        break;                                                                                                         \
    case MATRIX_E5M2:                                                                                                  \
        function(MATRIX_E5M2, __VA_ARGS__);                                                                            \
        break;                                                                                                         \
    case MATRIX_S8:                                                                                                    \
        function(MATRIX_S8, __VA_ARGS__);                                                                              \
        break;                                                                                                         \
    default:                                                                                                           \
        function(MATRIX_U8, __VA_ARGS__);                                                                              \
    }

void tile_take_rows(enum matrix_type type, tile_words words[TILE_QUARTERS][2], unsigned blocks, struct tile_rows *to) {
    BY_TYPE(take_rows, words, blocks, to)
}

void tile_take_columns(enum matrix_type type, tile_words words[2][2], unsigned blocks, struct tile_columns *to) {
    BY_TYPE(take_columns, words, blocks, to)
}

/* ---- sums ---- */

/* What a quarter's columns of one side add up, 16 sums at once. */
struct sums {
    simd_i32 products; /* in units of 2^(largest - fraction) */
    simd_i32 largest;  /* exponent of all that is added */
    simd_f32 unit;     /* 2^(fraction - largest) */
    simd_i32 unusual;  /* not 0: the slow path has to do it */
};

ALWAYS_INLINE simd_i32 larger(simd_i32 a, simd_i32 b) {
    simd_i32 first = (simd_i32)(a > b);
    return (a & first) | (b & ~first);
}

ALWAYS_INLINE simd_i16 larger16(simd_i16 a, simd_i16 b) {
#if defined(__AVX512BW__) && !defined(__clang__)
    typedef short vector __attribute__((vector_size(64)));
    return (simd_i16)__builtin_ia32_pmaxsw512_mask((vector)a, (vector)b, (vector)a, 0xffffffffu);
#else
    simd_i16 first = (simd_i16)(a > b);
    return (a & first) | (b & ~first);
#endif
}

ALWAYS_INLINE simd_i32 largest_exponent(const struct tile_rows *a, const struct tile_columns *b, unsigned depth,
                                        unsigned q, unsigned side) {
    simd_i16 most = (simd_i16)a->exponent[0][q] + (simd_i16)b->exponent[0][side];
    UNROLLED
    for (unsigned k = 1; k < depth / 2; k++)
        most = larger16((simd_i16)a->exponent[k][q] + (simd_i16)b->exponent[k][side], most);
    return larger((simd_i32)((simd_u32)most << 16) >> 16, (simd_i32)most >> 16);
}

/* c: exponents of numbers that are not zero, where `counts` is -1. */
ALWAYS_INLINE struct sums add_products(const struct tile_rows *a, const struct tile_columns *b, simd_i32 c,
                                       simd_i32 counts, unsigned depth, int fraction, unsigned q, unsigned side) {
    struct sums s;
    simd_u32 products = {0}; /* unsigned: what is unusual may not fit */
    simd_i32 most = largest_exponent(a, b, depth, q, side);
    s.largest = larger(most, c);
    s.unusual = (simd_i32)(s.largest > MOST) | ((simd_i32)(s.largest < LEAST) & ((simd_i32)(most > ANY_ZERO) | counts));
    s.largest = larger(s.largest, s.largest * 0 + LEAST);
    s.unit = (simd_f32)((fraction + 127 - s.largest) << 23);
    UNROLLED
    for (unsigned k = 0; k < depth; k++)
        products += (simd_u32) __builtin_convertvector(a->value[k][q] * b->value[k][side] * s.unit, simd_i32);
    s.products = (simd_i32)products;
    return s;
}

/* The sum towards zero in single precision: the conversion rounds to nearest, and so perhaps away from zero. A zero is +0. */
ALWAYS_INLINE simd_u32 single_of(simd_i32 sum, simd_i32 largest, int fraction) {
    simd_i32 negative = sum >> 31, magnitude = (simd_i32)((simd_u32)(sum ^ negative) - (simd_u32)negative);
    simd_f32 nearest = __builtin_convertvector(magnitude, simd_f32);
    simd_u32 back = (simd_u32) __builtin_convertvector(nearest, simd_i32);
    simd_i32 over = (simd_i32)(back > (simd_u32)magnitude);
    simd_f32 towards_zero = (simd_f32)((simd_u32)nearest + (simd_u32)over);
    simd_f32 scaled = towards_zero * (simd_f32)((largest - fraction + 127) << 23);
    return (simd_u32)scaled | ((simd_u32)negative & F32_SIGN);
}

/* Has x + y = sum not fit? */
ALWAYS_INLINE simd_i32 overflowed(simd_i32 x, simd_i32 y, simd_i32 sum) {
    return ((x ^ sum) & (y ^ sum)) >> 31;
}

ALWAYS_INLINE simd_i32 quarter_f32(const struct tile_rows *a, const struct tile_columns *b, simd_u32 c, unsigned depth,
                                   int fraction, uint32_t kept, unsigned q, unsigned side, simd_u32 *d) {
    simd_i32 magnitude = (simd_i32)(c & ~F32_SIGN);
    struct sums s = add_products(a, b, (magnitude >> 23) - 127, magnitude != 0, depth, fraction, q, side);
    simd_i32 addend = __builtin_convertvector((simd_f32)c * s.unit, simd_i32);
    simd_i32 sum = (simd_i32)((simd_u32)s.products + (simd_u32)addend);
    *d = single_of(sum, s.largest, fraction);
    if (kept != ~0u) {
        *d &= kept | F32_SIGN;
        *d &= ~(simd_u32)((*d & ~F32_SIGN) == 0);
    }
    return s.unusual | overflowed(s.products, addend, sum);
}

/* Products of bytes, and 32 of them, are exact in single precision. */
ALWAYS_INLINE simd_u32 quarter_s32(const struct tile_rows *a, const struct tile_columns *b, simd_u32 c, unsigned depth,
                                   unsigned q, unsigned side) {
    simd_f32 sum = {0};
    UNROLLED
    for (unsigned k = 0; k < depth; k++)
        sum += a->value[k][q] * b->value[k][side];
    return c + (simd_u32) __builtin_convertvector(sum, simd_i32);
}

ALWAYS_INLINE bool any(simd_i32 v) {
    return simd_differ32((simd_u32)v, (simd_u32)v * 0);
}

ALWAYS_INLINE bool multiply_f32(const struct tile_rows *a, const struct tile_columns *b, const void *const c[2][2],
                                void *const d[2][2], unsigned depth, int fraction, uint32_t kept) {
    simd_u32 out[TILE_QUARTERS][TILE_SIDES];
    simd_i32 unusual = {0};
    for (unsigned q = 0; q < TILE_QUARTERS; q++)
        for (unsigned side = 0; side < TILE_SIDES; side++) {
            simd_u32 from = {0};
            if (c)
                from = SIMD_AT(simd_u32, (const uint32_t *)c[q / 2][side] + q % 2 * 16);
            unusual |= quarter_f32(a, b, from, depth, fraction, kept, q, side, &out[q][side]);
        }
    if (any(unusual))
        return false;
    for (unsigned q = 0; q < TILE_QUARTERS; q++)
        for (unsigned side = 0; side < TILE_SIDES; side++)
            memcpy((uint32_t *)d[q / 2][side] + q % 2 * 16, &out[q][side], sizeof out[q][side]);
    return true;
}

ALWAYS_INLINE void multiply_s32(const struct tile_rows *a, const struct tile_columns *b, const void *const c[2][2],
                                void *const d[2][2], unsigned depth) {
    for (unsigned q = 0; q < TILE_QUARTERS; q++)
        for (unsigned side = 0; side < TILE_SIDES; side++) {
            simd_u32 from = {0};
            if (c)
                from = SIMD_AT(simd_u32, (const uint32_t *)c[q / 2][side] + q % 2 * 16);
            simd_u32 sum = quarter_s32(a, b, from, depth, q, side);
            memcpy((uint32_t *)d[q / 2][side] + q % 2 * 16, &sum, sizeof sum);
        }
}

/* f16: a register has two columns in each lane; d[..][1] is not used. */
ALWAYS_INLINE bool multiply_f16(const struct tile_rows *a, const struct tile_columns *b, const void *const c[2][2],
                                void *const d[2][2], unsigned depth, int fraction, bool no_negative_zero) {
    uint16_t out[TILE_QUARTERS][16][TILE_SIDES];
    simd_i32 unusual = {0};
    for (unsigned q = 0; q < TILE_QUARTERS; q++)
        for (unsigned side = 0; side < TILE_SIDES; side++) {
            simd_u32 words = {0};
            if (c)
                words = SIMD_AT(simd_u32, (const uint32_t *)c[q / 2][0] + q % 2 * 16);
            simd_i32 pairs = (simd_i32)exponents_of_halves(MATRIX_F16, words);
            simd_i32 exponent = side ? pairs >> 16 : (simd_i32)((simd_u32)pairs << 16) >> 16;
            struct sums s = add_products(a, b, exponent, exponent > ANY_ZERO, depth, fraction, q, side);
            simd_f32 value = side ? value_of(MATRIX_F16, words, 1) : value_of(MATRIX_F16, words, 0);
            simd_i32 addend = __builtin_convertvector(value * s.unit, simd_i32);
            unusual |= s.unusual;
            for (unsigned l = 0; l < 16; l++) {
                double sum = (double)s.products[l] + (double)addend[l];
                out[q][l][side] = (uint16_t)f16_of_sum(sum * power_double(s.largest[l] - fraction));
            }
        }
    if (any(unusual))
        return false;
    uint16_t *all = out[0][0];
    for (unsigned i = 0; no_negative_zero && i < sizeof out / sizeof *all; i++)
        all[i] = all[i] & (F16_SIGN - 1) ? all[i] : 0;
    for (unsigned q = 0; q < TILE_QUARTERS; q++)
        memcpy((uint32_t *)d[q / 2][0] + q % 2 * 16, out[q], sizeof out[q]);
    return true;
}

bool tile_multiply(const struct tile_kind *kind, const struct tile_rows *a, const struct tile_columns *b,
                   const void *const c[2][TILE_SIDES], void *const d[2][TILE_SIDES]) {
    if (kind->integers) {
        kind->depth == 32 ? multiply_s32(a, b, c, d, 32) : multiply_s32(a, b, c, d, 16);
        return true;
    }
    switch (kind->depth) {
    case 4:
        return multiply_f32(a, b, c, d, 4, 25, ~0u);
    case 8:
        return kind->to_f16 ? multiply_f16(a, b, c, d, 8, 25, kind->no_negative_zero)
                            : multiply_f32(a, b, c, d, 8, 25, ~0u);
    case 16:
        return kind->to_f16 ? multiply_f16(a, b, c, d, 16, 25, kind->no_negative_zero)
                            : multiply_f32(a, b, c, d, 16, 25, ~0u);
    default:
        return kind->to_f16 ? multiply_f16(a, b, c, d, 32, 13, kind->no_negative_zero)
                            : multiply_f32(a, b, c, d, 32, 13, ~0u << 10);
    }
}

/* ---- mma ---- */

/* Of one block of 8 columns or rows in a register: half of it, and all of it. */
static simd_u32 half_register(const struct warp *w, uint32_t reg, unsigned half) {
    return SIMD_AT(simd_u32, w->regs + reg + half * sizeof(simd_u32));
}

static bool is_tiled(const struct mma *m) {
    bool whole = m->rows % 16 == 0 && m->columns % 8 == 0 && m->depth >= 4 && !m->satfinite && m->c == m->d;
    bool type = m->a == MATRIX_BF16 || m->a == MATRIX_F16 || is_integer(m->a) ||
                (m->a == MATRIX_TF32 && m->columns == 8); /* wmma's are two sums */
    return whole && type;
}

/* A product's registers, as the tile in these rows and columns has them. */
static void tile_registers(const struct warp *w, const struct mma *m, const uint32_t *regs, unsigned rows,
                           unsigned columns, uint8_t *out[2][TILE_SIDES]) {
    for (unsigned half = 0; half < 2; half++) {
        unsigned pair = m->columns == 16 ? half + 2 * columns : 2 * rows + half;
        for (unsigned side = 0; side < TILE_SIDES; side++)
            out[half][side] = w->regs + regs[m->d == MATRIX_F16 ? pair : 2 * pair + side];
    }
}

#define MOST_TILES 2

/* Programs multiply the same rows by several columns, one instruction after the other: the last rows are kept, in each host thread. */
static const struct tile_rows *rows_again(enum matrix_type type, tile_words words[TILE_QUARTERS][2], unsigned blocks) {
    static _Thread_local struct {
        enum matrix_type type;
        unsigned blocks;
        tile_words words[TILE_QUARTERS][2];
        struct tile_rows rows;
    } last;
    simd_i32 differ = {0};
    for (unsigned q = 0; q < TILE_QUARTERS; q++)
        for (unsigned k = 0; k < blocks; k++)
            differ |= (simd_i32)(words[q][k] ^ last.words[q][k]);
    if (last.type == type && last.blocks == blocks && !any(differ))
        return &last.rows;
    last.type = type;
    last.blocks = blocks;
    memcpy(last.words, words, sizeof last.words);
    tile_take_rows(type, words, blocks, &last.rows);
    return &last.rows;
}

bool mma_by_tiles(struct warp *w, const struct mma *m) {
    if (!is_tiled(m))
        return false;
    unsigned blocks = m->depth * matrix_type_bits(m->a) / 128, down = m->rows / 16u, right = m->columns / 8u;
    struct tile_kind kind = {is_integer(m->a), (uint8_t)m->depth, m->d == MATRIX_F16, false};
    struct tile_columns b;
    _Alignas(64) uint32_t results[MOST_TILES][2][TILE_SIDES][WARP_SIZE];
    tile_words words[TILE_QUARTERS][2] = {{{0}}};
    for (unsigned r = 0; r < down; r++) {
        for (unsigned q = 0; q < TILE_QUARTERS; q++)
            for (unsigned k = 0; k < blocks; k++)
                words[q][k] = half_register(w, m->a_regs[2 * blocks * r + 2 * k + q / 2], q % 2);
        const struct tile_rows *a = rows_again(m->a, words, blocks);
        for (unsigned c = 0; c < right; c++) {
            for (unsigned half = 0; half < 2; half++)
                for (unsigned k = 0; k < blocks; k++)
                    words[half][k] = half_register(w, m->b_regs[blocks * c + k], half);
            tile_take_columns(m->b, words, blocks, &b);
            uint8_t *from[2][TILE_SIDES];
            uint32_t(*to)[TILE_SIDES][WARP_SIZE] = results[r + c];
            tile_registers(w, m, m->c_regs, r, c, from);
            if (!tile_multiply(&kind, a, &b, (const void *const(*)[TILE_SIDES])from,
                               (void *const[2][TILE_SIDES]){{to[0][0], to[0][1]}, {to[1][0], to[1][1]}}))
                return false;
        }
    }
    for (unsigned i = 0; i < down * right; i++) {
        uint8_t *to[2][TILE_SIDES];
        tile_registers(w, m, m->d_regs, down > 1 ? i : 0, right > 1 ? i : 0, to);
        for (unsigned half = 0; half < 2; half++)
            for (unsigned side = 0; side < (m->d == MATRIX_F16 ? 1u : TILE_SIDES); side++)
                memcpy(to[half][side], results[i][half][side], sizeof results[i][half][side]);
    }
    return true;
}
