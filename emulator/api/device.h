/* For the calls that name a device by its number. */
#ifndef API_DEVICE_H
#define API_DEVICE_H

#include "api/api.h"

bool device_exists(int device);

/* Prints which devices there are, for a call named in messages, and returns cudaErrorInvalidDevice. */
cudaError_t device_missing(const char *function, int device);

/* May kernels of a device reach the memory of another, by cudaDeviceEnablePeerAccess? */
bool device_reaches(int device, int peer);
/* A bit for each device whose memory kernels of this one may use, its own too. */
unsigned device_peers(int device);

size_t device_stack_limit(void); /* cudaLimitStackSize: bytes of a thread */

#endif
