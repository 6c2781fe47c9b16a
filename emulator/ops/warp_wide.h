/* Operations between the lanes of a warp: forms_warp, and the one that decode places itself. */
#ifndef WARP_WIDE_H
#define WARP_WIDE_H

#include "machine/warp.h"

const struct insn *op_bar_warp_sync(struct warp *w, const struct insn *in);

#endif
