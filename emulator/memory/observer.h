/* The observers of memory: the checks, which fill this when the library is loaded (check/observe.c). A NULL function is
 * not called. */
#ifndef MEMORY_OBSERVER_H
#define MEMORY_OBSERVER_H

#include "memory/memory.h"

struct memory_observer {
    /* With the table's lock held. New memory, every byte of it `fill`, may be given a watch and another mapping. */
    void (*allocated)(struct allocation *a, uint8_t fill);
    void (*revived)(struct allocation *a);
    void (*freed)(struct allocation *a); /* only where it has a watch; it is not accessed any more */
    /* The host has touched memory that it cannot use, in this function of the program (NULL: unknown). True when it may
     * try again; otherwise it has been reported. In a signal handler. */
    bool (*host_fault)(uint64_t address, bool write, const char *function);
    /* Where it has a watch: these bytes are written by something other than a load or a store; the first byte that has
     * not been written. */
    void (*written)(const struct allocation *a, uint64_t address, uint64_t bytes);
    /* These bytes, whole pages, hold other memory now, which has not been written. */
    void (*renewed)(const struct allocation *a, uint64_t address, uint64_t bytes);
    bool (*find_unwritten)(const struct allocation *a, uint64_t address, uint64_t bytes, uint64_t *where);
};

extern struct memory_observer memory_observer;

static inline void memory_note_written(const struct allocation *a, uint64_t address, uint64_t bytes) {
    if (a && a->watch)
        memory_observer.written(a, address, bytes);
}
static inline void memory_note_renewed(const struct allocation *a, uint64_t address, uint64_t bytes) {
    if (a->watch)
        memory_observer.renewed(a, address, bytes);
}
static inline bool memory_find_unwritten(const struct allocation *a, uint64_t address, uint64_t bytes,
                                         uint64_t *where) {
    return a && a->watch && memory_observer.find_unwritten(a, address, bytes, where);
}

#endif
