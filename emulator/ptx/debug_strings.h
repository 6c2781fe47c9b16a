/* The names of inlined functions: .loc refers to them by a label in the section .debug_str, which follows the code. */
#ifndef DEBUG_STRINGS_H
#define DEBUG_STRINGS_H

#include "base/arena.h"
#include "ptx/lexer.h"
#include "ptx/ptx.h"

/* Reads the labelled byte strings of a section's body; where the locations name one of the labels, the string takes its
 * place. */
void debug_strings_read(struct arena *arena, struct lexer body, struct ptx_location *locations);

#endif
