/* Launches that run at the same time, on several devices or in several streams, and order their accesses by variables
 * in global memory: flags, barriers between devices. What a launch has learned of others happens before everything
 * after it in its stream, too. */
#ifndef LAUNCH_ORDER_H
#define LAUNCH_ORDER_H

#include "check/block_watch.h"

void launch_order_begin(struct launch_watch *l);
void launch_order_end(struct launch_watch *l);
/* The block of the watch is over, if there was one. */
void launch_order_block_ended(struct block_watch *b);

/* The warp waits for the launch before its own in the stream, beside which its launch may have begun
 * (griddepcontrol.wait). */
void launch_order_wait(struct block_watch *b, uint32_t warp);

/* The synchronization variables near an address of global memory, locked until they are closed. */
struct sync_table *launch_order_variables(uint64_t address);
void launch_order_variables_close(uint64_t address);

/* What the launches that happen before an operation with that clock have learned. */
void launch_order_inherit(const struct stream_clock *before, struct facts *to);
/* Is the recorded access among it? */
bool launch_order_covers(const struct facts *known, const struct full_record *old);

#endif
