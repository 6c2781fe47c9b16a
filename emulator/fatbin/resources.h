/* How many registers a thread of a kernel needs, and how much of its stack a function: ptxas decides that, so it is
 * read from ptxas's output. */
#ifndef RESOURCES_H
#define RESOURCES_H

#include <stdbool.h>
#include <stddef.h>

struct kernel_registers {
    unsigned count;                 /* per thread */
    unsigned arch;                  /* 90 for sm_90 */
    bool from_program;              /* from machine code in the executable; else from ptxas */
    long spill_stores, spill_loads; /* bytes; -1: unknown */
};

/* Notes the images of the executable. */
void resources_note_ptx(const char *text, size_t length);
void resources_note_machine_code(const void *elf, size_t size, unsigned arch);

/* By the name in PTX. False when there is neither machine code nor ptxas. */
bool resources_registers(const char *kernel, struct kernel_registers *out);
/* The same; but ptxas is run for this kernel alone, which is quicker where few of a program's kernels are queried. */
bool resources_registers_of_one(const char *kernel, struct kernel_registers *out);
/* Bytes of the stack that a call of a function takes; 0: not known. */
unsigned resources_frame(const char *function);

#endif
