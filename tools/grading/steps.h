/* steps.h - the order that streams and events force on the operations of a call, and the longest chain in it. */
#ifndef TOOLS_GRADING_STEPS_H
#define TOOLS_GRADING_STEPS_H

#include <cuda_runtime_api.h>

void steps_begin(void);

void steps_new_stream(cudaStream_t stream, bool blocking); /* blocking: it and the default stream wait for each other */
void steps_operation(cudaStream_t stream);
void steps_record(cudaEvent_t event, cudaStream_t stream);
void steps_wait(cudaStream_t stream, cudaEvent_t event);
void steps_host_waits(void); /* for everything: what comes later is behind all of it */

unsigned steps_operations(void);
unsigned steps_longest(void);

#endif
