/* The second tier: a kernel that runs long enough is turned into C, compiled by the host's compiler in the
 * background, kept in a cache on disk, and used from then on, in the middle of a launch too.
 *
 * EMULATOR_TIER=0 always interprets; 1 (the default) compiles kernels that run long; 2 compiles every kernel before its
 * first launch. EMULATOR_CACHE names the folder of the cache (else $XDG_CACHE_HOME/cuda-emulator or
 * ~/.cache/cuda-emulator), EMULATOR_CC the compiler; EMULATOR_TIER_DEBUG=1 prints the generated C and the compiler's
 * messages. Without a compiler everything is interpreted. A kernel has two compiled forms with independent lifetimes:
 * one of them counts what it executes, for launches that are counted. */
#ifndef TIER_H
#define TIER_H

#include <stdbool.h>

#include "machine/compiled.h"
#include "decode/module.h"
#include "tier/translate.h"

/* At the beginning of a launch, which is counted or not. */
void tier_launch(const struct kernel *kernel, bool counted);
/* A worker has interpreted the kernel for some time more. */
void tier_spent(const struct kernel *kernel, bool counted, uint64_t nanoseconds);

/* Compiles the file `source`, generated C, to a shared library within `limit` seconds, and removes it. `key` is for the
 * library's last line. There is no library when that fails. */
void tier_compile(const char *source, const char *library, const char *key, int limit);

#endif
