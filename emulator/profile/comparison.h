/* Two runs side by side: what each kernel and each line asked for before and asks for now. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "profile/saved.h"

/* `from`: what the earlier run is called; all: `after` has all kernels, so what only `before` has is gone. */
void compare_runs(FILE *out, const char *from, const struct saved_run *before, const struct saved_run *after, bool all);

#endif
