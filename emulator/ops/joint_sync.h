/* A *_sync function executed together by warp splits at different places of the program: the two sides of a branch,
 * copies of a loop that the compiler has unrolled (PTX ISA, shfl.sync: "... have executed shfl.sync with the same
 * qualifiers and same membermask"). bar.warp.sync, which moves no values, needs none of this. */
#ifndef JOINT_SYNC_H
#define JOINT_SYNC_H

#include "machine/warp.h"

/* The active lanes and those that wait for them at instructions like this one. 0: a lane that one of them names is
 * missing. Operand k is the member mask. */
uint32_t joint_lanes(const struct warp *w, const struct insn *in, unsigned k);
/* Executes the instruction for all of these lanes. Returns the next instruction of the warp. */
const struct insn *joint_execute(struct warp *w, const struct insn *in, uint32_t lanes);

#endif
