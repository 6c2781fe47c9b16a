/* Control flow: branches, barriers, the end; and the operations that decode inserts. */
#ifndef CONTROL_H
#define CONTROL_H

#include "machine/warp.h"

const struct insn *op_predicate(struct warp *w, const struct insn *in);
const struct insn *op_label(struct warp *w, const struct insn *in);
const struct insn *op_branch(struct warp *w, const struct insn *in);
const struct insn *op_branch_if(struct warp *w, const struct insn *in);
const struct insn *op_branch_table(struct warp *w, const struct insn *in);
const struct insn *op_exit(struct warp *w, const struct insn *in);
const struct insn *op_trap(struct warp *w, const struct insn *in);
const struct insn *op_barrier_all(struct warp *w, const struct insn *in);
const struct insn *op_barrier(struct warp *w, const struct insn *in);
const struct insn *op_barrier_result(struct warp *w, const struct insn *in);
const struct insn *op_fence(struct warp *w, const struct insn *in);
const struct insn *op_nanosleep(struct warp *w, const struct insn *in);
const struct insn *op_nothing(struct warp *w, const struct insn *in);
const struct insn *op_special(struct warp *w, const struct insn *in);
const struct insn *op_widen(struct warp *w, const struct insn *in);
/* insert: element imm of the wide op[0] from op[1]; extract: op[0] from element imm of the wide op[1] */
const struct insn *op_insert(struct warp *w, const struct insn *in);
const struct insn *op_extract(struct warp *w, const struct insn *in);
const struct insn *op_not_pred(struct warp *w, const struct insn *in);
const struct insn *op_local_address(struct warp *w, const struct insn *in);

/* insn.kind of op_special */
enum special {
    SPECIAL_CLOCK,
    SPECIAL_CLOCK_HI,
    SPECIAL_CLOCK64,
    SPECIAL_GLOBALTIMER,
    SPECIAL_GLOBALTIMER_LO,
    SPECIAL_GLOBALTIMER_HI,
    SPECIAL_WARPID,
    SPECIAL_SMID,
    SPECIAL_GRIDID,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_CLUSTERID_X,
    SPECIAL_CLUSTERID_Y,
    SPECIAL_CLUSTERID_Z,
    SPECIAL_CLUSTER_CTAID_X,
    SPECIAL_CLUSTER_CTAID_Y,
    SPECIAL_CLUSTER_CTAID_Z,
    SPECIAL_CLUSTER_CTARANK,
};

/* insn.kind of op_widen, op_insert and op_extract: the widths in bytes of source and destination elements */
#define WIDEN(from, to, is_signed) ((uint16_t)((from) | (to) << 6 | (is_signed) << 15))
#define WIDEN_FROM(kind)           ((kind)&63)
#define WIDEN_TO(kind)             ((kind) >> 6 & 63)
#define WIDEN_SIGNED(kind)         ((kind) >> 15)

#endif
