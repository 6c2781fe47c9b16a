/* A launch: a grid of blocks spread over the host's cores. */
#ifndef GRID_H
#define GRID_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "machine/kernel.h"
#include "machine/mbarrier_log.h"
#include "machine/warp.h"
#include "memory/memory.h"

struct operation_order;

struct launch_config {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;             /* bytes */
    const void *params;                  /* kernel parameters, packed as kernel->params describes */
    bool cooperative;                    /* all blocks must be resident at once */
    uint32_t stack;                      /* bytes of a thread, where the kernel needs one; 0: LIMIT_STACK_DEFAULT */
    bool clusters;                       /* the launch names the size of its clusters, even if it is one block */
    uint32_t cluster[3];                 /* blocks of a cluster; zeros: each block is a cluster */
    void *stream;                        /* handle of its stream, as the program gave it */
    int device;                          /* number of the device it runs on */
    uint32_t peers;                      /* a bit for each device whose memory it may use, its own too */
    const struct operation_order *order; /* among kernels and copies, for checks; or NULL */
};

/* The blocks that wait at the barrier of a cooperative launch, to detect when no block is left that could arrive:
 * machine/stuck.c. */
struct grid_wait {
    pthread_mutex_t lock;
    _Atomic uint64_t atomics; /* executed by blocks: while it does not change, no block has arrived */
    uint64_t seen;            /* the number of them to which the next refers */
    uint64_t waiting, ended;  /* blocks */
};

#define WORKSPACE_BYTES 8
#define BULK_LINE_BYTES 128
#define BULK_LINES      (LIMIT_SHARED_SM / BULK_LINE_BYTES)

struct launch {
    const struct kernel *kernel;
    struct launch_config config;
    uint64_t id; /* counts launches of the process from 1 */
    bool mixed;  /* see grid_mix */
    uint32_t warps_per_block;
    uint32_t cluster[3], cluster_blocks; /* blocks of a cluster: 1 without clusters */
    size_t block_stride;                 /* bytes from a block to the next of its cluster */
    uint32_t shared_bytes;               /* static + dynamic, per block */
    uint32_t plain_bytes;                /* the same where addresses are offsets; 0 in clusters of several blocks */
    uint32_t local_bytes;                /* per lane */
    uint64_t workspace; /* of a cooperative launch: two words, the second is the barrier of grid.sync() */
    struct grid_wait grid_wait;
    const uint8_t *params;
    struct launch_watch *watch; /* NULL unless checks are on: see machine/observer.h */
    double began, limit;        /* seconds on the monotonic clock; of a worker's CPU time, 0 for no limit */
    _Atomic int error;          /* cudaError_t; the first one wins */
    _Atomic bool stop;
    _Alignas(128) _Atomic uint64_t next_block; /* away from the fields that all workers read all the time */
};

/* May the launch use that memory? Not if it belongs to another device, without cudaDeviceEnablePeerAccess. Allocations
 * in a worker's cache have already been checked. */
static inline bool grid_may_use(const struct launch *launch, const struct allocation *a) {
    bool own = a->kind == MEMORY_DEVICE || a->kind == MEMORY_VARIABLE;
    if (a->mappings)
        return a->mappings->devices >> launch->config.device & 1;
    return !own || a->open || a->reserved || (launch->config.peers >> a->device & 1);
}

/* Barrier of a block. */
struct block_barrier {
    uint32_t arrived;  /* lanes */
    uint32_t expected; /* lanes; 0: all live lanes of the block */
    uint32_t trues;    /* bar.red: lanes whose predicate was true, and how many lanes voted */
    uint32_t votes;
    uint32_t result_trues, result_votes; /* of the last time it opened */
};

/* A block's part of barrier.cluster (machine/block_cluster.h). By warp: */
struct cluster_barrier {
    uint32_t arrived[32]; /* lanes that have arrived in this phase */
    uint32_t passed[32];  /* lanes in whose last phase all have arrived */
    bool awaited;         /* some lane of the cluster has arrived in this phase */
};

/* How long a block may run before others get their turn: less when it only waits for them. See block_waits(). */
struct block_turn {
    int32_t fuel; /* of each warp */
    uint64_t first,
        all;    /* hashes of the registers of the first warp, and of all, when the last turn ended; all 0: not known */
    bool waits; /* they were the same one turn before */
};

/* Above these bits an address of shared memory has the rank of its block in the cluster: machine/block_cluster.h. */
#define SHARED_RANK_SHIFT 24

/* A block's accesses to watched arrays, for the counts: first inputs, then outputs. */
struct block_reach {
    uint64_t bytes[2];
    uint32_t lanes[2][32]; /* by warp */
};

struct block {
    struct launch *launch;
    struct worker *worker;
    uint32_t ctaid[3];
    uint64_t index; /* linear */
    uint32_t rank;  /* in its cluster */
    uint32_t live_lanes;
    uint8_t *shared;
    struct warp *warps;
    uint32_t awaited; /* a bit for each barrier at which lanes have arrived and that has not opened */
    struct block_barrier barriers[16];
    struct cluster_barrier cluster;
    uint8_t *frames;
    uint8_t *locals;
    struct block_watch *watch; /* NULL unless checks are on */
    struct block_turn turn;
    struct block_clock {
        uint64_t before,
            began; /* nanoseconds: when this turn began, on the block's clock, and of its thread's CPU time */
    } clock;
    uint64_t grid_seen;   /* launch->grid_wait.atomics when the block last tested the grid's barrier, and ... */
    uint32_t grid_looks;  /* how often it has tested it since that changed */
    uint32_t phases_over; /* phases of mbarriers that have ended, for the checks */
    uint64_t bulk_lines[BULK_LINES / 64 + 1]; /* of shared memory: those that a bulk copy has filled, for the counts */
    struct block_reach reach;
    struct mbarrier_log mbarriers;
    uint32_t phase_yields; /* times it has yielded while all of it waited for a phase of an mbarrier, since ... */
    double phase_since;
    struct block *next;
};

/* The value of %clock64 for a block that runs: an SM's clock, which stops while the block does not run. So it counts
 * the CPU time of the block's turns, and a time limit inside a kernel does not expire because the host is busy. */
uint64_t block_clock(const struct block *b);

/* Where the block's own shared memory begins, as an address: 0 in a launch without clusters. */
static inline uint32_t shared_begin(const struct block *b) {
    return b->rank << SHARED_RANK_SHIFT;
}

/* An address as an offset in the block's own shared memory; one of another block is not an offset there, but lies
 * beyond its end. */
static inline uint32_t shared_offset(const struct block *b, uint64_t address) {
    return (uint32_t)address - shared_begin(b);
}

/* One host thread's state. `cache` holds, for each memory instruction, the allocation it last accessed. */
struct worker {
    const struct allocation **cache; /* by access.slot */
    size_t cache_size;
    struct counters *counters; /* NULL unless counting: see machine/observer.h */
    int index;
    double busy_before; /* CPU time of the thread when it began the launch */
};

/* Runs a kernel to its end on the pool's threads and the caller's. May be called from several threads.
 * Returns a cudaError_t (0 for success). Arguments have been validated by the API. */
int grid_run(const struct kernel *kernel, const struct launch_config *config);

/* From the next launch on: blocks take turns at each barrier, in a random order. Otherwise each runs as far as it can,
 * and nearly in order, so that a block that should wait for another one finds it done. */
void grid_mix(bool on);

/* machine/block.c */
enum block_end {
    BLOCK_DONE,
    BLOCK_YIELDED,
    BLOCK_STOPPED,
    BLOCK_WAITS, /* for its cluster, or forever: no warp in it can run */
};
enum block_end block_run(struct block *b);
void block_start(struct block *b, uint64_t index);
/* It has yielded. Does it only wait for other blocks? Decides how long its next turn will be. */
bool block_waits(struct block *b);
/* Opens the barrier if all lanes that it waits for have arrived. */
void block_check_barrier(struct block *b, unsigned barrier);
/* Threads that have arrived at a barrier with a count. */
uint32_t block_barrier_arrived(const struct block *b, unsigned barrier);

int grid_threads(void); /* host threads that execute blocks: EMULATOR_THREADS, or the CPUs we may use */

static inline uint32_t lane_thread(const struct warp *w, int lane) {
    return w->index * WARP_SIZE + (uint32_t)lane;
}
/* threadIdx of a lane. */
void lane_thread_index(const struct warp *w, int lane, uint32_t tid[3]);

#endif
