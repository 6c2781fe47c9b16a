/* What each operation does beside computing: isa/effect.h. */
#ifndef EFFECTS_H
#define EFFECTS_H

#include "machine/insn.h"

/* EFFECT_NONE for those of the tables of forms, and for all others that only compute. What accesses memory lane by lane
 * has many operations: decode/decode_memory.c says itself what they do. */
enum effect operation_effect(handler_fn handler);

#endif
