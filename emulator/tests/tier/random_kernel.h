/* Random kernels: arithmetic of all kinds on a few registers, with predicates, branches, loops, memory and barriers. Every thread
 * does something that depends on nothing but its own inputs, so that any way of executing it must give the same bits. */
#ifndef RANDOM_KERNEL_H
#define RANDOM_KERNEL_H

#include "plan.h"
#include "values.h"

#define RANDOM_WORDS 32 /* 64-bit words of input and of output of a thread */
#define RANDOM_ROWS  4  /* behind the outputs: as many rows of a word for each thread, side by side */

/* Writes the kernel `name`, for so many threads in all and in a block, to out (room bytes); returns its length. Every statement is a
 * line of its own of "file 1". */
struct random_shape {
    unsigned threads, block;
};
size_t random_kernel(const struct plan *plans, size_t plan_count, struct random *r, struct random_shape shape,
                     const char *name, char *out, size_t room);
/* Values for the inputs of all threads. */
void random_inputs(struct random *r, uint64_t *inputs, size_t threads);

#endif
