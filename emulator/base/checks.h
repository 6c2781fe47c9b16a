/* Which checks are on: EMULATOR_CHECK=memcheck,racecheck,synccheck,initcheck,leak,unused,strict,approx or all, read
 * once. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdbool.h>

/* Accesses out of bounds, lost lanes and barriers that never open are always found, whether requested or not. */
enum check {
    CHECK_MEMORY = 1, /* also: shared arrays that are different variables, unequal frees */
    CHECK_RACE = 2,   /* unordered accesses */
    CHECK_SYNC = 4,   /* also: masks and counts that happen to work */
    CHECK_INIT = 8,   /* reads of memory that was never written */
    CHECK_LEAK = 16,  /* memory that is still allocated when the program ends */
    /* not in `all`: */
    CHECK_SLOW = 128,   /* every access takes the slow path, for comparison with the fast path */
    CHECK_STRICT = 32,  /* a race within a warp is an error although its lanes ran together, not a warning */
    CHECK_UNUSED = 64,  /* memory that is allocated and never written */
    CHECK_APPROX = 256, /* approximate instructions are as inexact as their manual allows: ops/inexact.h */
};

/* The bits of the checks that are on. */
unsigned checks_on(void);
static inline bool check_is_on(enum check check) {
    return (checks_on() & (unsigned)check) != 0;
}

/* EMULATOR_ON_ERROR=kernel: a kernel with an error ends, and the program continues as if there had been none
 * (compute-sanitizer's --destroy-on-device-error kernel). */
bool checks_go_on(void);

/* EMULATOR_ERROR_EXITCODE: the status with which the program ends when something was found; 0: the program's own. */
int checks_exit_code(void);

#endif
