/* Allocating and freeing the compiled form of a kernel. */
#include "machine/compiled.h"

#include "base/out_of_memory.h"

struct tier *tier_new(void) {
    struct tier *t = zeroed(1, sizeof *t);
    t->owners = 1;
    return t;
}

void tier_free(struct tier *tier) {
    if (tier && atomic_fetch_sub(&tier->owners, 1) == 1)
        free(tier);
}
