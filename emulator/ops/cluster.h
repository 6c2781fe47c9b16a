/* What is about thread block clusters. A cluster has one block here, so a block's shared memory is its cluster's. */
#ifndef OPS_CLUSTER_H
#define OPS_CLUSTER_H

#include "machine/warp.h"

/* Says when op[0] names a block other than 0, which is all that there is. */
/* Before what only clusters may do: is the launch one of clusters? */
const struct insn *op_cluster_needed(struct warp *w, const struct insn *in);
const struct insn *op_cluster_rank(struct warp *w, const struct insn *in);

/* barrier.cluster: arrive does not wait, and wait waits for all threads that have not exited. */
const struct insn *op_cluster_arrive(struct warp *w, const struct insn *in);
const struct insn *op_cluster_wait(struct warp *w, const struct insn *in);

#endif
