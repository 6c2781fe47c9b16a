#include "check/async_order.h"

#define WARPGROUP 4

static void set_later(uint32_t *to, uint32_t time) {
    *to = time > *to ? time : *to;
}

void async_clock_join(struct async_clock *to, const struct async_clock *from) {
    for (int f = 0; f < ASYNC_FACTS; f++)
        for (int i = 0; i < ASYNC_WARPS; i++)
            set_later(&to->before[f][i], from->before[f][i]);
}

struct async_clock async_clock_of(const struct async_order *a, uint32_t warp) {
    struct async_clock c = a->base;
    async_clock_join(&c, &a->warps[warp]);
    return c;
}

void async_barrier(struct async_order *a, uint32_t warps) {
    for (uint32_t i = 0; i < warps; i++)
        async_clock_join(&a->base, &a->warps[i]);
}

void async_commit(struct async_groups *g, uint32_t time, uint32_t lanes) {
    g->times[g->count++ % ASYNC_GROUPS] = time;
    g->lanes = lanes;
}

/* When its first so many groups were committed; 0: it has not, or it is long ago. */
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
    for (uint32_t i = first; i < first + WARPGROUP; i++)
        set_later(&a->warps[warp].before[ASYNC_PRODUCTS][i], time_of(&a->products[i], groups));
}

void async_stores_wait(struct async_order *a, uint32_t warp, uint32_t left, uint32_t lanes) {
    const struct async_groups *g = &a->stores[warp];
    if (g->lanes & lanes)
        set_later(&a->warps[warp].before[ASYNC_STORES][warp], time_of(g, all_but(g, left)));
}

void async_fence(struct async_order *a, uint32_t warp, const uint32_t before[ASYNC_WARPS]) {
    for (int i = 0; i < ASYNC_WARPS; i++)
        set_later(&a->warps[warp].before[ASYNC_FENCED][i], before[i]);
}
