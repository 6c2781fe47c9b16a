/* mbarrier: barriers that are objects in shared memory, and count arrivals and bytes. */
#ifndef OPS_MBARRIER_H
#define OPS_MBARRIER_H

#include "machine/warp.h"

/* insn.extra is the access to the object. insn.kind of op_mbarrier_arrive: */
enum mbarrier_arrive {
    MBARRIER_DROP = 1,        /* arrive_drop: expects one less from now on */
    MBARRIER_NO_COMPLETE = 2, /* may not be the last arrival of its phase */
};

const struct insn *op_mbarrier_init(struct warp *w, const struct insn *in); /* op[1]: arrivals to expect */
const struct insn *op_mbarrier_inval(struct warp *w, const struct insn *in);
/* op[0]: the state before; op[1]: arrivals; op[2]: bytes to expect first */
const struct insn *op_mbarrier_arrive(struct warp *w, const struct insn *in);
/* op[1]: bytes that are expected (kind 0) or have arrived (kind 1) */
const struct insn *op_mbarrier_bytes(struct warp *w, const struct insn *in);
/* The same (kind 1) at the same place in each block of the cluster whose bit is set in op[2] (uint16_t[32]), all of
 * which exist. */
const struct insn *op_mbarrier_multicast(struct warp *w, const struct insn *in);
/* op[0]: whether the phase is over: that of state op[1] (kind 0), or the one with parity op[1] (kind 1) */
const struct insn *op_mbarrier_wait(struct warp *w, const struct insn *in);
const struct insn *op_mbarrier_pending(struct warp *w,
                                       const struct insn *in); /* op[0]: arrivals that state op[1] awaits */
/* cp.async.mbarrier.arrive: expects the arrival that it makes; as copies are done at once, nothing changes. */
const struct insn *op_mbarrier_touch(struct warp *w, const struct insn *in);

#endif
