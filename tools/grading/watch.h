/* watch.h - the runner's record of the CUDA calls that the student's code makes. */
#ifndef TOOLS_GRADING_WATCH_H
#define TOOLS_GRADING_WATCH_H

#include <stddef.h>
#include <vector>

#include "tools/grading/protocol.h"

/* Memory that an argument points to. */
struct watch_range {
    const void *from;
    size_t bytes;
};

struct watch_wishes {
    void *stream; /* the caller's */
    struct watch_range array[ARRAYS_MAX];
    unsigned arrays;
    bool wide_pitch;
    unsigned harvest; /* 1: from pitched memory, 2: from all */
    unsigned others;  /* the compute capability that devices other than the current one report; 0: their own */
    unsigned fail_number;
    const char *fail_call;
};

/* The events between watch_begin and watch_end. */
struct watch_notes {
    uint32_t calls[CALLS];
    const char *waited; /* a call that makes the host wait */
    unsigned launches;
    struct launch launch[LAUNCHES_MAX];
    int error_told;             /* the last one returned by a call whose errors are recorded */
    int error_failed;           /* the error of the call that was made to fail */
    const char *failed_call;    /* its name */
    unsigned alive, objects;    /* not freed; not destroyed */
    unsigned pageable;          /* asynchronous copies of pageable memory */
    unsigned operations, steps; /* see steps.h */
    int early, left;            /* an argument touched too early; not waited for by the caller's stream; -1: none */
    bool untaken, freed_early;
    size_t largest_copy; /* bytes of an asynchronous copy from or to an argument */
    size_t device_bytes; /* the peak of the allocations' bytes */
    std::vector<unsigned char> harvest;
};

void watch_begin(const struct watch_wishes *wishes);
void watch_end(void);
const struct watch_notes *watch_seen(void);

/* For the exported functions. Outside of a call they record nothing. */
bool watch_on(void);
void watch_event(void);
void watch_object(const void *object, int more); /* a stream, an event, a graph: +1 made, -1 destroyed */
void watch_allocated(void *pointer, size_t device_bytes);
void watch_allocated_in(void *pointer, size_t device_bytes, void *stream); /* in the order of that stream */
void watch_freed(const void *pointer);

#endif
