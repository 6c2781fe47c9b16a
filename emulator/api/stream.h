/* For calls on streams that are in other files. */
#ifndef API_STREAM_H
#define API_STREAM_H

#include "api/queue.h"

/* Finds a stream, for a call named in messages. */
cudaError_t stream_find(const char *function, cudaStream_t handle, struct stream **out);

/* cudaDeviceSynchronize(), for a call named in messages; it does not count as a wait of the program. */
cudaError_t stream_wait_device(const char *function);

/* The priority that a stream gets when this one is requested. */
int stream_priority(int wanted);

#endif
