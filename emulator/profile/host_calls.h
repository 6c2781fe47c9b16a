/* The host's calls that decide whether the device is kept busy: launches, and calls that wait for it.
 *
 * A host that waits after each launch leaves the device idle between two of them. Programs also wait where they must:
 * at the end, and before results are read. So a chain is reported: waits one after the other, with launches between
 * them and nothing else (no memory allocated, filled or copied to the device, which begins something new).
 *
 * A host that copies a part in, launches and copies the part out, part after part, also waits in each copy, and the
 * copies in end such a chain. So rounds of these three are counted separately, as long as they launch the same kernel
 * and nothing is allocated. */
#ifndef HOST_CALLS_H
#define HOST_CALLS_H

#include <stdint.h>

enum host_call {
    HOST_LAUNCH,  /* of a kernel, or of a graph */
    HOST_WAIT,    /* it returns when the device has done all earlier work */
    HOST_COPY_IN, /* bytes come from pageable memory, which the host waits for: a chain ends */
    HOST_PREPARE, /* memory is allocated, freed or filled: a chain ends, and so do rounds */
    HOST_CALLS_END
};

/* Any thread. `name`: of the API's function; for a launch that of the kernel, one pointer for each kernel. */
void host_calls_note(enum host_call kind, const char *name);

/* Of this process so far; of the time since the last start. */
uint64_t host_calls_of_kind(enum host_call kind);
void host_calls_start(void);
uint64_t host_calls_since_start(enum host_call kind);

/* The longest chain: 0 waits if there was none. */
struct host_chain {
    uint64_t waits, launches;
    const char *name; /* of the call that waited first */
    uintptr_t caller; /* that call's place in the program; 0: not known */
};
struct host_chain host_calls_longest_chain(void);

/* The most rounds of copy in, launch, copy out in a row. */
struct host_rounds {
    uint64_t rounds;
    const char *kernel, *name; /* name: of the call that copied out */
    uintptr_t caller;          /* its place in the program; 0: not known */
};
struct host_rounds host_calls_most_rounds(void);

#endif
