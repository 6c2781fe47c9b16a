/* The compiled form of a kernel: the second tier makes it (tier/), the machine runs it. */
#ifndef COMPILED_H
#define COMPILED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct insn;
struct warp;

/* Runs the warp from `in` until it waits, ends or has used up its fuel, as the dispatch loop does. `code` is the
 * kernel's code, which it still needs for whatever is not translated. */
typedef void (*tier_kernel)(struct warp *w, const struct insn *in, const struct insn *code);

struct tier {
    _Atomic(tier_kernel) run; /* NULL until it is ready */
    atomic_bool looked_up;    /* the cache has been searched for it, or is being searched */
    atomic_bool asked;        /* it has been requested, or is not needed */
    _Atomic uint64_t spent;   /* nanoseconds interpreted so far */
    atomic_int owners;        /* its module, and a compilation in progress, which may end after that */
};

struct tier *tier_new(void);
/* Drops one owner; NULL is allowed. */
void tier_free(struct tier *tier);

#endif
