/* What the dispatch loop, the blocks and the launches call when checks are on (base/checks.h); otherwise nothing
 * here runs. */
#ifndef WATCH_H
#define WATCH_H

#include "machine/grid.h"

/* NULL when no check needs instrumentation. */
struct launch_watch *watch_launch_begin(struct launch *launch);
/* Reports what was found. */
void watch_launch_end(struct launch *launch);

void watch_block_start(struct block *b);
void watch_block_free(struct block *b);

/* A read of global memory other than by a load: by a texture, a surface, or to print it. */
void watch_read(const struct warp *w, const struct insn *in, int lane, uint64_t address, uint32_t bytes);
struct probe;
/* The handler for an instrumented instruction: checks what it is about to do, does it, and records what follows from
 * it. */
handler_fn probe_handler(const struct probe *probe, const struct insn *in);
/* A barrier of the block is about to open: all threads that it waits for have arrived. */
void watch_barrier_opens(struct block *b, unsigned barrier);
void watch_cluster_opens(struct block *b);
/* A block of a cluster of several exits: check/block_exit.c. */
void watch_block_exits(struct block *b);

#endif
