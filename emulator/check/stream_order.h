/* The order that streams, events and waiting give to the kernels and copies of a program: whether one was over before
 * another could begin. Everything here is called with the lock of api/queue.c held, except for
 * stream_order_is_before. */
#ifndef STREAM_ORDER_H
#define STREAM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/host_frame.h"

/* Streams are numbered from 0 in clocks; two with the same number count as ordered. */
#define ORDER_STREAMS 32

/* A vector clock of streams: for each, the number of its last operation that happens before. */
struct stream_clock {
    uint32_t last[ORDER_STREAMS];
};

struct operation_order {
    uint32_t serial; /* counts operations of the process from 1; 0: unknown */
    uint32_t stream, number;
    /* number in the stream of a launch that this one may begin beside, until it waits for it; 0: none */
    uint32_t primary;
    struct stream_clock before;
};

void stream_clock_join(struct stream_clock *to, const struct stream_clock *from);
/* The next operation of a stream whose clock is `clock`; the clock then includes it. */
struct operation_order stream_order_next(unsigned stream, struct stream_clock *clock);

/* The same for a launch that may begin beside the one before it in the stream, which has the number `primary`. */
struct operation_order stream_order_next_beside(unsigned stream, struct stream_clock *clock, uint32_t primary);

uint32_t stream_order_last(void); /* the last serial given; async-signal-safe */
/* Did the operation with that serial end before this one began? Any thread. */
bool stream_order_is_before(const struct operation_order *now, uint32_t serial);

/* What ran under a serial, for reports and other uses: only the most recent ones. */
struct kernel;
struct copy_range {
    uint64_t address, bytes; /* from the first byte to the last one */
    uint64_t allocation;     /* its id */
    bool write;
    uint64_t width, pitch, height, slice,
        depth; /* rows of the box, with gaps between them; one row if there are none */
};
enum ran_kind {
    RAN_WORK,
    RAN_ALLOCATION, /* cudaMallocAsync: like a copy that writes all of the memory */
    RAN_FREE        /* cudaFreeAsync, the same way */
};
/* How the program submitted an operation, for reports. */
struct submission {
    const char *function; /* of the API; NULL for a kernel, and if unknown */
    struct host_callers callers;
    unsigned long long stream; /* cudaStreamGetId's number; 0: the default stream */
    bool known;
};
struct ran {
    uint32_t serial, stream, number;
    enum ran_kind kind;
    struct stream_clock before;
    const struct kernel *kernel; /* NULL: a copy or a fill */
    uint32_t grid[3], block[3];
    struct copy_range ranges[2]; /* of a copy */
    struct submission submission;
    bool done;
};
/* How the program submits the operations that get their order next. */
void stream_order_submitted(const struct host_callers *callers, unsigned long long stream);
/* Only the function of the submission is new. */
void stream_order_ran(const struct ran *r);
bool stream_order_find(uint32_t serial, struct ran *out);
/* The largest serial up to which all operations came before; 0: unknown. */
uint32_t stream_order_all_before(const struct operation_order *now);
/* Nothing is in flight, and this comes before all that will be submitted. */
void stream_order_idle(const struct stream_clock *host);
/* All operations up to this serial number happen before those in flight and those still to be submitted; never
 * shrinks. Any thread. */
uint32_t stream_order_floor(void);
/* Has a kernel run that is not over before this operation begins? */
bool stream_order_has_unordered(const struct operation_order *now);
/* Calls visit for every copy or fill that has run and is not ordered with `now`. */
void stream_order_each_copy(const struct operation_order *now, void (*visit)(const struct ran *, void *),
                            void *argument);

#endif
