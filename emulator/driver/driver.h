/* The driver's interface, for the files that implement it. It is built on the runtime's: handles of streams, events,
 * kernels, arrays and graphs are the same in both, and most errors have the same numbers. */
#ifndef DRIVER_H
#define DRIVER_H

#include "api/api.h"

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

/* The preconditions of a call. */
enum driver_need {
    DRIVER_NOTHING,
    DRIVER_INITIALIZED, /* cuInit() has been called */
    DRIVER_CONTEXT,     /* and a context is current on this thread */
};

/* Begins a call; unless CUDA_SUCCESS it must not continue, and has ended. */
CUresult driver_begin(const char *function, enum driver_need need);
/* Ends it; the error is the runtime's. */
CUresult driver_end(cudaError_t error);

/* A whole call: `expression` gives a cudaError_t. */
#define DRIVER_CALL(need, expression)                                                                                  \
    do {                                                                                                               \
        CUresult begun = driver_begin(__func__, need);                                                                 \
        return begun != CUDA_SUCCESS ? begun : driver_end(expression);                                                 \
    } while (0)
#define CALL(expression) DRIVER_CALL(DRIVER_CONTEXT, expression)

CUresult driver_result(cudaError_t error); /* the driver's number for an error of the runtime */
const char *driver_error_name(int error);  /* "CUDA_ERROR_INVALID_VALUE" for its number, also for the runtime's own */

static inline void *driver_pointer(CUdeviceptr address) {
    return (void *)(uintptr_t)address;
}

#endif
