/* Barriers of the block, of the cluster and of lanes, fences, and groups of asynchronous work: how they advance the
 * clocks of check/order.h and check/async_order.h. */
#include "check/block_watch.h"
#include "check/watch.h"
#include "check/watch_parts.h"
#include "machine/block_cluster.h"

/* ---- before the instruction ---- */

/* Barriers have keys in the table of synchronization variables, beyond all shared addresses. */
#define BARRIER_KEY ((uint64_t)1 << 40)
#define CLUSTER_KEY (BARRIER_KEY + 16)

struct sync_variable *cluster_variable(const struct block *b) {
    return sync_make(&cluster_block(b, 0)->watch->syncs, CLUSTER_KEY);
}

/* bar.arrive does not wait: it is a release to the threads that wait. */
void watch_barrier(struct block_watch *b, struct warp *w, const struct insn *in) {
    barrier_arrives(b, w, in);
    if ((in->kind & ~(unsigned)BARRIER_UNALIGNED) != BARRIER_ARRIVE || !(b->launch->checks & CHECK_RACE))
        return;
    read_log_propagate(b);
    uint32_t barrier = ((const uint32_t *)(const void *)(w->regs + in->op[1]))[first_lane(w->mask)];
    order_release(&b->order, w->index, sync_make(&b->syncs, BARRIER_KEY + barrier), true);
}

/* For other blocks it covers all that they have done so far: accesses that are not ordered with it race anyway. */
static void proxy_fence(struct block_watch *b, const struct warp *w) {
    uint32_t before[ASYNC_WARPS];
    order_proxy_fence(&b->order, w->index);
    for (uint32_t r = 0; r < w->launch->cluster_blocks; r++) {
        const struct block *peer = cluster_block(w->block, r);
        /* Times up to now, the current one included: clocks of the peers are compared with < . */
        for (int i = 0; i < ASYNC_WARPS && peer != w->block; i++)
            before[i] = peer->watch->order.time + 1;
        if (peer != w->block)
            async_fence(b->order.async, w->index, r * ASYNC_WARPS, before);
    }
}

void watch_fence(struct block_watch *b, const struct warp *w, const struct probe *s) {
    order_fence(&b->order, w->index);
    if (s->flags & PROBE_PROXY && b->order.async)
        proxy_fence(b, w);
}

/* Groups of the asynchronous proxy. */
void watch_groups(struct block_watch *b, const struct warp *w, const struct insn *in, const struct probe *s) {
    if (b->products[w->index])
        products_before(b->products[w->index], w, in);
    if (!b->order.async)
        return;
    if (s->kind == PROBE_BULK_COMMIT)
        order_stores_commit(&b->order, w->index, w->mask);
    else if (s->kind == PROBE_BULK_WAIT)
        async_stores_wait(b->order.async, w->index, s->value, w->mask, s->flags & PROBE_STRONG);
    else if (s->kind == PROBE_PRODUCT_COMMIT)
        order_products_commit(&b->order, w->index);
}

/* ---- after it ---- */

/* Orders the lanes that have synchronized, by their member masks. */
void synchronize_lanes(struct block_watch *b, struct warp *w, const struct insn *in, const struct probe *s) {
    const uint32_t *masks = (const uint32_t *)(const void *)(w->regs + in->op[0]);
    uint32_t rest = w->mask;
    /* mma.sync and its like have no mask operand: all active lanes take part. */
    if (!(s->flags & PROBE_NOTES_MASK)) {
        order_lanes_sync(&b->order, w->index, rest, rest == w->live);
        return;
    }
    while (rest) {
        uint32_t members = masks[first_lane(rest)] & w->live;
        order_lanes_sync(&b->order, w->index, members, members == w->live);
        /* Lanes with other masks form separate groups. The lane itself is dropped in any case, so that a mask without
         * it (which is reported elsewhere) does not cause an endless loop. */
        rest &= ~(members | 1u << first_lane(rest));
    }
}

void products_wait_after(struct block_watch *b, const struct warp *w, const struct probe *s) {
    if (b->products[w->index])
        products_after_wait(b->products[w->index], s->value);
    if (b->order.async)
        async_products_wait(b->order.async, w->index, s->value);
}

/* ---- a barrier opens ---- */

static uint32_t waiting_lanes(const struct warp *w, unsigned barrier) {
    uint32_t lanes = 0;
    for (unsigned i = 0; i < w->count; i++)
        if (w->splits[i].state == SPLIT_AT_BARRIER && w->splits[i].barrier == barrier)
            lanes |= w->splits[i].mask;
    return lanes;
}

void watch_cluster_opens(struct block *block) {
    struct block_watch *b = block->watch;
    if (b->launch->checks & CHECK_RACE)
        order_phase_over(cluster_variable(block));
}

void watch_barrier_opens(struct block *block, unsigned barrier) {
    struct block_watch *b = block->watch;
    uint32_t lanes = 0, warps = block->launch->warps_per_block;
    for (uint32_t i = 0; i < warps; i++)
        lanes += (uint32_t)__builtin_popcount(waiting_lanes(&block->warps[i], barrier));
    if (b->launch->checks & CHECK_SYNC)
        barrier_check_passed(b, block, barrier);
    barrier_opens(b, block);
    uint32_t expected = block->barriers[barrier].expected;
    /* The whole block, no thread left out, no count: one number for all warps. The log of reads is dropped: everything
     * in it happens before what follows. */
    if (lanes == block->live_lanes && !expected) {
        order_barrier_whole(&b->order);
        read_log_forget(b);
        return;
    }
    read_log_propagate(b);
    /* Only some warps take part: the barrier is a synchronization variable, which all of them release and then
     * acquire. In two loops, so that each acquires what all have released. */
    struct sync_variable *s = sync_make(&b->syncs, BARRIER_KEY + barrier);
    for (uint32_t i = 0; i < warps; i++)
        if (waiting_lanes(&block->warps[i], barrier))
            order_release(&b->order, i, s, true);
    for (uint32_t i = 0; i < warps; i++) {
        uint32_t waiting = waiting_lanes(&block->warps[i], barrier);
        if (!waiting)
            continue;
        order_acquire(&b->order, i, s, true);
        order_lanes_sync(&b->order, i, waiting, waiting == block->warps[i].live);
    }
}
