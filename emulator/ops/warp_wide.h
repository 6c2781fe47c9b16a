/* Operations between the lanes of a warp: forms_warp, and the one that decode places itself. */
#ifndef OPS_WARP_H
#define OPS_WARP_H

#include "machine/warp.h"

const struct insn *op_bar_warp_sync(struct warp *w, const struct insn *in);

#endif
