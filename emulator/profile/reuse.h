/* Which 128-byte lines of global memory a block has loaded before, and by which of its warps: the data that a cache, or
 * shared memory, could have kept. */
#ifndef REUSE_H
#define REUSE_H

#include <stdint.h>

struct line_reuse;

enum line_seen { LINE_FIRST, LINE_AGAIN_WARP, LINE_AGAIN_BLOCK };

struct line_reuse *reuse_new(void);
void reuse_free(struct line_reuse *r);

/* Notes that a warp of a block loads the line that contains `address`, and returns which warps had it before. */
enum line_seen reuse_note(struct line_reuse *r, uint64_t block, unsigned warp, uint64_t address);

#endif
