/* Memory that lives from an allocation node to a free node, at an address that is known when the node is made. */
#ifndef GRAPH_MEMORY_H
#define GRAPH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reserves an address; NULL: no room. */
void *graph_memory_new(size_t bytes, int device);
/* Is it the start of a graph's memory? */
bool graph_memory_is(const void *pointer);

/* In the order of the program's calls: a launch that allocates was submitted, and something that frees was. */
void graph_memory_submitted(const void *pointer);
void graph_memory_freed(const void *pointer);
bool graph_memory_outstanding(const void *pointer); /* allocated and not freed, by that order */

/* In the order of execution. A cudaError_t other than 0 is a fault of the device. */
int graph_memory_begin(const void *pointer, bool free_first);
int graph_memory_end(const void *pointer);

uint64_t graph_memory_bytes(const void *pointer);

/* A launch needs this many bytes at one time, besides what is outstanding. Graphs of a device share the memory that
 * they use, and keep it when they are done or destroyed, until cudaDeviceGraphMemTrim(). Observed on an H200. */
void graph_memory_use(int device, uint64_t bytes);

#endif
