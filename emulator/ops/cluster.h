/* Operations of thread block clusters (machine/block_cluster.h). */
#ifndef OPS_CLUSTER_H
#define OPS_CLUSTER_H

#include "machine/warp.h"

/* Precedes operations that only clusters may execute: does the launch have clusters? */
const struct insn *op_cluster_needed(struct warp *w, const struct insn *in);
/* op[0]: %is_explicit_cluster */
const struct insn *op_cluster_explicit(struct warp *w, const struct insn *in);

/* mapa: op[0] is the address at the same place as op[1] in the block of rank op[2]; insn.kind: bits. */
const struct insn *op_cluster_map(struct warp *w, const struct insn *in);
/* getctarank: op[0] is the rank of the block that address op[1] refers to; insn.kind: bits of the address. */
const struct insn *op_cluster_rank(struct warp *w, const struct insn *in);

/* barrier.cluster: arrive does not wait, and wait waits for all threads that have not exited. */
const struct insn *op_cluster_arrive(struct warp *w, const struct insn *in);
const struct insn *op_cluster_wait(struct warp *w, const struct insn *in);

#endif
