/* Where in a program's source a host instruction is, for reports: its function, and its line where it was compiled
 * with -g. */
#ifndef HOST_PLACE_H
#define HOST_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct host_place {
    char function[512]; /* as the linker has it; empty: not known */
    char file[512];
    uint32_t line; /* 0: not known */
};

/* Of the program or of any library. False when nothing is known. Not for signal handlers. */
bool host_place_find(uintptr_t pc, struct host_place *out);

#endif
