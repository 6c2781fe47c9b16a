/* Streams: each a queue of operations that its host thread executes in order.
 *
 * Operations of a device are numbered in the order in which the program submits them. The legacy default stream
 * is kept in step with the blocking streams by those numbers alone: an operation of the legacy stream starts when no
 * blocking stream has an unfinished one with a lower number, and the other way round. */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"
#include "check/stream_order.h"

/* A point in a stream that others can wait for: what an event records. Counted references. */
struct marker;

struct operation {
    /* Does the work; a cudaError_t other than 0 is a fault of the device. `fault` is the one it already has. */
    int (*run)(struct operation *op, int fault);
    void (*release)(struct operation *op); /* frees it and what it owns */
    bool always;                           /* runs even on a device with a fault */
    const char *kernel;                    /* the name of the kernel that it runs, or NULL */
    bool lets_begin;                       /* a launch of a kernel that lets the next one begin before it ends */
    /* a launch that may begin before the one before it in the stream ends (programmatic stream serialization) */
    bool beside;
    struct operation_order order; /* by queue_submit; known only when racecheck is on */
    /* For an operation of several parts, or NULL: assigns their places in the order, which precede its own. */
    void (*order_parts)(struct operation *op, unsigned stream, const struct stream_clock *clock);
    /* Private to queue.c: */
    struct marker *waits_for;
    uint64_t number;
    struct operation *next;
};

struct stream;

/* Finds the stream that a handle means on the calling thread's device: 0 and cudaStreamLegacy, cudaStreamPerThread, or
 * a created one. NULL for a handle that is none. */
struct stream *queue_find(cudaStream_t handle);

struct stream *queue_create(unsigned flags, int priority);
void queue_destroy(struct stream *s); /* what was submitted is still executed */
cudaStream_t queue_handle(struct stream *s);
int queue_device(const struct stream *s);
bool queue_is_legacy(const struct stream *s);
bool queue_is_blocking(const struct stream *s); /* one that the legacy stream waits for */
unsigned queue_flags(const struct stream *s);
int queue_priority(const struct stream *s);
unsigned long long queue_id(const struct stream *s);

/* The values that cudaStreamSetAttribute stores. Nothing here depends on it. */
struct stream_attributes {
    struct cudaAccessPolicyWindow window;
    enum cudaSynchronizationPolicy policy;
    cudaLaunchMemSyncDomain domain;
    cudaLaunchMemSyncDomainMap domains;
};
struct stream_attributes *queue_attributes(struct stream *s);
void queue_set_priority(struct stream *s, int priority);

/* For reports of racecheck: the caller in the program, and what has begun the launch that this thread submits next. */
struct host_callers queue_find_callers(void);
void queue_launched_by(const struct host_callers *callers);

/* Appends an operation, which the queue then owns. Returns at once. */
void queue_submit(struct stream *s, struct operation *op);
/* Appends an operation and waits for it; executes it on the calling thread when nothing is before it. Returns what
 * run() returned, or the device's fault. */
int queue_execute(struct stream *s, struct operation *op);

/* For what is done at once, and takes its place in the stream's order: after all that has been submitted to it. */
struct operation_order queue_place(struct stream *s);

bool queue_stream_idle(struct stream *s);
void queue_wait_stream(struct stream *s);
void queue_wait_device(int device);
/* The same for an observer: it orders nothing that the program does later. */
void queue_rest_device(int device);
/* A kernel that was submitted and is not done; NULL when there is none. */
const char *queue_unfinished_kernel(void);

/* Marks the end of what has been submitted to s so far. */
struct marker *queue_mark(struct stream *s);
/* Later operations of s wait for the marker. */
void queue_wait_marker(struct stream *s, struct marker *m);
void queue_block_on_marker(struct marker *m); /* the calling thread of the program waits */
void marker_await(struct marker *m);          /* the same for a thread that executes a stream's operation */
bool marker_done(struct marker *m);
double marker_seconds(struct marker *m); /* when it was passed, on the monotonic clock */
/* What happens before it. For order_parts, which is called with the queue's lock. */
void marker_set_clock(struct marker *m, const struct stream_clock *clock);
void marker_join_clock(const struct marker *m, struct stream_clock *clock);
/* A marker that no stream passes: its creator does. One reference; NULL: no memory. */
struct marker *marker_new(void);
void marker_pass(struct marker *m); /* also more than once */
struct marker *marker_keep(struct marker *m);
void marker_release(struct marker *m);

#endif
