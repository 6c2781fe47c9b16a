/* What the checks keep for a launch and for each of its blocks: made at the start, reported and freed at the end. */
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/block_watch.h"
#include "check/follow.h"
#include "check/launch_order.h"
#include "check/watch.h"
#include "machine/block_cluster.h"
#include "memory/memory.h"

static struct launch_watch *launch_watch_new(unsigned checks, const struct kernel *kernel) {
    struct launch_watch *l = zeroed(1, sizeof *l);
    l->checks = checks;
    l->kernel = kernel;
    l->probes = probes_of(kernel);
    l->unit_shift = (uint32_t)__builtin_ctz(l->probes->unit);
    pthread_mutex_init(&l->hazards.lock, NULL);
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

static struct ran ran_of(const struct launch *launch) {
    const struct operation_order *o = &launch->watch->operation;
    struct ran ran = {.serial = o->serial, .stream = o->stream, .number = o->number, .kernel = launch->kernel};
    memcpy(ran.grid, launch->config.grid, sizeof ran.grid);
    memcpy(ran.block, launch->config.block, sizeof ran.block);
    return ran;
}

struct launch_watch *watch_launch_begin(struct launch *launch) {
    unsigned checks = checks_on() & (CHECK_RACE | CHECK_INIT | CHECK_SYNC | CHECK_MEMORY);
    if (!checks)
        return NULL;
    unsigned slow =
        launch->cluster_blocks > 1 ? CHECK_SLOW : checks_on() & CHECK_SLOW; /* the fast paths handle one block only */
    struct launch_watch *l = launch->watch = launch_watch_new(checks | slow, launch->kernel);
    if (launch->config.order && launch->config.order->serial) {
        l->operation = *launch->config.order;
        struct ran ran = ran_of(launch);
        stream_order_ran(&ran);
        l->before = stream_order_all_before(&l->operation);
        l->floor = stream_order_floor();
    } else {
        l->operation.serial = l->operation.number = ~0u; /* not from a stream: nothing is known to happen before it */
    }
    launch_order_begin(l);
    return l;
}

void watch_launch_end(struct launch *launch) {
    struct launch_watch *l = launch->watch;
    if (l->checks & CHECK_RACE)
        race_with_copies(launch);
    l->hazards.launch = launch;
    hazards_report(&l->hazards);
    launch_order_end(l);
    pthread_mutex_destroy(&l->hazards.lock);
    pthread_mutex_destroy(&l->lock);
    free(l);
    launch->watch = NULL;
}

/* Each array fills whole lines of the host's cache. */
static struct shadow_arrays shadow_new(const struct launch *l) {
    struct shadow_arrays shadow = {.size = ((l->shared_bytes >> l->watch->unit_shift) + 31) / 16 * 16};
    shadow.arrays = zeroed(shadow.size, 2 * SHADOW_SLOTS * sizeof *shadow.arrays);
    return shadow;
}

static struct block_watch *block_watch_new(const struct block *b) {
    const struct launch *l = b->launch;
    struct block_watch *watch = zeroed(1, sizeof *watch);
    watch->launch = l->watch;
    watch->init.local_stride = l->local_bytes / 8 + 8;
    watch->sync.visitors =
        zeroed((size_t)l->watch->probes->unavoidable * l->warps_per_block + 1, sizeof *watch->sync.visitors);
    if (l->watch->checks & CHECK_RACE) {
        watch->shadow = shadow_new(l);
        watch->read_shared.words = zeroed(watch->shadow.size / 64 + 2, 8);
    }
    if (l->watch->checks & CHECK_RACE && l->cluster_blocks > 1)
        watch->cluster_shadow = zeroed(watch->shadow.size, sizeof *watch->cluster_shadow);
    for (uint32_t i = 0; l->watch->probes->products && l->watch->checks & CHECK_RACE && i < l->warps_per_block; i++)
        watch->products[i] = products_watch_new(l->watch->probes->products);
    if (l->watch->checks & CHECK_RACE && l->watch->probes->async) {
        watch->async_reads = zeroed(l->shared_bytes / ASYNC_PIECE + 1, sizeof *watch->async_reads);
        watch->order.async = async_order_new(l->cluster_blocks);
    }
    if (l->watch->probes->registers && l->watch->checks & CHECK_SYNC)
        watch->registers = registers_new(l);
    if (l->watch->checks & CHECK_INIT) {
        watch->init.shared_written = zeroed(l->shared_bytes / 64 + 2, 8);
        watch->init.local_written = zeroed((size_t)watch->init.local_stride * WARP_SIZE, l->warps_per_block);
    }
    return watch;
}

/* A number for the cluster, which is not 0 for a launch's first one either. */
static uint64_t cluster_of(const struct block *b) {
    return (uint64_t)b->launch->watch->operation.serial << 32 | (uint32_t)(cluster_block(b, 0)->index + 1);
}

void watch_block_start(struct block *b) {
    if (!b->watch)
        b->watch = block_watch_new(b);
    chunks_let_go(&b->watch->last_chunks.kept); /* of the block before */
    launch_order_block_ended(b->watch);
    b->watch->phases_over = b->phases_over;
    order_start(&b->watch->order, &b->watch->launch->order, (uint32_t)b->index, b->launch->warps_per_block);
    if (b->watch->order.async)
        async_order_start(b->watch->order.async, cluster_of(b), b->rank);
    uint32_t threads = b->launch->config.block[0] * b->launch->config.block[1] * b->launch->config.block[2];
    b->watch->whole = (uint32_t)(((uint64_t)1 << threads / WARP_SIZE) - 1);
    b->watch->sync.first_wait = ~0u;
    for (uint32_t i = 0; i < b->launch->warps_per_block && b->watch->products[i]; i++)
        products_watch_start(b->watch->products[i], b->watch->launch->probes->products);
    sync_clear(&b->watch->syncs);
    barrier_start(b->watch, b->launch->warps_per_block);
    registers_start(b->watch, b->launch);
    b->watch->reads.never = false;
    read_log_forget(b->watch);
    if (b->watch->cluster_shadow)
        memset(b->watch->cluster_shadow, 0, b->watch->shadow.size * sizeof *b->watch->cluster_shadow);
    if (b->watch->init.shared_written)
        written_start(b->watch, b);
    follow_block_start(b->watch);
    memset(b->watch->sync.skipped_syncs, 0, sizeof b->watch->sync.skipped_syncs);
}

void watch_block_free(struct block *b) {
    struct block_watch *watch = b->watch;
    chunks_let_go(&watch->last_chunks.kept);
    launch_order_block_ended(watch);
    order_free(&watch->order);
    sync_free(&watch->syncs);
    follow_free(watch);
    free(watch->shadow.arrays);
    free(watch->cluster_shadow);
    free(watch->read_shared.words);
    for (int i = 0; i < MAX_WARPS; i++)
        free(watch->products[i]);
    free(watch->reads.items);
    free(watch->async_reads);
    free(watch->registers);
    free(watch->sync.reachable.bits);
    free(watch->sync.visitors);
    free(watch->init.shared_written);
    free(watch->init.local_written);
    free(watch);
    b->watch = NULL;
}
