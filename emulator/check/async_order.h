/* The work of the asynchronous proxy, and when a warp knows that it is done: wgmma's reads of shared memory, and bulk
 * copies' reads and writes there and writes to global memory. None of it is ordered by what comes next in its thread.
 * It is done when its thread has waited for its group, or its bytes have arrived at an mbarrier; a warp that
 * synchronizes with that thread afterwards, by a barrier for example, knows it, too.
 *
 * So a warp has a separate vector clock for each kind of such work, beside the one in order.h, and every operation that
 * passes on the one passes on the others: "what warp i began before this time is done, as this warp knows".
 * ASYNC_FENCED is the other way round: which accesses of the generic proxy a fence.proxy.async has made visible to the
 * asynchronous one.
 *
 * The blocks of a cluster copy into each other's shared memory, so the clocks have the warps of all its blocks: 32 for
 * each, by their ranks. They are kept per block, and only for kernels that use the proxy. */
#ifndef ASYNC_ORDER_H
#define ASYNC_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define ASYNC_WARPS 32

enum async_fact {
    ASYNC_PRODUCTS, /* wgmma has read its operands */
    ASYNC_STORES,   /* a bulk copy has read shared memory */
    ASYNC_WRITES,   /* a bulk copy has written global memory */
    ASYNC_FENCED,   /* a fence.proxy.async has followed a generic access */
    ASYNC_LOADS,    /* a bulk copy has written shared memory; a separate fact for each block of the cluster */
    ASYNC_FACTS
};
#define ASYNC_LOADS_OF(rank) (ASYNC_LOADS + (rank)) /* into that block's shared memory */

/* The clock that a synchronization variable passes on. */
struct async_clock {
    uint64_t cluster;      /* whose warps it covers; 0: none */
    uint32_t width, count; /* warps of the cluster; that times the facts */
    uint32_t before[];     /* [fact][warp] */
};

/* Groups of products or of bulk copies that a warp has committed: when, by their numbers. */
#define ASYNC_GROUPS 16
struct async_groups {
    uint32_t count;
    uint32_t times[ASYNC_GROUPS];
    uint32_t lanes; /* of the last one: a wait by other lanes does not wait for it */
};

struct async_order {
    uint64_t cluster;
    uint32_t width, count, first; /* warps of the cluster; that times the facts; the first warp of this block */
    struct async_groups products[ASYNC_WARPS], stores[ASYNC_WARPS];
    uint32_t wrote[ASYNC_WARPS]; /* when a warp's last bulk copy into global memory began; 0: there was none */
    uint32_t before[]; /* [warp of this block; or ASYNC_WARPS: what all knew at its last barrier][fact][warp] */
};

struct async_order *async_order_new(uint32_t blocks);
void async_order_start(struct async_order *a, uint64_t cluster, uint32_t rank);

/* What one warp knows: [fact][warp]. */
static inline uint32_t *async_known(struct async_order *a, uint32_t warp) {
    return a->before + (uint64_t)warp * a->count;
}

/* Is what warp `by` of the cluster began at this time done: as far as the block has agreed at its last barrier, or as
 * this warp knows? */
static inline bool async_is_agreed(const struct async_order *a, uint32_t fact, uint32_t by, uint32_t time) {
    return time < async_known((struct async_order *)(uintptr_t)a, ASYNC_WARPS)[fact * a->width + by];
}
static inline bool async_is_known(const struct async_order *a, uint32_t fact, uint32_t by, uint32_t time,
                                  uint32_t warp) {
    return async_is_agreed(a, fact, by, time) ||
           time < async_known((struct async_order *)(uintptr_t)a, warp)[fact * a->width + by];
}

/* Joins all that a warp knows to a clock, which is made when there is none; and what a clock knows of this cluster to
 * a warp. */
void async_release(const struct async_order *a, uint32_t warp, struct async_clock **to);
void async_acquire(struct async_order *a, uint32_t warp, const struct async_clock *from);
/* Joins a clock to another, or replaces one that covers another cluster. */
void async_clock_join(struct async_clock **to, const struct async_clock *from);
void async_clock_forget(struct async_clock *c);
void async_barrier(struct async_order *a, uint32_t warps);

/* A warp's work so far becomes a group; all but the newest `left` groups are done. A product is its whole
 * warpgroup's. */
void async_commit(struct async_groups *g, uint32_t time, uint32_t lanes);
void async_products_wait(struct async_order *a, uint32_t warp, uint32_t left);
/* written: until it is there, not only until it has been read. */
void async_stores_wait(struct async_order *a, uint32_t warp, uint32_t left, uint32_t lanes, bool written);
/* The warp's bulk copies into global memory are done that began before this time; ~0: all. */
uint32_t async_written(const struct async_order *a, uint32_t warp);
/* The generic accesses of each warp of a block, whose first one that is, before these times are fenced. */
void async_fence(struct async_order *a, uint32_t warp, uint32_t first, const uint32_t before[ASYNC_WARPS]);

#endif
