/* Instructions that need not be executed because their result is known before the warp starts. */
#ifndef FOLD_H
#define FOLD_H

#include "decode/decode.h"

/* Finds the registers of a function that have a single definition, which is a constant: a kernel's parameter, %tid, an
 * immediate, the address of a variable. Such a register's slot becomes the constant's, and the instruction disappears:
 * sets ptx_insn.folded and ptx_register.constant. */
void fold_constants(struct decoder *d, const struct ptx_function *f);

#endif
