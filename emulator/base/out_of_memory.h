/* The host has no memory left, and there is no caller to which an error could be returned. */
#ifndef OUT_OF_MEMORY_H
#define OUT_OF_MEMORY_H

#include <stdlib.h>

/* Reports it on standard error, and ends the process. */
_Noreturn void out_of_memory(void);

/* Passes on the result of an allocation, which is never NULL then. */
static inline void *or_out_of_memory(void *p) {
    if (!p)
        out_of_memory();
    return p;
}

/* n times `size` bytes of zeros, which free() frees; never NULL. */
static inline void *zeroed(size_t n, size_t size) {
    return or_out_of_memory(calloc(n ? n : 1, size));
}

#endif
