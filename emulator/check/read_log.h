/* A log of reads of shared memory that conflict with nothing: they are propagated to the shadow words only if something
 * needs them there.
 *
 * As long as the block's shared memory has not been written since its last whole barrier, every write happens before
 * now, and a plain read by a whole warp conflicts with nothing. It matters only to a write that comes before the next
 * whole barrier; everything in the log happens before what follows that barrier. So most logs are thrown away unread.
 * Code that reads the shadow words, or changes what is ordered, first propagates the log (read_log_propagate): they are
 * then as if each read had been recorded when it was made. */
#ifndef READ_LOG_H
#define READ_LOG_H

#include "check/order.h"

#define READ_LOG_SIZE 2048

#define READ_ALL_SAME ((uint32_t)1 << 31) /* the lanes of the half all read one element */
#define READ_EACH     ((uint32_t)1 << 30) /* the lanes' addresses follow, in as many items as they need */

/* A read by a whole warp: the addresses of its halves, each READ_ALL_SAME or contiguous. */
struct logged_read {
    uint32_t time, packed; /* the record of lane 0 */
    uint32_t place[2];
};
#define READ_EACH_ITEMS (MAX_LANES * sizeof(uint32_t) / sizeof(struct logged_read))

struct read_log {
    struct logged_read *items; /* NULL until it is first used */
    uint32_t count;
    uint32_t step;  /* items added by a read: 1, or 0 without racecheck, which has nothing to record */
    uint32_t easy;  /* a bit for each warp that runs as a whole and that no check has to look at */
    uint32_t ready; /* `easy` while the log is open, otherwise 0: the warps that may log */
    uint32_t shut;  /* order.base at the last write: the log stays closed until the next whole barrier */
    bool never;     /* closed for the rest of the block: its copies may be unfinished when a barrier opens */
};

struct block_watch;
/* Opens the log to a warp that reads as a whole, if that is allowed; allocates it at the first time. */
void read_log_expect(struct block_watch *b, uint32_t warp);
/* Logs a read by a whole warp that is in `ready`, with an address for each lane. False: no room. */
bool read_log_add_each(struct block_watch *b, struct access_record record, const uint32_t address[MAX_LANES]);
/* Empties the log: at a whole barrier, and when a block begins. */
void read_log_forget(struct block_watch *b);
/* Closes the log, because of a write. */
void read_log_shut(struct block_watch *b, bool by_copy);
/* Records the logged reads in the shadow words, and empties the log. */
void read_log_propagate(struct block_watch *b);

#endif
