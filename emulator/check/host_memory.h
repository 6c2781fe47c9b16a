/* What the host does wrong with device memory: frees it twice, or never. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include "base/host_place.h"
#include "base/text.h"
#include "machine/kernel.h"
#include "memory/memory.h"

/* Adds "main() in x.cu:12", the program's function at that instruction, with the line where it was compiled with -g;
 * nothing when it is unknown. */
bool put_host_function(struct text *t, uintptr_t pc);

/* Its line, of which the file's name is in *place; zeros when it is unknown. */
struct source_position host_position(uintptr_t pc, struct host_place *place);

/* Adds which call made an allocation, and in which of the program's functions. */
void put_maker(struct text *t, const struct allocation *a);
/* The same as a sentence, with the address and the size. */
void put_made(struct text *t, const struct allocation *a);

/* A call that frees was given something else than a live allocation. Reported only when memcheck is on. */
void report_bad_free(const char *function, uint64_t address, enum memory_free_result why);

/* At the end of the program, or of a device's context: what is still allocated (device -1: on any). Reported when
 * leak is on. */
void report_leaks(int device);

#endif
