/* The eyes of the checks: what the dispatch loop, the blocks and the launches tell them. Nothing of this is called
 * unless a check that needs it is on (base/checks.h). */
#ifndef WATCH_H
#define WATCH_H

#include "machine/grid.h"

/* NULL when no check needs to see instructions. */
struct launch_watch *watch_launch_begin(struct launch *launch);
/* Says what was found. */
void watch_launch_end(struct launch *launch);

void watch_block_start(struct block *b);
void watch_block_free(struct block *b);

/* An instruction reads global memory in another way than a load does: by a texture, a surface, or to print it. */
void watch_read(const struct warp *w, const struct insn *in, int lane, uint64_t address, uint32_t bytes);
struct site;
/* An operation that shows the checks what the instruction is about to do, does it, and shows what came of it. */
op_fn watch_operation(const struct site *site, const struct insn *in);
/* All that a block's barrier waited for have come; it has not let them go yet. */
void watch_barrier_opens(struct block *b, unsigned barrier);

#endif
