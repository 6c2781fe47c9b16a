/* Random kernels: arithmetic of all kinds on a few registers, with guards, branches, loops, memory and barriers. Every thread
 * does something that depends on nothing but its own inputs, so that any way of executing it must give the same bits. */
#ifndef RANDOM_KERNEL_H
#define RANDOM_KERNEL_H

#include "plan.h"
#include "values.h"

#define RANDOM_WORDS 32 /* 64-bit words of input and of output of a thread */

/* Writes the kernel `name` to out (room bytes); returns its length. */
size_t random_kernel(const struct plan *plans, size_t plan_count, struct random *r, const char *name, char *out,
                     size_t room);
/* Values for the inputs of all threads. */
void random_inputs(struct random *r, uint64_t *inputs, size_t threads);

#endif
