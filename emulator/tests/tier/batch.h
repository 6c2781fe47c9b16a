/* Compiles many kernels as the second tier does, but in few calls of the compiler: its start takes longer than a kernel. */
#ifndef BATCH_H
#define BATCH_H

#include "tier/translate.h"

typedef const struct insn *(*tier_part)(struct warp *w, const struct insn *in, const struct insn *code);

struct compiled {
    tier_kernel run;       /* what a launch would use */
    tier_part whole, some; /* its copies for whole warps and for any */
};

/* Compiles `count` translated kernels into libraries in `folder`. False, with a message on stderr, when a compiler or a loader
 * refuses one. */
bool batch_compile(char *const *texts, struct compiled *out, size_t count, const char *folder);

#endif
