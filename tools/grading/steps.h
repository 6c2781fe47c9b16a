/* steps.h - the order that streams and events impose on the operations of a call: its longest chain, and missing ordering. */
#ifndef TOOLS_GRADING_STEPS_H
#define TOOLS_GRADING_STEPS_H

#include <cuda_runtime_api.h>

void steps_begin(cudaStream_t callers);

void steps_new_stream(cudaStream_t stream, bool blocking); /* blocking: it and the default stream wait for each other */
void steps_operation(cudaStream_t stream);
void steps_record(cudaEvent_t event, cudaStream_t stream);
void steps_wait(cudaStream_t stream, cudaEvent_t event);
void steps_host_waits(void); /* for everything: later operations are ordered after all of it */

/* The last operation in the stream reads or writes this argument of the call. */
void steps_touch(cudaStream_t stream, int argument);

/* Stream-ordered allocation by the call, use by the last operation of a stream, and freeing: in the order of a
 * stream, or at once. */
void steps_allocated(const void *pointer, size_t bytes, cudaStream_t stream);
void steps_use(cudaStream_t stream, const void *pointer);
void steps_freed_in(const void *pointer, cudaStream_t stream);
void steps_freed(const void *pointer);

unsigned steps_operations(void);
unsigned steps_longest(void);

/* The first argument that is touched by an operation which does not wait for the earlier work in the caller's stream, or for which the
 * caller's stream does not wait; -1: none. And whether memory was used before it was allocated, or freed before its use was complete. */
int steps_early(void);
int steps_left(void);
bool steps_untaken(void);
bool steps_freed_early(void);

#endif
