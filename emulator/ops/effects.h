/* The effects of each operation besides computing: isa/effect.h. */
#ifndef EFFECTS_H
#define EFFECTS_H

#include "machine/insn.h"

/* EFFECT_NONE for those of the tables of forms, and for all others that only compute. Memory accesses lane by lane have
 * many operations: decode/decode_memory.c sets their effects itself. */
enum effect operation_effect(handler_fn handler);

#endif
