/* The launches since emulatorAuthorsStart, in the order in which they began. */
#ifndef LAUNCH_LOG_H
#define LAUNCH_LOG_H

#include <stddef.h>
#include <stdint.h>

struct launch;
struct emulatorLaunch;

/* Both are called with the lock of check/authors.c. */
void launch_log_add(const struct launch *l);
void launch_log_clear(void);
/* emulatorLaunches. */
size_t launch_log_read(struct emulatorLaunch *out, size_t most);


/* What one worker has counted of a launch. */
struct launch_counts {
    uint64_t warp_instructions;
    /* By inputs and outputs: */
    uint64_t threads[2], blocks[2], bytes[2], most_bytes[2]; /* the last: of one block */
    uint64_t loaded_of_host; /* bytes of managed, pinned and registered memory outside the arrays */
};
enum { REACH_INPUT, REACH_OUTPUT };
void launch_log_count(uint64_t id, const struct launch_counts *counts);
/* Of all workers of a launch. */
uint64_t launch_log_loaded_of_host(uint64_t id);

#endif
