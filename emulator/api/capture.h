/* Stream capture: work for a stream becomes nodes of a graph instead of being executed. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "api/api.h"

struct stream;
struct work;

/* Each of these is a check for a call that is named in messages; an error is the code to return, which state_return has
 * seen. While nothing is captured anywhere they cost one read of a counter. */

/* May the stream be given work now, and is it captured? */
cudaError_t capture_check(const char *function, struct stream *s, bool *captured);
/* For calls that are not allowed in a capture: invalidates the stream's. */
cudaError_t capture_refuse(const char *function, struct stream *s);
/* For calls that belong to no stream, like cudaMalloc: they may not be called while the thread captures (see
 * cudaThreadExchangeStreamCaptureMode), and invalidate the capture. */
cudaError_t capture_forbid(const char *function);
cudaError_t capture_forbid_always(const char *function); /* while any thread captures anything */
#define NOT_WHILE_CAPTURING(function)                                                                                  \
    do {                                                                                                               \
        cudaError_t forbidden = capture_forbid(function);                                                              \
        if (forbidden != cudaSuccess)                                                                                  \
            return forbidden;                                                                                          \
    } while (0)

/* Adds a node to the graph of a captured stream, and takes the work. */
cudaError_t capture_work(struct stream *s, struct work *w);
struct graph *capture_graph(struct stream *s); /* NULL when it is not captured */
void capture_invalidate(struct stream *s);
void capture_stream_destroyed(struct stream *s);

/* A point in a captured stream, which an event stores. */
struct capture_point;
struct capture_point *capture_mark(struct stream *s);
struct capture_point *capture_point_copy(const struct capture_point *p); /* NULL for NULL, or when there is no memory */
void capture_point_free(struct capture_point *p);
/* The result of a query about an event that was recorded there; `spoil`: the capture is invalidated, too. */
cudaError_t capture_point_query(const char *function, const struct capture_point *p, bool spoil);
/* s waits for the point: if it is not captured yet, it is from now on. */
cudaError_t capture_join(const char *function, struct stream *s, const struct capture_point *p);

#endif
