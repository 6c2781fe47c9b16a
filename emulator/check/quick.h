/* The quick way through a plain load or store: see quick.c. Each returns the lanes that need the careful way. */
#ifndef QUICK_H
#define QUICK_H

#include "check/block_watch.h"

uint32_t quick_shared(struct block_watch *b, const struct touch *t, const uint64_t addresses[WARP_SIZE]);
uint32_t quick_local(struct block_watch *b, const struct touch *t, const uint64_t addresses[WARP_SIZE]);
/* touch->allocation: where the lanes' addresses probably lie */
uint32_t quick_global(struct block_watch *b, const struct touch *t, const uint64_t addresses[WARP_SIZE]);

#endif
