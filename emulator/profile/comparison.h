/* Two runs side by side: the requests of each kernel and each line before and now. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "profile/saved.h"

/* `from`: the name of the earlier run; all: `after` has all kernels, so a kernel that only `before` has was removed. */
void compare_runs(FILE *out, const char *from, const struct saved_run *before, const struct saved_run *after, bool all);

#endif
