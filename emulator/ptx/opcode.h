/* The words of an opcode after its first: spaces, types, orders and other modifiers of an instruction. The instruction
 * itself is described by its row: isa/instruction.h. */
#ifndef OPCODE_H
#define OPCODE_H

#include "ptx/ptx.h"

/* True when the opcode has this modifier: opcode_has("ld.global.v4.f32", "v4"). */
bool opcode_has(const char *opcode, const char *modifier);
/* The last modifier that is a type: TYPE_F32 for "cvt.f32.s32"; n = 1 gives the one before it. */
enum ptx_type opcode_type(const char *opcode, int n);

#endif
