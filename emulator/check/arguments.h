/* Which of a kernel's arguments leads to some memory, and what the student calls it. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdint.h>

#include "machine/grid.h"
#include "memory/memory.h"

struct pointer_argument {
    unsigned number;  /* from 1; 0: none, or two that are alike */
    char name[40];    /* empty: not known */
    uint64_t value;   /* the pointer */
    uint32_t element; /* bytes of what it points to; 0: not known */
};

/* The file that the kernel itself is in: that of the first line that was not inlined; NULL: not known. */
const char *arguments_file(const struct kernel *k);
/* The launch's argument of that number, from 1, if it is a pointer. */
struct pointer_argument argument_number(const struct launch *launch, unsigned number);
/* Which of the first 64 arguments lead to memory that is allocated: a bit for each. */
uint64_t arguments_that_lead(const struct launch *launch);

/* The pointer among the launch's arguments that leads to an address in or near the allocation: the last one before
 * it. */
struct pointer_argument argument_of(const struct launch *launch, const struct allocation *a, uint64_t address);

#endif
