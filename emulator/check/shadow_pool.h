/* Memory for the shadow memory of global memory: many pieces of few sizes, which come and go with kernels and stay
 * until their chunk is dropped. At most a quarter of the machine's memory. Any thread. */
#ifndef SHADOW_POOL_H
#define SHADOW_POOL_H

#include <stddef.h>

/* Zeros, aligned to a line of the host's cache. NULL: no memory. */
void *shadow_pool_take(size_t bytes);
/* Gives back a piece of that size; p may be NULL. */
void shadow_pool_give(void *p, size_t bytes);

#endif
