/* Matches an earlier run with this one, though the source was edited in between: kernels by their names, lines by their
 * text. */
#ifndef MATCHING_H
#define MATCHING_H

#include "profile/saved.h"

struct kernel_pair {
    const struct saved_kernel *before, *after; /* NULL: there is none */
};

struct line_pair {
    const struct saved_line *before, *after;
    bool edited; /* the text differs, a little */
};

/* In the order of `after`, then the removed ones. The caller frees both. */
struct kernel_pair *match_kernels(const struct saved_run *before, const struct saved_run *after, size_t *count);
struct line_pair *match_lines(const struct saved_kernel *before, const struct saved_kernel *after, size_t *count);

#endif
