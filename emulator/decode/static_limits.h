/* Limits that ptxas enforces for any GPU, with a message when nvcc builds a program for one. Without a GPU nvcc makes
 * PTX alone and ptxas never runs: then the emulator refuses the program, in ptxas's words. */
#ifndef STATIC_LIMITS_H
#define STATIC_LIMITS_H

#include "decode/module.h"

#define LIMITS_WORDS "ptxas error   : " /* the beginning of the messages */

/* 75 for sm_75: the target of a text; 0 where it states none. */
unsigned limits_target_arch(const struct ptx_module *m);
/* False, with one line in error, if a text is for newer devices than those of this capability (90: 9.0). */
bool limits_targets(const struct ptx_module *first, unsigned capability, char *error, size_t size);
/* Bytes of the variables in constant memory, in all linked modules: each kernel's constant bank holds all of them. */
uint64_t limits_constant_bytes(const struct ptx_module *first);
/* False, with one line in error, if they are too many. */
bool limits_constants(const struct ptx_module *first, char *error, size_t size);
/* A kernel's static shared memory, with that of the functions it calls, and its parameters. */
bool limits_kernel(struct kernel *kernel, struct ptx_module *first, char *error, size_t size);

#endif
