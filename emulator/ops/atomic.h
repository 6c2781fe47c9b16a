/* atom and red. */
#ifndef OPS_ATOMIC_H
#define OPS_ATOMIC_H

#include <stdbool.h>

#include "machine/access.h"

/* Fills operation, type, bytes and count of an access from the words of an opcode like
 * "atom.global.relaxed.gpu.add.f32", all but its first; `result`: of one that returns the old value. False when there
 * is no such instruction. */
bool atomic_operation(const char *opcode, bool result, struct access *access);

/* Does an access's operation on n elements in memory, with as many operands: cp.reduce. */
void atomic_apply(const struct access *access, uint8_t *at, const uint8_t *operands, uint32_t n);

const struct insn *op_atomic(struct warp *w, const struct insn *in);

#endif
