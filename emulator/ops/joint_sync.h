/* Lanes that come to one *_sync function at different places of the program: the two sides of a branch, copies of a loop that the
 * compiler has unrolled. They execute it together all the same (PTX ISA, shfl.sync: "... have executed shfl.sync with the same
 * qualifiers and same membermask"). bar.warp.sync, which moves no values, sees to itself. */
#ifndef JOINT_SYNC_H
#define JOINT_SYNC_H

#include "machine/warp.h"

/* The lanes that execute now and those that wait for them at instructions like this one. 0 while somebody is missing whom one of them
 * names; operand k is the member mask. */
uint32_t joint_lanes(const struct warp *w, const struct insn *in, unsigned k);
/* Executes the operation for all of these lanes. Returns the next instruction of the warp. */
const struct insn *joint_execute(struct warp *w, const struct insn *in, uint32_t lanes);

#endif
