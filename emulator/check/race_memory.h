/* Memory for what racecheck remembers of global memory: many small pieces of few sizes, that come and go with kernels and stay until
 * their chunk is dropped. At most a quarter of the machine's. Any thread. */
#ifndef RACE_MEMORY_H
#define RACE_MEMORY_H

#include <stddef.h>

/* Zeros, aligned to a line of the host's cache. NULL: no memory. */
void *race_memory_take(size_t bytes);
/* What was taken with as many bytes; or NULL. */
void race_memory_give(void *p, size_t bytes);

#endif
