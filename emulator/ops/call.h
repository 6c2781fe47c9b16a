/* Calls. machine/code.h describes the layout. */
#ifndef CALL_H
#define CALL_H

#include "machine/code.h"
#include "machine/warp.h"

/* Builtins that PTX calls like functions: vprintf, malloc, free, __assertfail. NULL if there is none of that name. The
 * arguments and the result are in the call site. */
handler_fn builtin_find(const char *name);

const struct insn *op_call(struct warp *w, const struct insn *in);
const struct insn *op_call_indirect(struct warp *w, const struct insn *in);
const struct insn *op_call_landing(struct warp *w, const struct insn *in);
const struct insn *op_return(struct warp *w, const struct insn *in);

#endif
