/* Video instructions. */
#ifndef DECODE_VIDEO_H
#define DECODE_VIDEO_H

#include "decode/decode.h"

/* False for those that the tables of forms have. */
bool decode_video(struct decoder *d, const struct ptx_insn *p);

#endif
