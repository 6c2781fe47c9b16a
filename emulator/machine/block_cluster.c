/* How the blocks of a cluster run: they take turns, and wait for each other at barrier.cluster. */
#include "machine/block_cluster.h"

#include <string.h>

#include "machine/observer.h"
#include "machine/stuck.h"

/* ---- the barrier ---- */

/* From the end: blocks and warps run in order, so the missing one is nearly always the last. */
static bool all_arrived(const struct block *b) {
    for (uint32_t r = b->launch->cluster_blocks; r-- > 0;) {
        const struct block *peer = cluster_block(b, r);
        for (uint32_t i = b->launch->warps_per_block; i-- > 0;)
            if (peer->warps[i].live & ~peer->cluster.arrived[i])
                return false;
    }
    return true;
}

/* Waiting splits test again, at the same instruction. */
static void let_go(struct warp *w, uint32_t passed) {
    w->rival = NULL;
    for (unsigned i = 0; i < w->count; i++) {
        struct warp_split *f = &w->splits[i];
        if (f->state != SPLIT_AT_CLUSTER || f->mask & ~passed)
            continue;
        f->state = SPLIT_READY;
        w->state = WARP_READY;
    }
}

void cluster_check_barrier(struct block *b) {
    if (!all_arrived(b))
        return;
    if (b->watch)
        observer.cluster_opens(b);
    for (uint32_t r = 0; r < b->launch->cluster_blocks; r++) {
        struct block *peer = cluster_block(b, r);
        struct cluster_barrier *bar = &peer->cluster;
        bar->awaited = false;
        for (uint32_t i = 0; i < b->launch->warps_per_block; i++) {
            /* Lanes that have arrived may pass when they reach the wait: `passed` keeps that until they arrive
             * again. */
            bar->passed[i] |= bar->arrived[i];
            bar->arrived[i] = 0;
            let_go(&peer->warps[i], bar->passed[i]);
        }
    }
}

void cluster_arrive(struct warp *w) {
    struct block *b = w->block;
    b->cluster.arrived[w->index] |= w->mask;
    b->cluster.passed[w->index] &= ~w->mask;
    /* Each block has its own flag, since lanes that exit check only their block's (warp_exit_lanes). */
    for (uint32_t r = 0; !b->cluster.awaited && r < b->launch->cluster_blocks; r++)
        if (r != b->rank)
            cluster_block(b, r)->cluster.awaited = true;
    b->cluster.awaited = true;
    cluster_check_barrier(b);
}

bool cluster_passed(const struct warp *w) {
    return !(w->mask & ~w->block->cluster.passed[w->index]);
}

/* ---- running ---- */

void cluster_start(struct block *first, uint64_t index) {
    const struct launch *l = first->launch;
    if (l->cluster_blocks == 1) {
        block_start(first, index);
        return;
    }
    const uint32_t *size = l->cluster, *grid = l->config.grid;
    /* Clusters are numbered along x, then y, then z, and so are the blocks in each. */
    uint64_t across = grid[0] / size[0], down = grid[1] / size[1];
    uint64_t x = index % across * size[0], y = index / across % down * size[1], z = index / across / down * size[2];
    for (uint32_t r = 0; r < l->cluster_blocks; r++) {
        uint64_t at[3] = {x + r % size[0], y + r / size[0] % size[1], z + r / size[0] / size[1]};
        block_start(cluster_block(first, r), at[0] + grid[0] * (at[1] + grid[1] * at[2]));
    }
}

static bool is_ready(const struct block *b) {
    for (uint32_t i = 0; i < b->launch->warps_per_block; i++)
        if (b->warps[i].state == WARP_READY)
            return true;
    return false;
}

/* One turn of all blocks. */
struct cluster_turn {
    uint32_t ended;  /* blocks */
    uint32_t waited; /* a bit for each that could not continue when its turn ended */
    uint32_t phases; /* of mbarriers that have ended up to now */
};

static bool take_turn(struct block *first, struct cluster_turn *turn) {
    *turn = (struct cluster_turn){0};
    for (uint32_t r = 0; r < first->launch->cluster_blocks; r++) {
        struct block *b = cluster_block(first, r);
        enum block_end how = cluster_block_ended(b) ? BLOCK_DONE : block_run(b);
        if (how == BLOCK_STOPPED)
            return false;
        turn->ended += how == BLOCK_DONE;
        turn->waited |= (uint32_t)(how == BLOCK_WAITS) << r;
        turn->phases += b->phases_over;
    }
    return true;
}

/* Blocks that waited, and that a block with a later turn has released. */
static bool anyone_let_go(const struct block *first, uint32_t waited) {
    for (; waited; waited &= waited - 1)
        if (is_ready(cluster_block(first, (uint32_t)__builtin_ctz(waited))))
            return true;
    return false;
}

/* Turns of all blocks before other clusters get theirs, as long as some block continues because of another one. Where
 * all that can run only spin, they may wait for another cluster. */
#define CLUSTER_TURNS 32

enum block_end cluster_run(struct block *first) {
    const struct launch *launch = first->launch;
    struct cluster_turn turn;
    /* the usual case; waiting blocks are examined again below, and reported */
    enum block_end alone = launch->cluster_blocks == 1 ? block_run(first) : BLOCK_WAITS;
    if (alone != BLOCK_WAITS)
        return alone;
    uint32_t phases = ~0u;
    for (int turns = launch->mixed ? 1 : CLUSTER_TURNS; turns; turns--) {
        if (!take_turn(first, &turn))
            return BLOCK_STOPPED;
        /* Blocks release each other by barriers (let_go) or by mbarriers whose phases end (over). If all wait and none
         * was released, none ever will be: nothing outside can open a cluster's barrier. */
        bool let_go = anyone_let_go(first, turn.waited), over = turn.phases != phases;
        if (turn.ended == launch->cluster_blocks)
            return BLOCK_DONE;
        if (turn.ended + (uint32_t)__builtin_popcount(turn.waited) == launch->cluster_blocks && !let_go) {
            stuck_report_cluster(first);
            return BLOCK_STOPPED;
        }
        if (!let_go && !over)
            break;
        phases = turn.phases;
    }
    return BLOCK_YIELDED;
}
