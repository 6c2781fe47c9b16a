/* Why a block or a launch makes no progress: the known reasons are reported at once, the rest when the time is over. */
#ifndef STUCK_H
#define STUCK_H

#include <stdbool.h>

#include "machine/grid.h"

/* No warp in the cluster can run, and none will open a barrier: reports which warps wait where and ends the launch. A
 * cluster is named by its first block; most have no other. */
void stuck_report_cluster(struct block *first);
/* The launch has used up its time while this block ran: reports where it is. Returns the error of the launch. */
int stuck_report_endless(const struct block *b);

/* Called when a block has yielded. True when it, or the whole grid, waits for something that cannot happen any more:
 * that has been reported and the launch is ending. */
bool stuck_for_ever(struct block *b, double now);
/* A block has ended: it will not arrive at the grid's barrier again. */
void stuck_block_ended(struct block *b);
/* A warp has done an atomic operation. */
void stuck_atomic_done(struct launch *launch);

#endif
