/* Reads of shared memory that nothing had to be compared with: noted in a hurry, to be remembered by its cells only if somebody asks.
 *
 * As long as nobody has written the block's shared memory since its last whole barrier, every write is over, and a plain read by a
 * whole warp conflicts with nothing. It matters to a later write alone, if one comes before the next whole barrier, at which all that
 * the log holds is over. So most logs are thrown away unread. Whoever looks at the cells, or changes what is ordered, first lets the
 * log tell the cells (read_log_tell): these are then as if each read had gone there when it was made. */
#ifndef READ_LOG_H
#define READ_LOG_H

#include "check/order.h"

#define READ_LOG_SIZE 2048

#define READ_ALL_SAME ((uint32_t)1 << 31) /* the lanes of the half all read the same */
#define READ_EACH     ((uint32_t)1 << 30) /* the lanes' addresses follow, in as many items as they need */

/* By a whole warp; the halves' addresses, and how their lanes lie there: READ_ALL_SAME or one after the other. */
struct logged_read {
    uint32_t time, packed; /* the mark of lane 0 */
    uint32_t place[2];
};
#define READ_EACH_ITEMS (MAX_LANES * sizeof(uint32_t) / sizeof(struct logged_read))

struct read_log {
    struct logged_read *items; /* NULL until there is a use for it */
    uint32_t count;
    uint32_t step;  /* 1; or 0 where races are not looked for, and nothing has to be remembered */
    uint32_t easy;  /* a bit for each warp that runs whole and at whose coming no check has anything to do */
    uint32_t ready; /* the same while the log is open: who may note reads */
    uint32_t shut;  /* order.base when somebody last wrote: until the next whole barrier the log is not open */
    bool never;     /* for this block: its copies may still be under way when a barrier opens */
};

struct block_watch;
/* A whole warp reads, and may do so again: makes room for the log, if it may be used at all. */
void read_log_expect(struct block_watch *b, uint32_t warp);
/* A whole warp reads, each lane at its address: the log is ready for it. False: it has no room. */
bool read_log_add_each(struct block_watch *b, struct access_mark mark, const uint32_t address[MAX_LANES]);
/* At a whole barrier, and where a block begins. */
void read_log_forget(struct block_watch *b);
/* Somebody writes. */
void read_log_shut(struct block_watch *b, bool by_copy);
/* Lets the cells know. */
void read_log_tell(struct block_watch *b);

#endif
