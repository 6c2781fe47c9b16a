/* A thread's stack, in its local memory: alloca, stacksave, stackrestore. */
#ifndef OPS_STACK_H
#define OPS_STACK_H

#include "machine/warp.h"

/* insn.kind: bits of addresses and sizes. op[0] = the address of op[1] bytes; insn.imm: what it must be a
 * multiple of */
const struct insn *op_alloca(struct warp *w, const struct insn *in);
const struct insn *op_stack_save(struct warp *w, const struct insn *in);    /* op[0] = the end of the stack */
const struct insn *op_stack_restore(struct warp *w, const struct insn *in); /* it ends at op[0] again */

#endif
