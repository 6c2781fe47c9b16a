/* A block: its warps take turns on one host thread; its barriers open when all have come. */
#include <string.h>

#include "check/report.h"
#include "check/watch.h"
#include "core/function.h"
#include "core/grid.h"

void lane_thread_index(const struct warp *w, int lane, uint32_t tid[3]) {
    const uint32_t *size = w->launch->config.block;
    uint32_t thread = lane_thread(w, lane);
    tid[0] = thread % size[0];
    tid[1] = thread / size[0] % size[1];
    tid[2] = thread / size[0] / size[1];
}

void block_start(struct block *b, uint64_t index) {
    const struct launch *launch = b->launch;
    const uint32_t *grid = launch->config.grid;
    uint32_t threads = launch->config.block[0] * launch->config.block[1] * launch->config.block[2];
    b->index = index;
    b->ctaid[0] = (uint32_t)(index % grid[0]);
    b->ctaid[1] = (uint32_t)(index / grid[0] % grid[1]);
    b->ctaid[2] = (uint32_t)(index / grid[0] / grid[1]);
    b->live_lanes = threads;
    memset(&b->cluster, 0, sizeof b->cluster);
    if (b->awaited) { /* lanes of the block before have arrived somewhere and not waited */
        memset(b->barriers, 0, sizeof b->barriers);
        b->awaited = 0;
    }
    memset(b->shared, 0xff, launch->shared_bytes); /* NaN, -1: shared memory is not zero on a GPU either */
    memset(b->shared, 0, launch->kernel->reserved_shared);
    for (uint32_t i = 0; i < launch->warps_per_block; i++) {
        uint32_t rest = threads - i * WARP_SIZE;
        struct warp *w = &b->warps[i];
        warp_start(w, launch->kernel->code.insns, rest >= WARP_SIZE ? FULL_MASK : (1u << rest) - 1);
        for (int l = 0; launch->kernel->calls && l < WARP_SIZE; l++)
            w->local_sp[l] = launch->kernel->entry_local;
    }
}

void block_check_barrier(struct block *b, unsigned barrier) {
    struct block_barrier *bar = &b->barriers[barrier];
    uint32_t wanted = bar->expected && bar->expected < b->live_lanes ? bar->expected : b->live_lanes;
    if (bar->arrived < wanted || !bar->arrived) {
        b->awaited |= bar->arrived ? 1u << barrier : 0;
        return;
    }
    b->awaited &= ~(1u << barrier);
    if (b->watch)
        watch_barrier_opens(b, barrier);
    bar->result_trues = bar->trues;
    bar->result_votes = bar->votes;
    bar->arrived = bar->expected = bar->trues = bar->votes = 0;
    for (uint32_t i = 0; i < b->launch->warps_per_block; i++)
        warp_release(&b->warps[i], barrier);
}

/* Nobody can run and nobody will open a barrier. Says who waits where. */
static void report_stuck(struct block *b) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < b->launch->warps_per_block; i++) {
            struct warp *w = &b->warps[i];
            for (unsigned k = 0; k < w->count; k++) {
                struct fragment *f = &w->fragments[k];
                bool sync = f->state == FRAGMENT_AT_SYNC;
                if (sync == (pass == 1))
                    continue;
                if (sync)
                    report_insn(
                        w, f->pc, FINDING_LOST_LANE, f->mask, "Barrier error detected. Divergent thread(s) in warp.",
                        "This warp instruction waits for lanes that its mask names but that never come: all lanes "
                        "of the mask must execute the same one. Move it out of the if, or name only the lanes "
                        "that take part.");
                else
                    report_insn(w, f->pc - 1, FINDING_DIVERGENT_BARRIER, f->mask,
                                "Barrier error detected. Divergent thread(s) in block.",
                                "These threads wait at a __syncthreads() that other threads of the block never reach: "
                                "every thread of the block has to.");
                warp_fault(w, 719);
                return;
            }
        }
}

/* Rounds in which nobody did more than wait for another warp of the block, before other blocks get their turn. */
#define SPIN_ROUNDS 32

enum block_end block_run(struct block *b) {
    struct launch *launch = b->launch;
    for (int rounds = 0;;) {
        bool ready = false, rested = false; /* some warp can run; some warp stopped for a reason other than fuel */
        bool spun = false;                  /* some warp stopped at a test that another has to make true */
        for (uint32_t i = 0; i < launch->warps_per_block; i++) {
            struct warp *w = &b->warps[i];
            if (w->state != WARP_READY)
                continue;
            ready = true;
            warp_run(w);
            rested |= w->state != WARP_READY;
            spun |= w->state == WARP_READY && w->fuel > 0;
            if (atomic_load_explicit(&launch->stop, memory_order_relaxed))
                return BLOCK_STOPPED;
        }
        if (!b->live_lanes)
            return BLOCK_DONE;
        if (!ready) {
            report_stuck(b);
            return BLOCK_STOPPED;
        }
        if (!rested && (!spun || ++rounds == SPIN_ROUNDS))
            return BLOCK_YIELDED;
    }
}
