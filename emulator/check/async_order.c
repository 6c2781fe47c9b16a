#include "check/async_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

#define WARPGROUP 4

static void set_later(uint32_t *to, uint32_t time) {
    *to = time > *to ? time : *to;
}

static void join_times(uint32_t *to, const uint32_t *from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        set_later(&to[i], from[i]);
}

static uint64_t vectors_bytes(uint32_t count) {
    return (uint64_t)(ASYNC_WARPS + 1) * count * sizeof(uint32_t);
}

struct async_order *async_order_new(uint32_t blocks) {
    uint32_t width = blocks * ASYNC_WARPS, count = ASYNC_LOADS_OF(blocks) * width;
    struct async_order *a = zeroed(1, sizeof *a + vectors_bytes(count));
    a->width = width;
    a->count = count;
    return a;
}

void async_order_start(struct async_order *a, uint64_t cluster, uint32_t rank) {
    uint32_t width = a->width, count = a->count;
    /* All zeros: nothing is known. The header is zeroed as well, hence the copies. */
    memset(a, 0, sizeof *a + vectors_bytes(count));
    a->cluster = cluster;
    a->width = width;
    a->count = count;
    a->first = rank * ASYNC_WARPS;
}

/* A clock of this width and cluster, which starts out empty if it was none. */
static struct async_clock *clock_of(struct async_clock **c, uint64_t cluster, uint32_t width, uint32_t count) {
    if (!*c || (*c)->width != width) {
        free(*c);
        *c = zeroed(1, sizeof **c + (uint64_t)count * sizeof *(*c)->before);
        (*c)->width = width;
        (*c)->count = count;
    }
    if ((*c)->cluster != cluster)
        async_clock_forget(*c);
    (*c)->cluster = cluster;
    return *c;
}

void async_clock_forget(struct async_clock *c) {
    c->cluster = 0;
    memset(c->before, 0, (uint64_t)c->count * sizeof *c->before);
}

void async_clock_join(struct async_clock **to, const struct async_clock *from) {
    if (from->cluster)
        join_times(clock_of(to, from->cluster, from->width, from->count)->before, from->before, from->count);
}

void async_release(const struct async_order *a, uint32_t warp, struct async_clock **to) {
    struct async_order *own = (struct async_order *)(uintptr_t)a;
    uint32_t *before = clock_of(to, a->cluster, a->width, a->count)->before;
    join_times(before, async_known(own, warp), a->count);
    /* And what the whole block has agreed on at its last barrier (vector ASYNC_WARPS). */
    join_times(before, async_known(own, ASYNC_WARPS), a->count);
}

void async_acquire(struct async_order *a, uint32_t warp, const struct async_clock *from) {
    /* A clock of another cluster has no times of this one's warps. (A variable in global memory may have one.) */
    if (from->cluster == a->cluster)
        join_times(async_known(a, warp), from->before, a->count);
}

void async_barrier(struct async_order *a, uint32_t warps) {
    for (uint32_t i = 0; i < warps; i++)
        /* Of all warps at once, so that their own vectors need not be joined with each other. */
        join_times(async_known(a, ASYNC_WARPS), async_known(a, i), a->count);
}

void async_commit(struct async_groups *g, uint32_t time, uint32_t lanes) {
    g->times[g->count++ % ASYNC_GROUPS] = time;
    g->lanes = lanes;
}

/* When its first `groups` groups were committed; 0: they were not, or long ago. */
static uint32_t time_of(const struct async_groups *g, uint32_t groups) {
    if (!groups || groups > g->count || g->count - groups >= ASYNC_GROUPS)
        return 0;
    return g->times[(groups - 1) % ASYNC_GROUPS];
}

static uint32_t all_but(const struct async_groups *g, uint32_t left) {
    return g->count > left ? g->count - left : 0;
}

void async_products_wait(struct async_order *a, uint32_t warp, uint32_t left) {
    uint32_t first = warp / WARPGROUP * WARPGROUP, groups = all_but(&a->products[warp], left);
    uint32_t *known = async_known(a, warp) + ASYNC_PRODUCTS * a->width + a->first;
    /* Four warps make each wgmma together, and commit the same groups. So when one has waited, the same group of the
     * others is done, too. */
    for (uint32_t i = first; i < first + WARPGROUP; i++)
        set_later(&known[i], time_of(&a->products[i], groups));
}

void async_stores_wait(struct async_order *a, uint32_t warp, uint32_t left, uint32_t lanes, bool written) {
    const struct async_groups *g = &a->stores[warp];
    uint32_t *known = async_known(a, warp) + a->first + warp;
    if (!(g->lanes & lanes))
        return;
    set_later(&known[ASYNC_STORES * a->width], time_of(g, all_but(g, left)));
    if (written)
        set_later(&known[ASYNC_WRITES * a->width], time_of(g, all_but(g, left)));
}

uint32_t async_written(const struct async_order *a, uint32_t warp) {
    /* No copy, or the last one is known to be done, and so all before it. */
    bool done = !a->wrote[warp] || async_is_known(a, ASYNC_WRITES, a->first + warp, a->wrote[warp], warp);
    const uint32_t *own = a->before + (uint64_t)warp * a->count, *agreed = a->before + (uint64_t)ASYNC_WARPS * a->count;
    uint32_t at = ASYNC_WRITES * a->width + a->first + warp;
    return done ? ~0u : own[at] > agreed[at] ? own[at] : agreed[at];
}

void async_fence(struct async_order *a, uint32_t warp, uint32_t first, const uint32_t before[ASYNC_WARPS]) {
    join_times(async_known(a, warp) + ASYNC_FENCED * a->width + first, before, ASYNC_WARPS);
}
