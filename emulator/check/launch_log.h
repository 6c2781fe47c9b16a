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

/* Bytes loaded from a part of the host's memory outside the arrays (check/arrays.h); any parts beyond this many are
 * counted with the last. */
#define HOST_PARTS 8
struct loaded_of_host {
    uint64_t from, bytes; /* 0: none */
};
void launch_log_load(struct loaded_of_host to[HOST_PARTS], uint64_t from, uint64_t bytes);

/* What one worker has counted of a launch. */
struct launch_counts {
    uint64_t warp_instructions;
    /* By inputs and outputs: */
    uint64_t threads[2], blocks[2], bytes[2], most_bytes[2]; /* the last: of one block */
    struct loaded_of_host loaded[HOST_PARTS];
};
enum { REACH_INPUT, REACH_OUTPUT };
void launch_log_count(uint64_t id, const struct launch_counts *counts);
/* Of all workers of a launch. */
struct launch_loads {
    struct loaded_of_host loaded[HOST_PARTS];
};
struct launch_loads launch_log_loads(uint64_t id);

#endif
