/* How an operation is written, so that it can be used twice: for a warp at a time, by the interpreter, and for one
 * lane, by the second tier (tier/), which puts the lanes' loop around a whole run of operations instead of around
 * each.
 *
 * The same text serves both: for one lane it is compiled with a warp of size 1, whose only lane is active. */
#ifndef OPERATION_H
#define OPERATION_H

#include "machine/insn.h"

/* The name of an operation in its source, for the second tier. */
struct operation_name {
    handler_fn handler;
    const char *name;
};

#if WARP_SIZE == 1
#define OPERATION(name) static inline const struct insn *name(struct warp *w, const struct insn *in)
#elif defined(LANE_FAMILY) /* defined by the files that tier/lane_operations.c includes: operations have names there */
#define OPERATION(name)                                                                                                \
    static const struct insn *name(struct warp *w, const struct insn *in);                                             \
    static const struct operation_name operation_##name __attribute__((section("operations"), used)) = {name, #name};  \
    static const struct insn *name(struct warp *w, const struct insn *in)
#else
#define OPERATION(name) static const struct insn *name(struct warp *w, const struct insn *in)
#endif

/* One that needs its warp: it reads all lanes, or keeps more state for them than registers. */
#define WARP_OPERATION(name) static const struct insn *name(struct warp *w, const struct insn *in)

#endif
