/* What the asynchronous proxy does, and when a warp knows that it is done: what wgmma reads in shared memory, and what bulk copies read and
 * write there. None of it is ordered by what comes next in its thread. It is done when its thread has waited for its group, or its bytes have
 * arrived at an mbarrier; who is told so after that, by a barrier for example, knows it, too.
 *
 * So a warp has for each kind of such work a vector clock of its own, beside the one in order.h, and all that hands on the one hands on the
 * others: "what warp i began before this time is done, and I know". The fourth is the other way round: which accesses of the generic proxy a
 * fence.proxy.async has made visible to the asynchronous one.
 *
 * It is kept per block, and only for kernels that use the proxy. */
#ifndef ASYNC_ORDER_H
#define ASYNC_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define ASYNC_WARPS 32

enum async_fact {
    ASYNC_PRODUCTS, /* wgmma has read its operands */
    ASYNC_LOADS,    /* a bulk copy has written shared memory */
    ASYNC_STORES,   /* a bulk copy has read shared memory */
    ASYNC_FENCED,   /* a fence.proxy.async has come behind a generic access */
    ASYNC_FACTS
};

struct async_clock {
    uint32_t before[ASYNC_FACTS][ASYNC_WARPS];
};

/* Groups of products or of bulk copies that a warp has committed: when, by their numbers. */
#define ASYNC_GROUPS 16
struct async_groups {
    uint32_t count;
    uint32_t times[ASYNC_GROUPS];
    uint32_t lanes; /* of the last one: a wait by other lanes does not wait for it */
};

struct async_order {
    struct async_clock base; /* what all warps knew at the last barrier of the whole block */
    struct async_clock warps[ASYNC_WARPS];
    struct async_groups products[ASYNC_WARPS], stores[ASYNC_WARPS];
};

/* Is what warp `by` began at this time done, as far as this warp knows? */
static inline bool async_is_known(const struct async_order *a, enum async_fact fact, uint32_t by, uint32_t time,
                                  uint32_t warp) {
    return time < a->base.before[fact][by] || time < a->warps[warp].before[fact][by];
}

void async_clock_join(struct async_clock *to, const struct async_clock *from);
/* All that a warp knows. */
struct async_clock async_clock_of(const struct async_order *a, uint32_t warp);
void async_barrier(struct async_order *a, uint32_t warps);

/* A warp's work so far becomes a group; all but the newest `left` groups are done. A product is its whole warpgroup's. */
void async_commit(struct async_groups *g, uint32_t time, uint32_t lanes);
void async_products_wait(struct async_order *a, uint32_t warp, uint32_t left);
void async_stores_wait(struct async_order *a, uint32_t warp, uint32_t left, uint32_t lanes);
/* The generic accesses of each warp before these times are fenced. */
void async_fence(struct async_order *a, uint32_t warp, const uint32_t before[ASYNC_WARPS]);

#endif
