/* A kernel as generated C, for the second tier. */
#ifndef TRANSLATE_H
#define TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/compiled.h"
#include "decode/module.h"
#include "machine/warp.h"

/* The name of the compiled function, a tier_kernel. */
#define TIER_ENTRY "tier_kernel_run"

/* The generated C of a kernel, to be compiled after tier_prelude; the caller frees it. counted: one that counts what it
 * executes. */
char *tier_translate(const struct kernel *kernel, bool counted);

/* The operations in C (tier/lane_operations.c, preprocessed), ended by a 0. */
extern const char tier_prelude[];

#endif
