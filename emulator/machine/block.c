/* A block: its warps take turns on one host thread; its barriers open when all have arrived. */
#include <assert.h>
#include <string.h>
#include <time.h>

#include "machine/block_cluster.h"
#include "machine/observer.h"
#include "memory/memory.h"

/* Backward branches of a warp in a block's first turn, and in one of a block that may be waiting. */
#define FIRST_FUEL 1024
#define SHORT_FUEL 64
/* The same where blocks are mixed, and many waiting blocks have a turn before the one that they wait for. */
#define LOOK_FUEL 4

void lane_thread_index(const struct warp *w, int lane, uint32_t tid[3]) {
    const uint32_t *size = w->launch->config.block;
    uint32_t thread = lane_thread(w, lane);
    tid[0] = thread % size[0];
    tid[1] = thread / size[0] % size[1];
    tid[2] = thread / size[0] / size[1];
}

/* ---- its clock ---- */

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t block_clock(const struct block *b) {
    return b->clock.before + (nanoseconds(CLOCK_THREAD_CPUTIME_ID) - b->clock.began);
}

/* ---- running ---- */

void block_start(struct block *b, uint64_t index) {
    const struct launch *launch = b->launch;
    const uint32_t *grid = launch->config.grid;
    uint32_t threads = launch->config.block[0] * launch->config.block[1] * launch->config.block[2];
    b->index = index;
    b->ctaid[0] = (uint32_t)(index % grid[0]);
    b->ctaid[1] = (uint32_t)(index / grid[0] % grid[1]);
    b->ctaid[2] = (uint32_t)(index / grid[0] / grid[1]);
    b->live_lanes = threads;
    b->turn = (struct block_turn){.fuel = launch->mixed ? SHORT_FUEL : FIRST_FUEL};
    b->mbarriers.count = 0;
    b->clock.before = launch->kernel->reads_clock ? nanoseconds(CLOCK_MONOTONIC) : 0;
    b->mbarriers.bytes_ahead = 0;
    memset(b->bulk_lines, 0, sizeof b->bulk_lines);
    memset(&b->cluster, 0, sizeof b->cluster);
    b->reach = (struct block_reach){0};
    if (b->awaited) { /* lanes of the previous block have arrived at a barrier and not waited */
        memset(b->barriers, 0, sizeof b->barriers);
        b->awaited = 0;
    }
    memset(b->shared, MEMORY_POISON, launch->shared_bytes); /* shared memory is not zero on a GPU either */
    memset(b->shared, 0, launch->kernel->reserved_shared);
    for (uint32_t i = 0; i < launch->warps_per_block; i++) {
        uint32_t rest = threads - i * WARP_SIZE;
        struct warp *w = &b->warps[i];
        warp_start(w, launch->kernel->code.insns, rest >= WARP_SIZE ? FULL_MASK : (1u << rest) - 1);
        for (int l = 0; (launch->kernel->calls || launch->kernel->has_stack) && l < WARP_SIZE; l++)
            w->local_sp[l] = launch->kernel->entry_local;
    }
}

/* Where a barrier has a count, a warp counts as whole when all its remaining lanes wait at it, as on an H200. */
uint32_t block_barrier_arrived(const struct block *b, unsigned barrier) {
    uint32_t arrived = b->barriers[barrier].arrived;
    for (uint32_t i = 0; i < b->launch->warps_per_block; i++) {
        const struct warp *w = &b->warps[i];
        uint32_t waiting = 0;
        for (unsigned k = 0; k < w->count; k++)
            if (w->splits[k].state == SPLIT_AT_BARRIER && w->splits[k].barrier == barrier)
                waiting |= w->splits[k].mask;
        /* All remaining lanes wait: those that have exited, or never existed in a partial warp, are added, since the
         * hardware counts warps times 32. */
        if (waiting && waiting == w->live)
            arrived += WARP_SIZE - (uint32_t)__builtin_popcount(waiting);
    }
    return arrived;
}

static bool has_come(const struct block *b, unsigned barrier) {
    const struct block_barrier *bar = &b->barriers[barrier];
    if (!bar->expected)
        return bar->arrived >= b->live_lanes;
    return bar->arrived >= bar->expected || block_barrier_arrived(b, barrier) >= bar->expected;
}

void block_check_barrier(struct block *b, unsigned barrier) {
    struct block_barrier *bar = &b->barriers[barrier];
    assert(bar->expected || bar->arrived <= b->live_lanes);
    if (!bar->arrived || !has_come(b, barrier)) {
        b->awaited |= bar->arrived ? 1u << barrier : 0;
        return;
    }
    b->awaited &= ~(1u << barrier);
    if (b->watch)
        observer.barrier_opens(b, barrier);
    /* The warps read the results of bar.red when they continue; by then others may vote for the next phase. */
    bar->result_trues = bar->trues;
    bar->result_votes = bar->votes;
    bar->arrived = bar->expected = bar->trues = bar->votes = 0;
    for (uint32_t i = 0; i < b->launch->warps_per_block; i++)
        warp_release(&b->warps[i], barrier);
}

/* Rounds in which no warp did more than wait for another warp of the block, before other blocks get their turn. */
#define SPIN_ROUNDS 32
/* Rounds of any kind: a loop around a barrier must not run forever either. */
#define MOST_ROUNDS 10000

static enum block_end take_turns(struct block *b) {
    struct launch *launch = b->launch;
    for (int rounds = 0, left = MOST_ROUNDS;;) {
        bool ready = false, rested = false; /* some warp can run; some warp stopped for a reason other than fuel */
        bool spun = false;                  /* some warp stopped at a test that another warp has to make true */
        for (uint32_t i = 0; i < launch->warps_per_block; i++) {
            struct warp *w = &b->warps[i];
            if (w->state != WARP_READY)
                continue;
            ready = true;
            warp_run(w);
            /* Waits at a barrier, or is done. A warp that is still ready has used up its fuel, or was spinning with
             * some fuel left. */
            rested |= w->state != WARP_READY;
            spun |= w->state == WARP_READY && w->fuel > 0;
            if (atomic_load_explicit(&launch->stop, memory_order_relaxed))
                return BLOCK_STOPPED;
        }
        if (!b->live_lanes)
            return BLOCK_DONE;
        if (!ready)
            return BLOCK_WAITS;
        /* Starts another round if some warp has reached a barrier or has ended in this one, since others may open that
         * barrier now. If none has, the block yields when all have only run out of fuel (so that others get their
         * turn), or after SPIN_ROUNDS rounds in which some were spinning: they may be waiting for another block.
         */
        if (launch->mixed || --left == 0 || (!rested && (!spun || ++rounds == SPIN_ROUNDS)))
            return BLOCK_YIELDED;
    }
}

enum block_end block_run(struct block *b) {
    bool clock = b->launch->kernel->reads_clock;
    if (clock)
        b->clock.began = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    enum block_end how = take_turns(b);
    if (clock)
        b->clock.before = block_clock(b);
    return how;
}

/* ---- waiting ---- */

static uint64_t hash_warp(const struct warp *w, uint64_t h) {
    const uint64_t *at = (const uint64_t *)(const void *)w->regs, *end = at + w->launch->kernel->frame_bytes / 8;
    uint64_t part[4] = {h, 1, 2, 3};
    /* Four independent chains, since one multiplication would wait for the one before. A frame consists of whole
     * vectors. */
    for (; at + 4 <= end; at += 4)
        for (int i = 0; i < 4; i++)
            part[i] = (part[i] ^ at[i]) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 4; i++)
        h = (h ^ part[i] ^ part[i] >> 29) * 0xbf58476d1ce4e5b9u;
    for (unsigned i = 0; i < w->count; i++)
        h = (h ^ (uint64_t)(uintptr_t)w->splits[i].pc ^ w->splits[i].mask) * 0x94d049bb133111ebu;
    /* Never 0, which means that no warp could run. */
    return h | 1;
}

/* Of the first warp of the cluster that can run, or of all that can. */
static uint64_t hash_ready(const struct block *first, bool all) {
    uint64_t h = 0;
    for (uint32_t r = 0; r < first->launch->cluster_blocks; r++) {
        const struct block *b = cluster_block(first, r);
        for (uint32_t i = 0; i < b->launch->warps_per_block && (all || !h); i++)
            if (b->warps[i].state == WARP_READY)
                h = hash_warp(&b->warps[i], h);
    }
    return h;
}

/* A loop that only polls has the same registers at each backward branch; one that computes, or that gives up after a
 * number of polls, does not. A block that waits for another one gets short turns, so that the other can continue; other
 * blocks get longer and longer ones. */
bool block_waits(struct block *b) {
    struct block_turn *t = &b->turn;
    /* The first warp's hash nearly always shows that something has changed; only if it does not are all warps
     * hashed. */
    uint64_t first = hash_ready(b, false), all = first == t->first ? hash_ready(b, true) : 0;
    bool waits = all && all == t->all, known = t->first != 0;
    /* Twice as long each time, up to WARP_FUEL, as long as the block computes. */
    int32_t longer = t->fuel < FIRST_FUEL ? 2 * FIRST_FUEL : 2 * t->fuel;
    t->fuel = waits && b->launch->mixed           ? LOOK_FUEL
              : all || !known || b->launch->mixed ? SHORT_FUEL
              : longer < WARP_FUEL                ? longer
                                                  : WARP_FUEL;
    t->first = first;
    t->all = all;
    t->waits = waits;
    for (uint32_t r = 1; r < b->launch->cluster_blocks; r++)
        cluster_block(b, r)->turn.fuel = t->fuel;
    return waits;
}
