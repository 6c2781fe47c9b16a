/* See mma_tile.h. A product of values is exact in single precision; multiplied by a power of two, the same for all
 * products of a sum, and converted to an integer, it is cut off as the hardware cuts it off. The power follows from the
 * largest sum of two exponents. The fast path takes only sums in which all of that stays within the range of single
 * precision, regardless of single products: those that are much too small are truncated to zero in any case. */
#include "ops/mma_tile.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "ops/half.h"
#include "ops/mma_sum.h"

/* With the sanitizers gcc would need half a minute for the copies, each of which holds the same checks. */
#ifdef __SANITIZE_ADDRESS__
#define ALWAYS_INLINE static inline
#define UNROLLED
#else
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define UNROLLED      _Pragma("GCC unroll 32")
#endif
/* Along k, where several sums have operands in common: gcc would make each sum by itself, and keep the operands in
 * memory meanwhile. */
#define NOT_UNROLLED _Pragma("GCC unroll 1")

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
/* Words x and y of each column: of the even columns, then the odd ones. */
#define FOUR(x)                x, x + 8, x + 16, x + 24
#define OF_COLUMNS(v, w, x, y) SHUFFLE(v, w, FOUR(x), FOUR(4 + x), FOUR(y), FOUR(4 + y))

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

/* The i-th element of each word, from the highest bit on. */
#define TOP(type, words, i) ((simd_i32)((words) << (32 - matrix_type_bits(type) * ((i) + 1))))

ALWAYS_INLINE simd_f32 value_of(enum matrix_type type, simd_i32 top) {
    switch (type) {
    case MATRIX_TF32:
        return (simd_f32)(top & ~0x1fff);
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

/* -1 where x < y, otherwise 0. A comparison, for numbers whose difference fits: gcc compares vectors that are wider
 * than the machine's lane by lane. */
#define LESS(x, y) (((x) - (y)) >> (8 * sizeof((x)[0]) - 1))

/* field: of an exponent; digits: after it; special: less than the field, or the digits, of infinity and NaN only */
#define EXPONENT(V, field, digits, bias, special)                                                                      \
    ((field) - (bias)-LESS(field, (V){0} + 1) + (LESS((field) | (digits), (V){0} + 1) & OF_ZERO) +                     \
     (special & OF_SPECIAL))

/* Of 32 elements of 16 bits, in their places. */
ALWAYS_INLINE simd_u32 exponents_of_halves(enum matrix_type type, simd_u32 words) {
    simd_i16 h = (simd_i16)words & 0x7fff;
    if (type == MATRIX_BF16) {
        simd_i16 field = h >> 7, digits = h & 0x7f;
        return (simd_u32)EXPONENT(simd_i16, field, digits, 127, LESS(254 + field * 0, field));
    }
    simd_i16 field = h >> 10, digits = h & 0x3ff;
    return (simd_u32)EXPONENT(simd_i16, field, digits, 15, LESS(30 + field * 0, field));
}

ALWAYS_INLINE simd_i32 exponents_of_singles(simd_u32 bits) {
    simd_i32 m = (simd_i32)(bits & 0x7fffffff), field = m >> 23, digits = m & 0x7fffff;
    return EXPONENT(simd_i32, field, digits, 127, LESS(254 + field * 0, field));
}

/* Of each word's last byte. */
ALWAYS_INLINE simd_i32 exponents_of_bytes(enum matrix_type type, simd_u32 words) {
    simd_i32 m = (simd_i32)(words & 0x7f);
    if (type == MATRIX_E4M3) {
        simd_i32 field = m >> 3, digits = m & 7;
        return EXPONENT(simd_i32, field, digits, 7, LESS(0x7e + m * 0, m));
    }
    simd_i32 field = m >> 2, digits = m & 3;
    return EXPONENT(simd_i32, field, digits, 15, LESS(30 + field * 0, field));
}

ALWAYS_INLINE simd_u32 pair(simd_i32 low, simd_i32 high) {
    return ((simd_u32)low & 0xffff) | (simd_u32)high << 16;
}

/* Pairs of exponents in each word (of bytes: the last two), or (tf32) one. */
ALWAYS_INLINE simd_u32 exponents_of(enum matrix_type type, simd_u32 words) {
    if (type == MATRIX_TF32)
        return (simd_u32)exponents_of_singles(words & ~0x1fffu);
    if (is_byte(type))
        return pair(exponents_of_bytes(type, words), exponents_of_bytes(type, words >> 8));
    return exponents_of_halves(type, words);
}

/* ---- operands ---- */

#define ROWS_OF_WORD(c)                                                                                                \
    {                                                                                                                  \
        simd_u32 words = OF_ROWS(v, c);                                                                                \
        for (unsigned i = 0; i < per_word(type); i++)                                                                  \
            to->value[per_word(type) * (4 * block + c) + i][q] = value_of(type, TOP(type, words, i));                  \
    }

ALWAYS_INLINE void rows_of_block(enum matrix_type type, simd_u32 v, unsigned block, unsigned q, struct tile_rows *to) {
    ROWS_OF_WORD(0)
    ROWS_OF_WORD(1)
    ROWS_OF_WORD(2)
    ROWS_OF_WORD(3)
    if (is_integer(type))
        return;
    if (type == MATRIX_TF32) {
        simd_u32 e = exponents_of(type, v);
        to->exponent[2 * block][q] = pair((simd_i32)OF_ROWS(e, 0), (simd_i32)OF_ROWS(e, 1));
        to->exponent[2 * block + 1][q] = pair((simd_i32)OF_ROWS(e, 2), (simd_i32)OF_ROWS(e, 3));
        return;
    }
    unsigned pairs = per_word(type) / 2;
    for (unsigned i = 0; i < pairs; i++) {
        simd_u32 e = exponents_of(type, v >> 16 * i);
        to->exponent[pairs * (4 * block + 0) + i][q] = OF_ROWS(e, 0);
        to->exponent[pairs * (4 * block + 1) + i][q] = OF_ROWS(e, 1);
        to->exponent[pairs * (4 * block + 2) + i][q] = OF_ROWS(e, 2);
        to->exponent[pairs * (4 * block + 3) + i][q] = OF_ROWS(e, 3);
    }
}

/* A vector has the first element of each word in its lower half, and the second one in its upper half. */
static const simd_u32 upper_half = {0, 0, 0, 0, 0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};

/* Word c of each column: the values of its elements, and their exponents. */
ALWAYS_INLINE void columns_of_word(enum matrix_type type, simd_u32 words, unsigned c, struct tile_columns *to) {
    unsigned bits = matrix_type_bits(type), n = per_word(type);
    for (unsigned i = 0; i < n; i += 2) {
        simd_u32 top = words << ((32 - bits * (i + 1)) - (upper_half & bits));
        simd_f32 values = value_of(type, (simd_i32)top);
        memcpy(to->value[n * c + i], &values, sizeof values);
    }
    if (!is_byte(type) || is_integer(type))
        return;
    simd_u32 exponents = exponents_of(type, words >> (upper_half & 16));
    memcpy(to->exponent[2 * c], &exponents, sizeof exponents);
}

#define COLUMNS_OF_WORD(x) columns_of_word(type, OF_COLUMNS(v, w, x, x), 4 * block + x, to);
#define COLUMNS_OF_SINGLES(x)                                                                                          \
    {                                                                                                                  \
        simd_f32 values = value_of(type, (simd_i32)OF_COLUMNS(v, w, x, x + 1));                                        \
        memcpy(to->value[4 * block + x], &values, sizeof values);                                                      \
    }

/* Words of tf32: pairs of exponents are of two words. */
ALWAYS_INLINE void columns_of_singles(simd_u32 v, simd_u32 w, unsigned block, struct tile_columns *to) {
    enum matrix_type type = MATRIX_TF32;
    COLUMNS_OF_SINGLES(0)
    COLUMNS_OF_SINGLES(2)
    simd_u32 ev = exponents_of(type, v), ew = exponents_of(type, w);
    simd_u32 pairs = pair((simd_i32)OF_COLUMNS(ev, ew, 0, 2), (simd_i32)OF_COLUMNS(ev, ew, 1, 3));
    memcpy(to->exponent[2 * block], &pairs, sizeof pairs);
}

ALWAYS_INLINE void columns_of_block(enum matrix_type type, simd_u32 v, simd_u32 w, unsigned block,
                                    struct tile_columns *to) {
    if (type == MATRIX_TF32) {
        columns_of_singles(v, w, block, to);
        return;
    }
    COLUMNS_OF_WORD(0)
    COLUMNS_OF_WORD(1)
    COLUMNS_OF_WORD(2)
    COLUMNS_OF_WORD(3)
    if (is_byte(type))
        return;
    simd_u32 first = exponents_of_halves(type, OF_COLUMNS(v, w, 0, 1));
    simd_u32 second = exponents_of_halves(type, OF_COLUMNS(v, w, 2, 3));
    memcpy(to->exponent[4 * block], &first, sizeof first);
    memcpy(to->exponent[4 * block + 2], &second, sizeof second);
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

void tile_take_columns(enum matrix_type type, tile_words words[2][2], unsigned blocks,
                       struct tile_columns *to){BY_TYPE(take_columns, words, blocks, to)}

/* ---- sums ---- */

/* Of exponents, whose differences fit. */
ALWAYS_INLINE simd_i32 larger(simd_i32 a, simd_i32 b) {
#ifdef __AVX512BW__
    return (simd_i32)_mm512_max_epi32((__m512i)a, (__m512i)b);
#else
    return a - ((a - b) & LESS(a, b));
#endif
}

/* Parts of a vector, as wide as a register: where vectors are wider, gcc keeps them in memory, and takes a loop's
 * time to store and load them (measured for AVX2: more than half of it). */
#define PARTS        (sizeof(simd_u32) / SIMD_REGISTER)
#define ALL_PARTS(p) for (unsigned p = 0; p < PARTS; p++)
typedef int16_t part_i16 __attribute__((vector_size(SIMD_REGISTER), may_alias));
typedef int32_t part_i32 __attribute__((vector_size(SIMD_REGISTER), may_alias));
typedef uint32_t part_u32 __attribute__((vector_size(SIMD_REGISTER), may_alias));
typedef float part_f32 __attribute__((vector_size(SIMD_REGISTER), may_alias));
#define PART(V, vector, p) (((const V *)(const void *)&(vector))[p])

/* Of sums of two exponents, whose differences may not fit 16 bits. */
ALWAYS_INLINE part_i16 larger16(part_i16 a, part_i16 b) {
#if defined(__AVX512BW__)
    return (part_i16)_mm512_max_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (part_i16)_mm256_max_epi16((__m256i)a, (__m256i)b);
#else
    part_i16 more = (part_i16)(a > b);
    return (a & more) | (b & ~more);
#endif
}

ALWAYS_INLINE bool any(simd_i32 v) {
    return simd_differ32((simd_u32)v, (simd_u32)v * 0);
}

/* Is any of the exponents not in [least, most]? */
ALWAYS_INLINE bool any_outside(simd_i32 v, int32_t least, int32_t most) {
#ifdef __AVX512BW__
    return _mm512_cmpgt_epu32_mask((__m512i)(v - least), _mm512_set1_epi32(most - least));
#else
    return simd_bits32(LESS(v, v * 0 + least) | LESS(v * 0 + most, v));
#endif
}

/* To single precision, rounded towards zero; 0 is +0. */
ALWAYS_INLINE simd_f32 single_of(simd_i32 sum) {
#ifdef __AVX512BW__
    return (simd_f32)_mm512_cvt_roundepi32_ps((__m512i)sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else /* the conversion rounds to nearest, and so perhaps away from zero */
    simd_i32 negative = sum >> 31, magnitude = (simd_i32)((simd_u32)(sum ^ negative) - (simd_u32)negative);
    simd_f32 nearest = __builtin_convertvector(magnitude, simd_f32);
    simd_u32 back = (simd_u32) __builtin_convertvector(nearest, simd_i32);
    simd_i32 over = (simd_i32)((simd_u32)magnitude - back) >> 31;
    return (simd_f32)(((simd_u32)nearest + (simd_u32)over) | ((simd_u32)negative & F32_SIGN));
#endif
}

/* Four columns' words, in the lanes of each row. */
ALWAYS_INLINE part_u32 in_rows(const void *words) {
#if defined(__AVX512BW__)
    return (part_u32)_mm512_broadcast_i32x4(_mm_load_si128(words));
#elif defined(__AVX2__)
    return (part_u32)_mm256_broadcastsi128_si256(_mm_load_si128(words));
#else
    return SIMD_AT(part_u32, words);
#endif
}

/* Sums of a half of the rows: 16 for each of two quarters and for each side. */
#define HALF_SUMS   4
#define ALL_SUMS(i) for (unsigned i = 0; i < HALF_SUMS; i++)

/* The terms that they add up. */
struct sums {
    simd_i32 products[HALF_SUMS]; /* in units of 2^(largest - fraction) */
    simd_i32 largest[HALF_SUMS];  /* exponent of all terms */
    simd_f32 unit[HALF_SUMS];     /* 2^(fraction - largest) */
    simd_i32 unusual;             /* not 0: the slow path has to do it */
};

/* a: of a half's first quarter */
ALWAYS_INLINE part_i16 exponent_of(const simd_u32 a[TILE_QUARTERS], const uint32_t b[TILE_SIDES][4], unsigned i,
                                   unsigned p) {
    return PART(part_i16, a[i / 2], p) + (part_i16)in_rows(b[i % 2]);
}

/* Exponents of the largest products. */
ALWAYS_INLINE void find_most(const struct tile_rows *a, const struct tile_columns *b, unsigned depth, unsigned half,
                             simd_i32 most[HALF_SUMS]) {
    part_i16 largest[HALF_SUMS][PARTS];
    UNROLLED
    ALL_SUMS(i) UNROLLED ALL_PARTS(p) largest[i][p] = exponent_of(&a->exponent[0][2 * half], b->exponent[0], i, p);
    NOT_UNROLLED
    for (unsigned k = 1; k < depth / 2; k++) {
        UNROLLED
        ALL_SUMS(i)
        UNROLLED
        ALL_PARTS(p)
        largest[i][p] = larger16(exponent_of(&a->exponent[k][2 * half], b->exponent[k], i, p), largest[i][p]);
    }
    simd_u32 pairs[HALF_SUMS];
    memcpy(pairs, largest, sizeof pairs);
    UNROLLED
    ALL_SUMS(i) most[i] = larger((simd_i32)(pairs[i] << 16) >> 16, (simd_i32)pairs[i] >> 16);
}

/* most: exponents of products, c: of numbers that are not zero, where `counts` is -1. */
ALWAYS_INLINE simd_i32 is_unusual(simd_i32 most, simd_i32 c, simd_i32 counts) {
    simd_i32 largest = larger(most, c);
    simd_i32 zeros = {0};
    return LESS(zeros + MOST, largest) | (LESS(largest, zeros + LEAST) & (LESS(zeros + ANY_ZERO, most) | counts));
}

ALWAYS_INLINE part_f32 product_of(const simd_f32 a[TILE_QUARTERS], const float b[TILE_SIDES][4], unsigned half,
                                  unsigned i, unsigned p) {
    return PART(part_f32, a[2 * half + i / 2], p) * (part_f32)in_rows(b[i % 2]);
}

ALWAYS_INLINE void add_products(const struct tile_rows *a, const struct tile_columns *b, const simd_i32 c[HALF_SUMS],
                                const simd_i32 counts[HALF_SUMS], unsigned depth, int fraction, unsigned half,
                                struct sums *s) {
    simd_i32 most[HALF_SUMS];
    part_u32 sums[HALF_SUMS][PARTS] = {{{0}}}; /* unsigned: unusual values may not fit */
    s->unusual = (simd_i32){0};
    find_most(a, b, depth, half, most);
    UNROLLED
    ALL_SUMS(i) {
        s->largest[i] = larger(most[i], c[i]);
        if (any_outside(s->largest[i], LEAST, MOST)) {
            s->unusual |= is_unusual(most[i], c[i], counts[i]);
            s->largest[i] = larger(s->largest[i], s->largest[i] * 0 + LEAST);
        }
        s->unit[i] = (simd_f32)((fraction + 127 - s->largest[i]) << 23);
    }
    NOT_UNROLLED
    for (unsigned k = 0; k < depth; k++) {
        UNROLLED
        ALL_SUMS(i)
        UNROLLED
        ALL_PARTS(p) {
            part_f32 product = product_of(a->value[k], b->value[k], half, i, p);
            sums[i][p] += (part_u32) __builtin_convertvector(product * PART(part_f32, s->unit[i], p), part_i32);
        }
    }
    memcpy(s->products, sums, sizeof sums);
}

/* Has x + y = sum not fit? */
ALWAYS_INLINE simd_i32 overflowed(simd_i32 x, simd_i32 y, simd_i32 sum) {
    return ((x ^ sum) & (y ^ sum)) >> 31;
}

/* Of a half's registers, the words of the i-th sums. */
ALWAYS_INLINE simd_u32 words_of(const void *const c[TILE_SIDES], unsigned i) {
    return SIMD_AT(simd_u32, (const uint32_t *)c[i % 2] + i / 2 * 16);
}

ALWAYS_INLINE void set_words(void *const d[TILE_SIDES], unsigned i, simd_u32 words) {
    memcpy((uint32_t *)d[i % 2] + i / 2 * 16, &words, sizeof words);
}

ALWAYS_INLINE simd_i32 half_f32(const struct tile_rows *a, const struct tile_columns *b,
                                const void *const c[TILE_SIDES], unsigned depth, int fraction, uint32_t kept,
                                unsigned half, simd_u32 d[HALF_SUMS]) {
    simd_u32 from[HALF_SUMS];
    simd_i32 exponent[HALF_SUMS], counts[HALF_SUMS];
    struct sums s;
    UNROLLED
    ALL_SUMS(i) {
        from[i] = c ? words_of(c, i) : (simd_u32){0};
        simd_i32 magnitude = (simd_i32)(from[i] & ~F32_SIGN);
        exponent[i] = (magnitude >> 23) - 127;
        counts[i] = -magnitude >> 31;
    }
    add_products(a, b, exponent, counts, depth, fraction, half, &s);
    UNROLLED
    ALL_SUMS(i) {
        simd_i32 addend = __builtin_convertvector((simd_f32)from[i] * s.unit[i], simd_i32);
        simd_i32 sum = (simd_i32)((simd_u32)s.products[i] + (simd_u32)addend);
        d[i] = (simd_u32)(single_of(sum) * (simd_f32)((s.largest[i] - fraction + 127) << 23));
        if (kept != ~0u) {
            d[i] &= kept | F32_SIGN;
            d[i] &= ~simd_equal32(d[i] & ~F32_SIGN, (simd_u32){0});
        }
        s.unusual |= overflowed(s.products[i], addend, sum);
    }
    return s.unusual;
}

/* Between the halves of a tile: compilers would load B's operands before, for both, and have no registers for so
 * many. */
#define FORGET(b) __asm__("" : "+r"(b))

ALWAYS_INLINE bool multiply_f32(const struct tile_rows *a, const struct tile_columns *b,
                                const void *const c[2][TILE_SIDES], void *const d[2][TILE_SIDES], unsigned depth,
                                int fraction, uint32_t kept) {
    simd_u32 out[2][HALF_SUMS];
    simd_i32 unusual = {0};
    for (unsigned half = 0; half < 2; half++) {
        FORGET(b);
        unusual |= half_f32(a, b, c ? c[half] : NULL, depth, fraction, kept, half, out[half]);
    }
    if (any(unusual))
        return false;
    for (unsigned half = 0; half < 2; half++)
        ALL_SUMS(i) set_words(d[half], i, out[half][i]);
    return true;
}

/* Products of bytes, and 32 of them, are exact in single precision. */
ALWAYS_INLINE void multiply_s32(const struct tile_rows *a, const struct tile_columns *b,
                                const void *const c[2][TILE_SIDES], void *const d[2][TILE_SIDES], unsigned depth) {
    for (unsigned half = 0; half < 2; half++) {
        part_f32 sums[HALF_SUMS][PARTS] = {{{0}}};
        FORGET(b);
        UNROLLED
        for (unsigned k = 0; k < depth; k++) {
            UNROLLED
            ALL_SUMS(i) UNROLLED ALL_PARTS(p) sums[i][p] += product_of(a->value[k], b->value[k], half, i, p);
        }
        simd_f32 exact[HALF_SUMS];
        memcpy(exact, sums, sizeof exact);
        UNROLLED
        ALL_SUMS(i) {
            simd_u32 sum = (simd_u32) __builtin_convertvector(exact[i], simd_i32);
            if (c)
                sum += words_of(c[half], i);
            set_words(d[half], i, sum);
        }
    }
}

/* f16: a register has two columns in each lane; d[..][1] is not used. */
ALWAYS_INLINE simd_i32 half_f16(const struct tile_rows *a, const struct tile_columns *b, const void *c, unsigned depth,
                                int fraction, unsigned half, uint16_t d[32][TILE_SIDES]) {
    simd_i32 exponent[HALF_SUMS], counts[HALF_SUMS];
    simd_f32 value[HALF_SUMS];
    struct sums s;
    ALL_SUMS(i) {
        simd_u32 words = c ? SIMD_AT(simd_u32, (const uint32_t *)c + i / 2 * 16) : (simd_u32){0};
        simd_i32 pairs = (simd_i32)exponents_of_halves(MATRIX_F16, words);
        exponent[i] = i % 2 ? pairs >> 16 : (simd_i32)((simd_u32)pairs << 16) >> 16;
        counts[i] = LESS(exponent[i] * 0 + ANY_ZERO, exponent[i]);
        value[i] = value_of(MATRIX_F16, TOP(MATRIX_F16, words, i % 2));
    }
    add_products(a, b, exponent, counts, depth, fraction, half, &s);
    ALL_SUMS(i) {
        simd_i32 addend = __builtin_convertvector(value[i] * s.unit[i], simd_i32);
        for (unsigned l = 0; l < 16; l++) {
            double sum = (double)s.products[i][l] + (double)addend[l];
            d[i / 2 * 16 + l][i % 2] = (uint16_t)f16_of_sum(sum * power_double(s.largest[i][l] - fraction));
        }
    }
    return s.unusual;
}

ALWAYS_INLINE bool multiply_f16(const struct tile_rows *a, const struct tile_columns *b,
                                const void *const c[2][TILE_SIDES], void *const d[2][TILE_SIDES], unsigned depth,
                                int fraction, bool no_negative_zero) {
    uint16_t out[2][32][TILE_SIDES];
    simd_i32 unusual = {0};
    for (unsigned half = 0; half < 2; half++)
        unusual |= half_f16(a, b, c ? c[half][0] : NULL, depth, fraction, half, out[half]);
    if (any(unusual))
        return false;
    uint16_t *all = out[0][0];
    for (unsigned i = 0; no_negative_zero && i < sizeof out / sizeof *all; i++)
        all[i] = all[i] & (F16_SIGN - 1) ? all[i] : 0;
    for (unsigned half = 0; half < 2; half++)
        memcpy(d[half][0], out[half], sizeof out[half]);
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

/* Programs multiply the same rows by several columns, one instruction after the other: the last rows are kept, in
 * each host thread. */
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

static void columns_of(const struct warp *w, const struct mma *m, unsigned blocks, unsigned c,
                       struct tile_columns *to) {
    tile_words words[2][2];
    for (unsigned half = 0; half < 2; half++)
        for (unsigned k = 0; k < blocks; k++)
            words[half][k] = half_register(w, m->b_regs[blocks * c + k], half);
    tile_take_columns(m->b, words, blocks, to);
}

bool mma_by_tiles(struct warp *w, const struct mma *m) {
    if (!is_tiled(m))
        return false;
    unsigned blocks = m->depth * matrix_type_bits(m->a) / 128, down = m->rows / 16u, right = m->columns / 8u;
    struct tile_kind kind = {is_integer(m->a), (uint8_t)m->depth, m->d == MATRIX_F16, false};
    struct tile_columns b;
    bool one = down * right == 1; /* its result can be stored in place: all of its inputs have been read then */
    _Alignas(64) uint32_t results[MOST_TILES][2][TILE_SIDES][WARP_SIZE];
    tile_words words[TILE_QUARTERS][2] = {{{0}}};
    for (unsigned r = 0; r < down; r++) {
        for (unsigned q = 0; q < TILE_QUARTERS; q++)
            for (unsigned k = 0; k < blocks; k++)
                words[q][k] = half_register(w, m->a_regs[2 * blocks * r + 2 * k + q / 2], q % 2);
        const struct tile_rows *a = rows_again(m->a, words, blocks);
        for (unsigned c = 0; c < right; c++) {
            columns_of(w, m, blocks, c, &b);
            uint8_t *from[2][TILE_SIDES], *to[2][TILE_SIDES];
            tile_registers(w, m, m->c_regs, r, c, from);
            tile_registers(w, m, m->d_regs, r, c, to);
            for (unsigned i = 0; !one && i < 2 * TILE_SIDES; i++)
                to[i / 2][i % 2] = (uint8_t *)results[r + c][i / 2][i % 2];
            if (!tile_multiply(&kind, a, &b, (const void *const(*)[TILE_SIDES])from, (void *const(*)[TILE_SIDES])to))
                return false;
        }
    }
    for (unsigned i = 0; !one && i < down * right; i++) {
        uint8_t *to[2][TILE_SIDES];
        tile_registers(w, m, m->d_regs, down > 1 ? i : 0, right > 1 ? i : 0, to);
        for (unsigned half = 0; half < 2; half++)
            for (unsigned side = 0; side < (m->d == MATRIX_F16 ? 1u : TILE_SIDES); side++)
                memcpy(to[half][side], results[i][half][side], sizeof results[i][half][side]);
    }
    return true;
}
