/* Video instructions: v* on whole words, and v*2 and v*4 on the halves and bytes of a word.
 *
 * Rarely used, so one function per group reads its operation from insn.kind. Instructions that take a part of an
 * operand (%r1.b0), have a mask, saturate a word or are even rarer are in video_any.c. */
#include "ops/lanes.h"
#include "ops/video.h"

/* ---- insn.kind ---- */

enum {
    D_SIGNED = 8, /* the low three bits are an enum video_operation below VIDEO_OP_SET, or an enum video_comparison */
    A_SIGNED = 16,
    B_SIGNED = 32,
    SATURATE = 64,
    WRAP = 128,     /* of shifts: the amount modulo 32 */
    PLUS_ONE = 128, /* of vmad */
    ADD = 256,      /* the result is added to c */
};

static inline int64_t extend(uint32_t x, bool is_signed) {
    return is_signed ? (int64_t)(int32_t)x : (int64_t)x;
}

static inline int64_t apply(unsigned kind, int64_t a, int64_t b) {
    return video_apply(kind & 7, kind & WRAP, a, b);
}

/* ---- on words ---- */

static inline uint32_t on_words(unsigned kind, uint32_t a, uint32_t b, uint32_t c) {
    return (uint32_t)apply(kind, extend(a, kind & A_SIGNED), extend(b, kind & B_SIGNED)) + c;
}
static inline uint32_t compare_words(unsigned kind, uint32_t a, uint32_t b, uint32_t c) {
    return video_compare(kind & 7, extend(a, kind & A_SIGNED), extend(b, kind & B_SIGNED)) + c;
}

static const struct insn *video_words(struct warp *w, const struct insn *in) {
    const uint32_t *a = REG(const uint32_t, 1), *b = REG(const uint32_t, 2), *c = REG(const uint32_t, 3);
    WRITE_LANES(uint32_t, on_words(in->kind, a[l], b[l], in->kind & ADD ? c[l] : 0));
    return in + 1;
}
static const struct insn *video_set(struct warp *w, const struct insn *in) {
    const uint32_t *a = REG(const uint32_t, 1), *b = REG(const uint32_t, 2), *c = REG(const uint32_t, 3);
    WRITE_LANES(uint32_t, compare_words(in->kind, a[l], b[l], in->kind & ADD ? c[l] : 0));
    return in + 1;
}

/* vmad: the low 32 bits of a product and a sum are the same whatever the signs. */
TERNARY(video_mad, uint32_t, uint32_t, uint32_t, uint32_t, a[l] * b[l] + c[l] + !!(in->kind & PLUS_ONE))

/* ---- on halves and bytes ---- */

/* With .add, the parts are added up and to c; without, they make the word. */
static inline uint32_t on_parts(unsigned kind, unsigned bits, bool set, uint32_t a, uint32_t b, uint32_t c) {
    bool add = kind & ADD;
    uint32_t result = add ? c : 0, ones = (1u << bits) - 1;
    for (unsigned i = 0; i < 32 / bits; i++) {
        struct video_part part = {(uint8_t)bits, (uint8_t)(bits * i)};
        int64_t x = video_part_of(a, part, kind & A_SIGNED), y = video_part_of(b, part, kind & B_SIGNED);
        int64_t r = set ? video_compare(kind & 7, x, y) : apply(kind, x, y);
        if (kind & SATURATE)
            r = video_saturate(r, bits, kind & D_SIGNED);
        if (add)
            result += (uint32_t)r;
        else
            result |= ((uint32_t)r & ones) << bits * i;
    }
    return result;
}

TERNARY(video_halves, uint32_t, uint32_t, uint32_t, uint32_t, on_parts(in->kind, 16, false, a[l], b[l], c[l]))
TERNARY(video_bytes, uint32_t, uint32_t, uint32_t, uint32_t, on_parts(in->kind, 8, false, a[l], b[l], c[l]))
TERNARY(video_set_halves, uint32_t, uint32_t, uint32_t, uint32_t, on_parts(in->kind, 16, true, a[l], b[l], c[l]))
TERNARY(video_set_bytes, uint32_t, uint32_t, uint32_t, uint32_t, on_parts(in->kind, 8, true, a[l], b[l], c[l]))

/* ---- the table ---- */

/* For each combination of types: X(their spelling, their bits, and the arguments passed on) */
#define AB_TYPES(X, d, D, ...)                                                                                         \
    X(d ".u32.u32", D, __VA_ARGS__)                                                                                    \
    X(d ".u32.s32", (D) | B_SIGNED, __VA_ARGS__)                                                                       \
    X(d ".s32.u32", (D) | A_SIGNED, __VA_ARGS__) X(d ".s32.s32", (D) | A_SIGNED | B_SIGNED, __VA_ARGS__)
#define TYPES(X, ...) AB_TYPES(X, ".u32", 0, __VA_ARGS__) AB_TYPES(X, ".s32", D_SIGNED, __VA_ARGS__)

#define WITH_ADD(name, run, kind) {name, "www", run, 0, kind}, {name ".add", "wwww", run, 0, (kind) | ADD},

#define WORDS(types, bits, name, operation) WITH_ADD(name types, video_words, (bits) | (operation))

#define SHIFTS(name, operation, types, bits)                                                                           \
    WITH_ADD(name types ".clamp", video_words, (operation) | (bits))                                                   \
    WITH_ADD(name types ".wrap", video_words, (operation) | (bits) | WRAP)
#define SHIFT_TYPES(name, operation)                                                                                   \
    SHIFTS(name, operation, ".u32.u32.u32", 0)                                                                         \
    SHIFTS(name, operation, ".u32.s32.u32", A_SIGNED)                                                                  \
    SHIFTS(name, operation, ".s32.u32.u32", D_SIGNED) SHIFTS(name, operation, ".s32.s32.u32", D_SIGNED | A_SIGNED)

#define MAD(types, bits, name)                                                                                         \
    {name types, "wwww", video_mad, 0, bits}, {name types ".po", "wwww", video_mad, 0, (bits) | PLUS_ONE},

#define COMPARISONS(X, types, bits, ...)                                                                               \
    X(types ".eq", (bits) | VIDEO_EQ, __VA_ARGS__)                                                                     \
    X(types ".ne", (bits) | VIDEO_NE, __VA_ARGS__)                                                                     \
    X(types ".lt", (bits) | VIDEO_LT, __VA_ARGS__)                                                                     \
    X(types ".le", (bits) | VIDEO_LE, __VA_ARGS__)                                                                     \
    X(types ".gt", (bits) | VIDEO_GT, __VA_ARGS__) X(types ".ge", (bits) | VIDEO_GE, __VA_ARGS__)
#define SET(spelling, bits, name)    WITH_ADD(name spelling, video_set, bits)
#define SET_TYPES(types, bits, name) COMPARISONS(SET, types, bits, name)

#define PARTS(types, bits, name, run, operation)                                                                       \
    {name types, "wwww", run, 0, (bits) | (operation)},                                                                \
        {name types ".sat", "wwww", run, 0, (bits) | (operation) | SATURATE},                                          \
        {name types ".add", "wwww", run, 0, (bits) | (operation) | ADD},
#define SET_PARTS(spelling, bits, name, run)                                                                           \
    {name spelling, "wwww", run, 0, (bits)}, {name spelling ".add", "wwww", run, 0, (bits) | ADD},
#define SET_PARTS_TYPES(types, bits, name, run) COMPARISONS(SET_PARTS, types, bits, name, run)

/* clang-format off */
const struct form forms_video[] = {
    TYPES(WORDS, "vadd", VIDEO_OP_ADD) TYPES(WORDS, "vsub", VIDEO_OP_SUB) TYPES(WORDS, "vabsdiff", VIDEO_OP_ABSDIFF)
    TYPES(WORDS, "vmin", VIDEO_OP_MIN) TYPES(WORDS, "vmax", VIDEO_OP_MAX)
    SHIFT_TYPES("vshl", VIDEO_OP_SHL) SHIFT_TYPES("vshr", VIDEO_OP_SHR)
    TYPES(MAD, "vmad")
    AB_TYPES(SET_TYPES, "", 0, "vset")
    TYPES(PARTS, "vadd2", video_halves, VIDEO_OP_ADD) TYPES(PARTS, "vadd4", video_bytes, VIDEO_OP_ADD)
    TYPES(PARTS, "vsub2", video_halves, VIDEO_OP_SUB) TYPES(PARTS, "vsub4", video_bytes, VIDEO_OP_SUB)
    TYPES(PARTS, "vavrg2", video_halves, VIDEO_OP_AVRG) TYPES(PARTS, "vavrg4", video_bytes, VIDEO_OP_AVRG)
    TYPES(PARTS, "vabsdiff2", video_halves, VIDEO_OP_ABSDIFF) TYPES(PARTS, "vabsdiff4", video_bytes, VIDEO_OP_ABSDIFF)
    TYPES(PARTS, "vmin2", video_halves, VIDEO_OP_MIN) TYPES(PARTS, "vmin4", video_bytes, VIDEO_OP_MIN)
    TYPES(PARTS, "vmax2", video_halves, VIDEO_OP_MAX) TYPES(PARTS, "vmax4", video_bytes, VIDEO_OP_MAX)
    AB_TYPES(SET_PARTS_TYPES, "", 0, "vset2", video_set_halves)
    AB_TYPES(SET_PARTS_TYPES, "", 0, "vset4", video_set_bytes)
    {0},
};
/* clang-format on */
