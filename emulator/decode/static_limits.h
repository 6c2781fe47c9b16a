/* What ptxas refuses for any GPU, and says so when nvcc builds a program for one. Without a GPU nvcc makes PTX alone and ptxas is never
 * asked: then the emulator refuses it, in ptxas's words. */
#ifndef STATIC_LIMITS_H
#define STATIC_LIMITS_H

#include "decode/module.h"

#define LIMITS_WORDS "ptxas error   : " /* that the messages begin with */

/* Variables in constant memory, of all that is linked. False with one line in error. */
bool limits_constants(const struct ptx_module *first, char *error, size_t size);
/* A kernel's static shared memory, with that of the functions it calls, and its parameters. */
bool limits_kernel(struct kernel *kernel, struct ptx_module *first, char *error, size_t size);

#endif
