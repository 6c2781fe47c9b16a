/* Which function of the program a host instruction belongs to. */
#ifndef HOST_FRAME_H
#define HOST_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds out where the program is loaded; call once before host_frame_name. */
void host_frame_prepare(void);

/* True when the instruction is in the program itself, not in a library. */
bool host_frame_is_program(uintptr_t pc);

/* The instruction of the program that called us, through whatever libraries; 0 when none is found. Not for signal
 * handlers. */
uintptr_t host_frame_caller(void);

/* The innermost instructions of the program, or of one of its libraries, that lead to us; zeros follow the last one.
 * Its libraries exclude this one, and those of the system or of a Python package. Not to be called with a lock held
 * that a library's constructor may need. */
#define HOST_CALLERS 4
struct host_callers {
    uintptr_t pc[HOST_CALLERS];
};
struct host_callers host_frame_callers(void);

/* The symbol that contains pc, read from the program's own file. Async-signal-safe. Returns NULL when it is unknown.
 * The name stays mapped. */
const char *host_frame_name(uintptr_t pc);

#endif
