/* What ptxas refuses for any GPU, and says so when nvcc builds a program for one. Without a GPU nvcc makes PTX alone
 * and ptxas is never asked: then the emulator refuses it, in ptxas's words. */
#ifndef STATIC_LIMITS_H
#define STATIC_LIMITS_H

#include "decode/module.h"

#define LIMITS_WORDS "ptxas error   : " /* that the messages begin with */

/* 75 for sm_75: what a text was compiled for; 0 where it does not say. */
unsigned limits_target_arch(const struct ptx_module *m);
/* False, with one line in error, if a text is for newer devices than those of this capability (90: 9.0). */
bool limits_targets(const struct ptx_module *first, unsigned capability, char *error, size_t size);
/* Bytes of the variables in constant memory, of all that is linked: each kernel's constant bank holds all of them. */
uint64_t limits_constant_bytes(const struct ptx_module *first);
/* False, with one line in error, if they are too many. */
bool limits_constants(const struct ptx_module *first, char *error, size_t size);
/* A kernel's static shared memory, with that of the functions it calls, and its parameters. */
bool limits_kernel(struct kernel *kernel, struct ptx_module *first, char *error, size_t size);

#endif
