/* Events, for callers that record and await them other than in a stream. */
#ifndef EVENT_H
#define EVENT_H

#include "api/api.h"
#include "api/queue.h"

/* Does the event exist? For a call named in messages. */
cudaError_t event_check(const char *function, cudaEvent_t handle);
/* Its creation flags; false when there is no such event. */
bool event_flags(cudaEvent_t handle, unsigned *flags);
/* A marker that the event refers to from now on and that its holder will pass. Reference-counted: one reference is the
 * caller's. NULL: no memory, or no such event. */
struct marker *event_expect(cudaEvent_t handle);
/* The event's current marker; NULL for nothing. */
struct marker *event_recorded(cudaEvent_t handle);

#endif
