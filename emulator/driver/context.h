/* Contexts: each device's primary one, which the runtime uses, and those that a program creates. Memory, streams and
 * modules belong to the device here; a created context releases its remains when it is destroyed. */
#ifndef DRIVER_CONTEXT_H
#define DRIVER_CONTEXT_H

#include "driver/driver.h"

bool context_exists(CUcontext c);
CUcontext context_current(void);         /* NULL: none */
CUcontext context_of_device(int device); /* its primary one */
int context_device(CUcontext c);         /* -1: there is no such context */
/* Switches to a device, by its number, for a while: the caller passes the result to state_set_context() when it is
 * done. */
struct current_context context_visit_device(int device);

/* The remains of a context, which `release` frees when it is destroyed. Primary contexts keep no such list. */
typedef cudaError_t (*context_release)(void *thing);
void context_keep(void *thing, context_release release);
void context_drop(void *thing); /* it has been freed */

#endif
