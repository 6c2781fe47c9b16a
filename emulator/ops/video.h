/* Video instructions with all of their options: parts of registers, saturation, masks, a second operation. The plain
 * ones have faster forms in video.c. */
#ifndef OPS_VIDEO_H
#define OPS_VIDEO_H

#include "machine/warp.h"

enum video_operation {
    VIDEO_OP_ADD,
    VIDEO_OP_SUB,
    VIDEO_OP_ABSDIFF,
    VIDEO_OP_MIN,
    VIDEO_OP_MAX,
    VIDEO_OP_AVRG,
    VIDEO_OP_SHL,
    VIDEO_OP_SHR,
    VIDEO_OP_SET,
    VIDEO_OP_MAD,
};
enum video_comparison { VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE, VIDEO_GT, VIDEO_GE };
enum video_second { VIDEO_NO_SECOND, VIDEO_SECOND_ADD, VIDEO_SECOND_MIN, VIDEO_SECOND_MAX, VIDEO_MERGE };

/* Which bits of a register: `bits` from bit `shift` on. */
struct video_part {
    uint8_t bits, shift;
};

/* The value of a part, extended by its sign. */
static inline int64_t video_part_of(uint32_t x, struct video_part p, bool is_signed) {
    uint32_t top = x >> p.shift << (32 - p.bits);
    return is_signed ? (int64_t)((int32_t)top >> (32 - p.bits)) : (int64_t)(top >> (32 - p.bits));
}

static inline bool video_compare(unsigned comparison, int64_t a, int64_t b) {
    switch (comparison) {
    case VIDEO_EQ:
        return a == b;
    case VIDEO_NE:
        return a != b;
    case VIDEO_LT:
        return a < b;
    case VIDEO_LE:
        return a <= b;
    case VIDEO_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* Any operation of two numbers. A shift's amount is modulo 32 where it wraps, at most 32 where it does not. */
static inline int64_t video_apply(unsigned operation, bool wraps, int64_t a, int64_t b) {
    uint32_t amount = (uint32_t)b, shift = wraps ? amount & 31 : amount > 32 ? 32 : amount;
    switch (operation) {
    case VIDEO_OP_ADD:
        return a + b;
    case VIDEO_OP_SUB:
        return a - b;
    case VIDEO_OP_ABSDIFF:
        return a > b ? a - b : b - a;
    case VIDEO_OP_MIN:
        return a < b ? a : b;
    case VIDEO_OP_MAX:
        return a > b ? a : b;
    case VIDEO_OP_AVRG: /* a half is rounded away from zero when positive, towards it when negative */
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_OP_SHL:
        return (int64_t)((uint64_t)a << shift);
    default:
        return a >> shift;
    }
}

/* To the range of a destination of this many bits. */
static inline int64_t video_saturate(int64_t x, unsigned bits, bool is_signed) {
    int64_t half = (int64_t)1 << (bits - 1), low = is_signed ? -half : 0, high = is_signed ? half - 1 : 2 * half - 1;
    return x < low ? low : x > high ? high : x;
}

struct video {
    uint8_t operation, comparison, second;
    uint8_t elements; /* 1; 2 or 4 of v*2 and v*4 */
    bool d_signed, a_signed, b_signed, saturates, wraps, plus_one;
    bool negative[3];               /* vmad: -a, -b, -c */
    uint8_t shift;                  /* vmad: 7, 15 */
    struct video_part a, b, d;      /* of the scalar ones */
    uint8_t a_parts[4], b_parts[4]; /* of the others: element k comes from this one of a's and then b's */
    uint8_t mask;                   /* and these elements of d are written */
};

/* insn.extra is a struct video. op[0] = op[1] ... op[2], and op[3] where there is a c */
/* The operation and the number of elements, by the first word of an opcode. */
bool video_read_operation(const char *opcode, struct video *v);

const struct insn *op_video(struct warp *w, const struct insn *in);

#endif
