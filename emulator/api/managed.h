/* Advice about managed memory, and prefetching, for both interfaces. */
#ifndef API_MANAGED_H
#define API_MANAGED_H

#include "api/api.h"

cudaError_t managed_advise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                           struct cudaMemLocation where);
cudaError_t managed_prefetch(const char *function, const void *pointer, size_t count, struct cudaMemLocation where,
                             unsigned flags, cudaStream_t stream);

/* Before the API had locations, a number identified a place: a device's, or -1 for the host. */
struct cudaMemLocation managed_location(int device);
cudaError_t managed_advise_device(const void *pointer, size_t count, enum cudaMemoryAdvise advice, int device);

#endif
