/* Video instructions with all that they can have: parts of registers, saturation, masks, a second operation. The plain ones have
 * faster forms in video.c. */
#ifndef OPS_VIDEO_H
#define OPS_VIDEO_H

#include "core/warp.h"

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
const struct insn *op_video(struct warp *w, const struct insn *in);

#endif
