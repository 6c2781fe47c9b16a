/* Operands for the tensor core tests: the same on every machine, with the edges that matter. */
#ifndef VALUES_H
#define VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_type {
    VALUE_b1, /* and whatever else is any bits */
    VALUE_s4,
    VALUE_u4,
    VALUE_s8,
    VALUE_u8,
    VALUE_s32,
    VALUE_f16,
    VALUE_bf16,
    VALUE_tf32,
    VALUE_f32,
    VALUE_f64,
    VALUE_e4m3,
    VALUE_e5m2,
    VALUE_POSITIONS_1, /* element i holds i, as many bits of it as there are in an element, per trial */
    VALUE_POSITIONS_4,
    VALUE_POSITIONS_8,
    VALUE_POSITIONS_16,
    VALUE_POSITIONS_32,
    VALUE_POSITIONS_64,
};

#define VALUE_BITS_b1   1
#define VALUE_BITS_s4   4
#define VALUE_BITS_u4   4
#define VALUE_BITS_s8   8
#define VALUE_BITS_u8   8
#define VALUE_BITS_s32  32
#define VALUE_BITS_f16  16
#define VALUE_BITS_bf16 16
#define VALUE_BITS_tf32 32
#define VALUE_BITS_f32  32
#define VALUE_BITS_f64  64

struct value_random {
    uint64_t state;
};

static uint64_t value_next(struct value_random *r) { /* splitmix64 */
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned value_below(struct value_random *r, unsigned n) {
    return (unsigned)(value_next(r) >> 32) % n;
}

/* What the floating-point values of a trial are like. */
enum value_kind {
    KIND_NEAR_ONE,  /* exponents close together: every bit of the sum counts */
    KIND_ANY,       /* any finite bits */
    KIND_SPREAD,    /* exponents a few apart: much is shifted out */
    KIND_EDGES,     /* zeros, subnormals, the largest, infinities, NaN */
    KIND_SPARSE,    /* mostly zeros */
    KIND_SMALL,     /* about the smallest normal numbers */
    KIND_SOME_EDGE, /* near one, with an edge here and there */
    KIND_CANCEL,    /* few bits set, exponents far apart: what is kept of the small ones? */
    KIND_LARGE,     /* about the largest: overflow */
    KIND_LIKE_CUDA, /* in [-1, 1): what programs compute with */
};
#define VALUE_KINDS 10

/* A floating-point format: sign, exponent bits, fraction bits, from the top. */
struct value_format {
    unsigned exponent, fraction;
    bool infinity; /* e4m3 has none: its largest exponent holds numbers, except NaN */
};

static uint64_t value_pack(struct value_format f, uint64_t sign, int64_t exponent, uint64_t fraction) {
    int64_t most = ((int64_t)1 << f.exponent) - (f.infinity ? 2 : 1);
    exponent = exponent < 0 ? 0 : exponent > most ? most : exponent;
    fraction &= ((uint64_t)1 << f.fraction) - 1;
    uint64_t all = sign << (f.exponent + f.fraction) | (uint64_t)exponent << f.fraction | fraction;
    bool is_nan = !f.infinity && (all & (((uint64_t)1 << (f.exponent + f.fraction)) - 1)) == 0x7f;
    return is_nan ? all - 1 : all;
}

static uint64_t value_edge(struct value_format f, struct value_random *r) {
    uint64_t one = ((uint64_t)1 << f.exponent) - 1, fraction = ((uint64_t)1 << f.fraction) - 1,
             sign = value_next(r) & 1;
    int64_t bias = one >> 1;
    uint64_t top = sign << (f.exponent + f.fraction) | one << f.fraction;
    switch (value_below(r, 12)) {
    case 0:
        return value_pack(f, sign, 0, 0);
    case 1:
        return value_pack(f, sign, 0, 1);
    case 2:
        return value_pack(f, sign, 0, fraction);
    case 3:
        return value_pack(f, sign, 1, 0);
    case 4:
        return value_pack(f, sign, bias, 0);
    case 5:
        return value_pack(f, sign, bias, 1);
    case 6:
        return value_pack(f, sign, one, fraction);
    case 7:
        return value_pack(f, sign, bias, fraction);
    case 8:
        return f.infinity ? top : top | fraction;
    case 9:
        return top | (value_below(r, 4) ? 0 : fraction);
    default:
        return value_pack(f, sign, bias + value_below(r, 3), value_next(r));
    }
}

/* spread: how much wider an accumulator's exponents are */
static uint64_t value_float(struct value_format f, enum value_kind kind, int spread, struct value_random *r) {
    int64_t bias = ((int64_t)1 << (f.exponent - 1)) - 1, most = 2 * bias + 1;
    uint64_t sign = value_next(r) & 1, fraction = value_next(r);
    switch (kind) {
    case KIND_NEAR_ONE:
        return value_pack(f, sign, bias - 3 * spread + value_below(r, 4 * spread + 1), fraction);
    case KIND_ANY:
        if (spread > 1 && f.exponent > 5 && value_below(r, 4))
            return value_pack(f, sign, bias - 20 + value_below(r, 41), fraction);
        return value_pack(f, sign, value_below(r, (unsigned)most), fraction);
    case KIND_SPREAD:
        return value_pack(f, sign, bias - 7 * spread + value_below(r, 14 * spread + 1), fraction);
    case KIND_EDGES:
        return value_edge(f, r);
    case KIND_SPARSE:
        return value_below(r, 4) ? value_pack(f, sign, 0, 0)
                                 : value_pack(f, sign, bias - 12 * spread + value_below(r, 24 * spread + 1), fraction);
    case KIND_SMALL:
        return value_pack(
            f, sign, spread == 1 && f.exponent > 5 ? bias / 2 - 10 + value_below(r, 20) : value_below(r, 4), fraction);
    case KIND_SOME_EDGE:
        return value_below(r, 24) ? value_pack(f, sign, bias - 2 + value_below(r, 4), fraction) : value_edge(f, r);
    case KIND_CANCEL:
        return value_pack(f, sign, bias - 10 * spread + value_below(r, 20 * spread + 1),
                          value_below(r, 2) ? 0 : ~(uint64_t)0 << value_below(r, f.fraction));
    case KIND_LARGE:
        return value_pack(f, sign,
                          spread == 1 && f.exponent > 5 ? bias + bias / 2 - 4 + value_below(r, 6)
                                                        : most - 5 + value_below(r, 6),
                          fraction);
    default:
        return value_pack(f, sign, bias - 1 - __builtin_ctz((unsigned)value_next(r) | 0x1000), fraction);
    }
}

static const struct value_format *value_format_of(enum value_type type) {
    static const struct value_format f16 = {5, 10, true}, bf16 = {8, 7, true}, f32 = {8, 23, true},
                                     f64 = {11, 52, true}, e4m3 = {4, 3, false}, e5m2 = {5, 2, true};
    switch (type) {
    case VALUE_f16:
        return &f16;
    case VALUE_bf16:
        return &bf16;
    case VALUE_tf32:
    case VALUE_f32:
        return &f32;
    case VALUE_f64:
        return &f64;
    case VALUE_e4m3:
        return &e4m3;
    case VALUE_e5m2:
        return &e5m2;
    default:
        return NULL;
    }
}

static void values_of_format(uint32_t *words, unsigned count, enum value_type type, unsigned trial, bool accumulator,
                             struct value_random *r) {
    const struct value_format f = *value_format_of(type);
    enum value_kind kind = (enum value_kind)(trial % VALUE_KINDS);
    unsigned bits = 1 + f.exponent + f.fraction, per = bits < 32 ? 32 / bits : 1;
    for (unsigned i = 0; i < count; i += bits / 32 + (bits < 32)) {
        uint64_t word = 0;
        for (unsigned k = 0; k < per; k++) {
            uint64_t value = value_float(f, kind, accumulator ? 2 : 1, r);
            if (type == VALUE_tf32 && trial % 4 < 2) /* otherwise with bits that tf32 does not have */
                value &= ~(uint64_t)0x1fff;
            word |= value << (k * bits % 64);
        }
        words[i] = (uint32_t)word;
        if (bits == 64)
            words[i + 1] = (uint32_t)(word >> 32);
    }
}

static void values_of_positions(uint32_t *words, unsigned count, unsigned bits, unsigned trial) {
    unsigned per = bits < 32 ? 32 / bits : 1;
    for (unsigned i = 0; i < count; i++) {
        words[i] = bits == 64 ? (i % 2 ? 0 : i / 2) : 0;
        for (unsigned k = 0; k < per && bits < 64; k++) {
            unsigned part = trial * bits < 32 ? (i * per + k) >> (trial * bits) : 0;
            words[i] |= (bits < 32 ? part & ((1u << bits) - 1) : part) << (k * bits % 32);
        }
    }
}

/* Fills words with values of one type. `accumulator`: for C, where products' exponents are sums of two. */
static inline void values_fill(uint32_t *words, unsigned count, enum value_type type, unsigned trial, bool accumulator,
                               struct value_random *r) {
    static const unsigned position_bits[] = {1, 4, 8, 16, 32, 64};
    if (type >= VALUE_POSITIONS_1) {
        values_of_positions(words, count, position_bits[type - VALUE_POSITIONS_1], trial);
    } else if (value_format_of(type)) {
        values_of_format(words, count, type, trial, accumulator, r);
    } else {
        for (unsigned i = 0; i < count; i++) {
            words[i] = (uint32_t)value_next(r);
            if (type == VALUE_s32) /* near zero, anything, near both ends */
                words[i] = trial % 4 == 0   ? words[i] % 1000
                           : trial % 4 == 1 ? words[i]
                           : trial % 4 == 2 ? 0x7fffffffu - words[i] % 10000
                                            : 0x80000000u + words[i] % 10000;
            else if (trial % 4 == 3) /* small operands and large ones, too */
                words[i] = i % 3 == 0 ? 0xffffffffu : i % 3 == 1 ? 0x7f7f7f7fu : 0x80808080u;
        }
    }
}

/* Of a case's name, and of its results: what files of recorded results have. */
static inline uint32_t hash_of(const char *s) {
    uint32_t h = 0x811c9dc5u;
    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * 0x01000193u;
    return h;
}

static inline uint64_t hash_words(const uint32_t *words, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ words[i]) * 0x100000001b3u;
    return h;
}

#endif
