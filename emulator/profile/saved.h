/* A run's profile in a file, to compare a later run with: EMULATOR_PROFILE_SAVE=path writes it,
 * EMULATOR_PROFILE_BASE=path reads it.
 *
 * The file is text, a record per line, its fields separated by tabs:
 *
 *     cuda-emulator profile 1
 *     host     LAUNCHES  WAITS                   of the whole program
 *     kernel   NAME  LAUNCHES  GRID  BLOCK       of its largest launch
 *     count    NAME  VALUE                       ncu's names; of all launches of the kernel together
 *     line     FILE  NUMBER  TEXT                the source as it was: by its text the line is found again
 *     count    NAME  VALUE                       of that line
 *
 * A count that is 0 is left out. */
#ifndef SAVED_H
#define SAVED_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/launches.h"

#define SAVED_TEXT 200 /* of a source line; a longer one is cut */

struct saved_line {
    char *file, *text; /* "" where they are not known */
    uint32_t number;
    struct counts counts;
};

struct saved_kernel {
    char *name;
    uint64_t launches, most; /* instructions of its largest launch, while it is looked for */
    uint32_t grid[3], block[3];
    struct counts counts;
    struct saved_line *lines; /* by file and number */
    size_t line_count;
};

struct saved_run {
    uint64_t host_launches, host_waits;
    struct saved_kernel *kernels; /* in the order of their first launches */
    size_t kernel_count;
};

/* Of this process. Both live until it ends. */
struct saved_run *saved_now(const struct launch_profile *launches);
void saved_write(const struct saved_run *run, FILE *out);
/* NULL when the file cannot be read or has another format: *why states which. */
struct saved_run *saved_read(const char *path, const char **why);

#endif
