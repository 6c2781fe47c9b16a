/* Interesting values of each kind of operand: see values.h. */
#include "values.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* The first 7 are crossed for three operands, the first 18 for two, all are used for one. */
static const uint32_t
    edges_f32
        [] =
            {
                0x00000000, 0xff800000, 0x3f800000, 0x7fd12345, 0x807fffff, 0x7f7fffff,
                0xbf800000, /* 0 -inf 1 NaN -subnormal max -1 */
                0x80000000, 0x7f800000, 0x00000001, 0xff800001, 0x00800000, 0x80800000,
                0xff7fffff, 0x3f800001, 0xbfc00000, 0x7fffffff, 0x40400000, /* 18 */
                0x7fc00000, 0xffc00000, 0x7f800001, 0x7fa00000, 0xffffffff, 0x007fffff,
                0x80000001, 0x3f000000, 0xbf000000, 0x3effffff, 0x3f000001, 0x3fc00000,
                0x40200000, 0xc0200000, 0x40600000, 0x3fffffff, 0x7e800000, 0x7effffff,
                0x42fe0000, 0x42ff0000, 0x43000000, 0xc3008000, 0xc3010000, 0x437f0000,
                0x437f8000, 0x43800000, /* 8 bits */
                0x46fffe00, 0x46ffff00, 0x47000000, 0xc7000080, 0xc7000100, 0x477fff00,
                0x477fff80, 0x47800000,                                                 /* 16 bits */
                0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, /* 32 bits */
                0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff, 0x5f800000, /* 64 bits */
                0x477fe000, 0x477fefff, 0x477ff000, 0x33800000, 0x33000000, 0x33000001,
                0x32ffffff, 0x38800000, /* to f16 */
                0x387fe000, 0x387fc000, 0x387ff000, 0x3f801000, 0x3f803000, 0x3f801001,
                0xbf801000, 0xc77ff000, 0x3f808000, 0x3f818000, 0x3f808001, 0x3f807fff,
                0x7f7f8000, 0x7f7f7fff, 0xff7f8000, 0x00008000, 0x00018000, /* to bf16 */
                0x43e00000, 0x43e80000, 0x43e80001, 0x43f00000, 0x3b000000, 0x3a800000,
                0x3a800001, 0xc3f00000, /* to e4m3 */
                0x47600000, 0x47680000, 0x47700000, 0x37800000, 0x37000000, 0x37000001,
                0xc7700000, /* to e5m2 */
                0x4b000001, 0x4affffff, 0x4afffffe, 0xcb000001, 0x4b7fffff, 0x4b800000,
                0x4b800001, /* around 2^23 */
                0x3fc90fdb, 0x40490fdb, 0xc0490fda, 0x40c90fdb, 0x42c80000, 0x47c35000,
                0x3e800000, 0x42b17218, 0xc2b17218, 0xc2fc0000, 0xc3150000, 0xc3168000,
                0x43160000, 0x00400000, 0x00200000, 0x80400000, 0x3eaaaaab, 0x40000000,
};
static const uint64_t edges_f64[] = {
    0x0000000000000000, 0xfff0000000000000, 0x3ff0000000000000, 0x7ffc123456789abc, 0x800fffffffffffff,
    0x7fefffffffffffff, 0xbff0000000000000, /* 7 */
    0x8000000000000000, 0x7ff0000000000000, 0x0000000000000001, 0xfff0000000000001, 0x0010000000000000,
    0x8010000000000000, 0xffefffffffffffff, 0x3ff0000000000001, 0xbff8000000000000, 0x7fffffffffffffff,
    0x4008000000000000, /* 18 */
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7ff4000000000000, 0xffffffffffffffff,
    0xfff8abcdef012345, 0x000fffffffffffff, 0x8000000000000001, 0x3fe0000000000000, 0xbfe0000000000000,
    0x3fdfffffffffffff, 0x3fe0000000000001, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
    0x400c000000000000, 0x7fe0000000000000, 0x7fcfffffffffffff, /* rounding to integers */
    0x405fe00000000000, 0x4060000000000000, 0xc060100000000000, 0xc060200000000000, 0x406ff00000000000, /* 8 bits */
    0x40dfffe000000000, 0x40e0000000000000, 0xc0e0001000000000, 0x40effff000000000, 0x40f0000000000000, /* 16 bits */
    0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000100000,
    0xc1e0000000200000, 0x41efffffffe00000, 0x41effffffff00000, 0x41f0000000000000, /* 32 bits */
    0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001, 0x43efffffffffffff,
    0x43f0000000000000, /* 64 bits */
    0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0000010000001, 0x3ff000000fffffff, 0xbff0000010000000,
    0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0xc7effffff0000000, 0x47f0000000000000,
    0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x368fffffffffffff, 0xb690000000000000,
    0x3810000000000000, 0x380fffffe0000000, 0x380ffffff0000000, 0x380fffffc0000000, 0x380fffffd0000000, /* to f32 */
    0x40effc0000000000, 0x40effdffffffffff, 0x40effe0000000000, 0x3e70000000000000, 0x3e60000000000000,
    0x3e60000000000001, 0x3f10000000000000, 0x3ff0020000000000, 0x3ff0060000000000, 0xbff0020000000001, /* to f16 */
    0x3ff0100000000000, 0x3ff0300000000000,                                                             /* to bf16 */
    0x432fffffffffffff, 0x4330000000000001, 0x4340000000000000, 0x4340000000000001, 0xc330000000000001,
    0x400921fb54442d18, 0x4000000000000000, 0x0008000000000000, 0x3fd5555555555555, 0x7fd0000000000000,
    0x0020000000000000, 0x8008000000000000, 0x0340000000000000, 0x7cb0000000000000,
};
static const uint16_t edges_f16[] = {
    0x0000, 0xfc00, 0x3c00, 0x7e55, 0x83ff, 0x7bff, 0xbc00,                                 /* 7 */
    0x8000, 0x7c00, 0x0001, 0xfc01, 0x0400, 0x8400, 0xfbff, 0x3c01, 0xbe00, 0x7fff, 0x4200, /* 18 */
    0x7e00, 0xfe00, 0x7c01, 0x7d00, 0xffff, 0x03ff, 0x8001, 0x3800, 0xb800, 0x37ff, 0x3801, 0x3e00, 0x4100,
    0xc100, 0x4300, 0x57f8, 0x57fc, 0x5800, 0xd804, 0xd808, 0x5bf8, 0x5bfc, 0x5c00, 0x77ff, 0x7800, 0xf800,
    0xf801, 0x6400, 0x6401, 0x63ff, 0x6800, 0x6801, 0x5f00, 0x5f40, 0x5f80, 0x1800, 0x1400, 0x1401, 0x7b00,
    0x7b40, 0x7b80, 0x0200, 0x4248, 0x3e48, 0xc248, 0x4000, 0x3555, 0x5640, 0x0100, 0xcc00, 0x4c00, 0x2c00,
};
static const uint16_t edges_bf16[] = {
    0x0000, 0xff80, 0x3f80, 0x7fd5, 0x807f, 0x7f7f, 0xbf80,                                 /* 7 */
    0x8000, 0x7f80, 0x0001, 0xff81, 0x0080, 0x8080, 0xff7f, 0x3f81, 0xbfc0, 0x7fff, 0x4040, /* 18 */
    0x7fc0, 0xffc0, 0x7f81, 0x7fa0, 0xffff, 0x007f, 0x8001, 0x3f00, 0xbf00, 0x3eff, 0x3f01, 0x3fc0, 0x4020,
    0xc020, 0x42fe, 0x42ff, 0x4300, 0xc301, 0x437f, 0x4380, 0x46ff, 0x4700, 0xc700, 0xc701, 0x477f, 0x4780,
    0x4eff, 0x4f00, 0xcf00, 0xcf01, 0x4f7f, 0x4f80, 0x5eff, 0x5f00, 0xdf00, 0xdf01, 0x5f7f, 0x5f80, 0x4049,
    0x3fc9, 0xc049, 0x4000, 0x3eab, 0x42c8, 0x0040, 0xc2fc, 0xc316, 0x4316, 0x7e80,
};
static const uint64_t edges_int[] = {
    /* signed values of 64 bits; narrower operands take the low bits */
    0,
    UINT64_MAX,
    1,
    0x8000000000000000,
    0x7fffffffffffffff,
    0x80000000,
    0x7fffffff, /* 7 */
    2,
    0xfffffffffffffffe,
    0x8000,
    0x7fff,
    0xff,
    0x80,
    0xffff,
    0xffffffff,
    31,
    0x0123456789abcdef,
    1000003, /* 18 */
    0x8000000000000001,
    0xffffffff80000000,
    0xffffffff7fffffff,
    0x80000001,
    0x100000000,
    0xffff8000,
    0xffffffffffff7fff,
    0xffffff80,
    0xffffffffffffff7f,
    0x7f,
    0x81,
    0x100,
    0x10000,
    0x8001,
    3,
    7,
    16,
    32,
    33,
    63,
    64,
    0x5555555555555555,
    0xaaaaaaaaaaaaaaaa,
    0xff00ff00ff00ff00,
    0x00ff00ff00ff00ff,
    0x7f807f807f807f80,
    0x80808080,
    0x7f7f7f7f,
    0x1000000,
    0x800000,
    0x7fffff,
    0xffffff,
    0x1000001,
    0x1fffffffffffff,
    0x20000000000001,
    0x20000000000003,
    0x3fffffff80000000,
    0x7fffffffffffffc0,
    0xfffffffffffffc00,
    0xfffffffffffffbff,
    0x7ffffe00,
    0x7fffffbf,
    0x7fffffc0,
    0xffffff7f,
    0xfffffffe,
    0x55555555,
    0xaaaaaaaa,
    0x7654321076543210,
    0x3210,
    0x4567,
    0xfedc,
    0xffe0,
    0x7ff0,
    0x801,
    0x803,
    0x7fe,
    2047,
    2049,
    4097,
    65519,
    65520,
    0x40000000,
    0xc0000000,
    10,
    100,
    0xdeadbeef,
    0xdeadbeefcafef00d,
};
static const uint64_t edges_shift[] = {
    0,          1,          31, 32, 33, 64, 0xffffffff, 63, 65, 127, 128, 255, 256, 257,     287,     288,        16,
    0x80000000, 0x80000001, 15, 17, 8,  7,  24,         48, 30, 62,  47,  2,   96,  0x10000, 0x10001, 0xffffffe0, 0x20};
static const uint64_t edges_field[] = {0,  1,  31, 32, 8,  64, 255, 33, 63,  65,  7,   16,  24, 128, 12,
                                       40, 30, 62, 48, 56, 2,  17,  96, 127, 254, 224, 192, 15, 4};

uint64_t random_next(struct random *r) { /* splitmix64 */
    uint64_t z = r->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

size_t value_edge_count(enum value_kind kind) {
    switch (kind) {
    case VALUE_F16:
    case VALUE_F16X2:
        return COUNT(edges_f16);
    case VALUE_BF16:
    case VALUE_BF16X2:
        return COUNT(edges_bf16);
    case VALUE_F32:
        return COUNT(edges_f32);
    case VALUE_F64:
        return COUNT(edges_f64);
    case VALUE_SHIFT:
        return COUNT(edges_shift);
    case VALUE_FIELD:
        return COUNT(edges_field);
    default:
        return COUNT(edges_int);
    }
}

uint64_t value_edge(enum value_kind kind, size_t i) {
    i %= value_edge_count(kind);
    switch (kind) {
    case VALUE_F16:
        return edges_f16[i];
    case VALUE_BF16:
        return edges_bf16[i];
    case VALUE_F16X2:
        return edges_f16[i] | (uint64_t)edges_f16[(7 * i + 3) % COUNT(edges_f16)] << 16;
    case VALUE_BF16X2:
        return edges_bf16[i] | (uint64_t)edges_bf16[(7 * i + 3) % COUNT(edges_bf16)] << 16;
    case VALUE_F32:
        return edges_f32[i];
    case VALUE_F64:
        return edges_f64[i];
    case VALUE_SHIFT:
        return edges_shift[i];
    case VALUE_FIELD:
        return edges_field[i];
    case VALUE_INT16:
        return edges_int[i] & 0xffff;
    case VALUE_INT32: /* every other value of more than 32 bits shows its upper half */
        return (uint32_t)((i & 1) && edges_int[i] >> 32 ? edges_int[i] >> 32 : edges_int[i]);
    case VALUE_LANES:
        return 0xffffffff;
    case VALUE_PRED:
        return i & 1;
    default:
        return edges_int[i];
    }
}

uint64_t value_random(enum value_kind kind, struct random *r) {
    uint64_t bits = random_next(r);
    switch (kind) {
    case VALUE_PRED:
        return bits & 1;
    case VALUE_F16:
    case VALUE_BF16:
    case VALUE_INT16:
        return bits & 0xffff;
    case VALUE_F16X2:
    case VALUE_BF16X2:
    case VALUE_F32:
    case VALUE_INT32:
        return bits & 0xffffffff;
    case VALUE_SHIFT:
        return (bits >> 32) % 72;
    case VALUE_FIELD:
        return (bits >> 32) % ((bits & 3) ? 66 : 256);
    case VALUE_LANES:
        return 0xffffffff;
    default:
        return bits;
    }
}

/* A float with random sign and fraction and an exponent within `spread` of that of 1. */
static uint64_t near_one(uint64_t bits, int fraction_bits, int bias, int spread) {
    uint64_t exponent = (uint64_t)(bias - spread) + (bits >> 54) % (uint64_t)(2 * spread + 1);
    uint64_t fraction = bits & ((1ull << fraction_bits) - 1);
    if ((bits >> 53) & 1) /* few significant bits: exact results and ties */
        fraction &= ~0ull << (fraction_bits / 2);
    int sign_bit = fraction_bits + (bias == 15 ? 5 : bias == 127 ? 8 : 11);
    return fraction | exponent << fraction_bits | (bits >> 52 & 1) << sign_bit;
}

static uint64_t any_length(uint64_t bits, struct random *r, int width) {
    uint64_t length = random_next(r) % (uint64_t)width;
    uint64_t value = bits >> (63 - length);
    if (random_next(r) & 1)
        value = -value;
    return width == 64 ? value : value & ((1ull << width) - 1);
}

uint64_t value_everyday(enum value_kind kind, struct random *r) {
    uint64_t bits = random_next(r);
    switch (kind) {
    case VALUE_F16:
        return near_one(bits, 10, 15, 6);
    case VALUE_BF16:
        return near_one(bits, 7, 127, 6);
    case VALUE_F16X2:
        return near_one(bits, 10, 15, 6) | near_one(random_next(r), 10, 15, 6) << 16;
    case VALUE_BF16X2:
        return near_one(bits, 7, 127, 6) | near_one(random_next(r), 7, 127, 6) << 16;
    case VALUE_F32:
        return near_one(bits, 23, 127, 24);
    case VALUE_F64:
        return near_one(bits, 52, 1023, 50);
    case VALUE_INT16:
        return any_length(bits, r, 16);
    case VALUE_INT32:
        return any_length(bits, r, 32);
    case VALUE_INT64:
    case VALUE_INT128:
        return any_length(bits, r, 64);
    default:
        return value_random(kind, r);
    }
}

uint64_t value_near(enum value_kind kind, uint64_t other, struct random *r) {
    static const uint64_t signs[] = {
        [VALUE_F16] = 0x8000,   [VALUE_BF16] = 0x8000,    [VALUE_F16X2] = 0x80008000, [VALUE_BF16X2] = 0x80008000,
        [VALUE_F32] = 1u << 31, [VALUE_F64] = 1ull << 63, [VALUE_INT16] = 0,          [VALUE_INT32] = 0};
    uint64_t sign = kind < COUNT(signs) ? signs[kind] : 0;
    uint64_t choice = random_next(r), value;
    switch (choice % 6) {
    case 0:
        value = other;
        break;
    case 1:
        value = other + 1;
        break;
    case 2:
        value = other - 1;
        break;
    case 3: /* the negative */
        value = sign ? other ^ sign : -other;
        break;
    case 4: /* the negative of a neighbour */
        value = sign ? (other ^ sign) + 1 : -other - 1;
        break;
    default:
        value = other ^ (choice >> 32 & 0xff);
    }
    if (kind == VALUE_INT16 || kind == VALUE_F16 || kind == VALUE_BF16)
        return value & 0xffff;
    if (kind == VALUE_FIELD)
        return value & 0xff;
    if (kind == VALUE_LANES || kind == VALUE_PRED)
        return value_random(kind, r);
    return kind == VALUE_INT64 || kind == VALUE_INT128 || kind == VALUE_F64 ? value : value & 0xffffffff;
}

uint64_t value_cancelling(enum value_kind kind, uint64_t a, uint64_t b, struct random *r) {
    if (kind == VALUE_F32) {
        uint32_t a32 = (uint32_t)a, b32 = (uint32_t)b, bits;
        float x, y, z;
        memcpy(&x, &a32, 4);
        memcpy(&y, &b32, 4);
        z = -(x * y);
        memcpy(&bits, &z, 4);
        return z == z ? bits : 0x7fc12345; /* which NaN a host makes is up to its compiler */
    }
    if (kind == VALUE_F64) {
        double x, y, z;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        z = -(x * y);
        memcpy(&a, &z, 8);
        return z == z ? a : 0x7ff8123456789abc;
    }
    return value_everyday(kind, r);
}
