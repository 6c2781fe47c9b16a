/* Spreads the blocks of a launch over the host's cores. The launching thread works too; helpers join it. */
#include "machine/grid.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/out_of_memory.h"
#include "base/settings.h"
#include "machine/call_stack.h"
#include "machine/block_cluster.h"
#include "machine/observer.h"
#include "machine/stuck.h"
#include "memory/memory.h"

#define MAX_HELPERS 255
#define MAX_SHARE   16 /* blocks that a worker takes at once */

/* Blocks that have yielded, for the next free worker; those of a launch that is counted stay with theirs. */
struct yielded_blocks {
    pthread_mutex_t lock;
    struct block *first, **end;
    _Atomic unsigned count;
    /* turns since a block ended or began; one of a block that only waits counts as WAITING_TURN */
    _Atomic unsigned turns_without_progress;
    _Atomic unsigned begun; /* since it became time to begin more */
    unsigned ready;         /* where blocks are mixed: this many come first, and the others only wait */
    uint64_t random_state;
};

/* A launch in progress, on its caller's stack. */
struct launch_job {
    struct launch launch;
    struct yielded_blocks yielded;
    uint64_t clusters; /* blocks, where there are none */
    unsigned resident; /* of these at once, at most, when they wait for others */
    unsigned workers;  /* working on it now, without the caller; under the pool's lock */
    struct launch_job *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct launch_job *jobs;
    int helpers, idle;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0};

struct observer observer;
static _Atomic uint64_t launch_count;
static _Atomic bool mixes;

void grid_mix(bool on) {
    atomic_store(&mixes, on);
}

int grid_threads(void) {
    static _Atomic int threads;
    int n = atomic_load(&threads);
    if (n)
        return n;
    const char *wanted = setting_text(SETTING_THREADS);
    cpu_set_t set;
    n = wanted ? atoi(wanted) : sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    n = n < 1 ? 1 : n > MAX_HELPERS + 1 ? MAX_HELPERS + 1 : n;
    atomic_store(&threads, n);
    return n;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a block's memory ---- */

static uint32_t special_value(const struct launch *launch, enum frame_special special, uint32_t warp, uint32_t lane) {
    const uint32_t *block = launch->config.block, *grid = launch->config.grid;
    uint32_t thread = warp * WARP_SIZE + lane, bit = 1u << lane;
    switch (special) {
    case FRAME_TID_X:
        return thread % block[0];
    case FRAME_TID_Y:
        return thread / block[0] % block[1];
    case FRAME_TID_Z:
        return thread / block[0] / block[1];
    case FRAME_NTID_X:
        return block[0];
    case FRAME_NTID_Y:
        return block[1];
    case FRAME_NTID_Z:
        return block[2];
    case FRAME_NCTAID_X:
        return grid[0];
    case FRAME_NCTAID_Y:
        return grid[1];
    case FRAME_NCTAID_Z:
        return grid[2];
    case FRAME_LANEID:
        return lane;
    case FRAME_LANEMASK_EQ:
        return bit;
    case FRAME_LANEMASK_LT:
        return bit - 1;
    case FRAME_LANEMASK_LE:
        return bit | (bit - 1);
    case FRAME_LANEMASK_GT:
        return ~(bit | (bit - 1));
    case FRAME_LANEMASK_GE:
        return ~(bit - 1);
    case FRAME_NWARPID:
        return 64;
    case FRAME_NSMID:
        return (uint32_t)grid_threads();
    case FRAME_GRID_WORKSPACE_HIGH:
        return (uint32_t)(launch->workspace >> 32);
    case FRAME_GRID_WORKSPACE_LOW:
        return (uint32_t)launch->workspace;
    case FRAME_DYNAMIC_SHARED:
        return launch->config.dynamic_shared;
    case FRAME_TOTAL_SHARED:
        return launch->shared_bytes - launch->kernel->reserved_shared;
    case FRAME_AGGREGATE_SHARED:
        return (launch->shared_bytes - launch->kernel->reserved_shared) * launch->cluster_blocks;
    case FRAME_CLUSTER_NCTAID_X:
    case FRAME_CLUSTER_NCTAID_Y:
    case FRAME_CLUSTER_NCTAID_Z:
        return launch->cluster[special - FRAME_CLUSTER_NCTAID_X];
    case FRAME_CLUSTER_NCTARANK:
        return launch->cluster_blocks;
    case FRAME_NCLUSTERID_X:
    case FRAME_NCLUSTERID_Y:
    case FRAME_NCLUSTERID_Z:
        return grid[special - FRAME_NCLUSTERID_X] / launch->cluster[special - FRAME_NCLUSTERID_X];
    }
    return 0;
}

static void fill_constant(const struct warp *w, const struct frame_constant *c) {
    const struct launch *launch = w->launch;
    void *at = w->regs + c->slot;
    for (uint32_t l = 0; l < WARP_SIZE; l++)
        switch (c->bits) {
        case 1:
            *(uint32_t *)at = (uint32_t)c->value;
            break;
        case 16:
            ((uint16_t *)at)[l] = (uint16_t)c->value;
            break;
        case 32:
            ((uint32_t *)at)[l] = (uint32_t)c->value;
            break;
        case 64:
            ((uint64_t *)at)[l] = c->value;
            break;
        case 128:
            ((uint64_t *)at)[2 * l] = c->value;
            ((uint64_t *)at)[2 * l + 1] = 0;
            break;
        case FRAME_PARAM_32:
            memcpy((uint32_t *)at + l, launch->params + c->value, 4);
            break;
        case FRAME_PARAM_64:
            memcpy((uint64_t *)at + l, launch->params + c->value, 8);
            break;
        case FRAME_SHARED_32:
            ((uint32_t *)at)[l] = shared_begin(w->block) + (uint32_t)c->value;
            break;
        case FRAME_SHARED_64:
            ((uint64_t *)at)[l] = shared_begin(w->block) + c->value;
            break;
        default:
            ((uint32_t *)at)[l] = special_value(launch, (enum frame_special)c->value, w->index, l);
            break;
        }
}

static size_t rounded(size_t n) {
    return (n + 127) & ~(size_t)127;
}

/* A worker takes, runs and puts aside whole clusters, each named by its first block; most have no other. One piece of
 * memory holds each block, its warps, their frames, local memory and shared memory. */
static size_t block_bytes(const struct launch *launch) {
    size_t warps = launch->warps_per_block;
    return rounded(sizeof(struct block)) + rounded(warps * sizeof(struct warp)) +
           warps * rounded(launch->kernel->frame_bytes) + warps * rounded((size_t)launch->local_bytes * WARP_SIZE) +
           rounded(launch->shared_bytes + 64);
}

static struct block *block_make(struct launch *launch, struct worker *worker, void *memory, uint32_t rank) {
    uint8_t *at = memory;
    const struct kernel *k = launch->kernel;
    struct block *b = memory;
    memset(b, 0, sizeof *b);
    at += rounded(sizeof *b);
    b->launch = launch;
    b->worker = worker;
    b->rank = rank;
    b->warps = (struct warp *)(void *)at;
    at += rounded(launch->warps_per_block * sizeof(struct warp));
    for (uint32_t i = 0; i < launch->warps_per_block; i++, at += rounded(k->frame_bytes)) {
        struct warp *w = &b->warps[i];
        memset(w, 0, sizeof *w);
        w->regs = at;
        w->block = b;
        w->worker = worker;
        w->launch = launch;
        w->index = (uint16_t)i;
        for (uint32_t c = 0; c < k->constant_count; c++)
            fill_constant(w, &k->constants[c]);
    }
    for (uint32_t i = 0; i < launch->warps_per_block; i++, at += rounded((size_t)launch->local_bytes * WARP_SIZE)) {
        b->warps[i].local = at;
        memset(at, MEMORY_POISON, (size_t)launch->local_bytes * WARP_SIZE);
    }
    b->shared = at;
    return b;
}

static struct block *cluster_make(struct launch *launch, struct worker *worker) {
    uint8_t *memory = or_out_of_memory(aligned_alloc(128, launch->cluster_blocks * launch->block_stride));
    for (uint32_t r = 0; r < launch->cluster_blocks; r++)
        block_make(launch, worker, memory + r * launch->block_stride, r);
    return (struct block *)(void *)memory;
}

static void cluster_free(struct block *first) {
    for (uint32_t r = 0; first && r < first->launch->cluster_blocks; r++) {
        struct block *b = cluster_block(first, r);
        if (b->watch)
            observer.block_ended(b);
        for (uint32_t i = 0; i < b->launch->warps_per_block; i++)
            call_stack_free(b->warps[i].call_stack);
    }
    free(first);
}

/* ---- a worker ---- */

/* Clusters that a worker has taken and not yet begun. */
struct range {
    uint64_t next, end;
};

/* Takes several blocks at once, fewer when few are left: workers would spend their time on the counter otherwise. Only
 * one when blocks wait for others: then the others should be begun in order. Also only one with checks on: a location
 * that two blocks have read costs nothing to blocks that begin later, but a lock for each access to all others. */
static bool take_blocks(struct launch_job *job, struct range *taken, bool one) {
    _Atomic uint64_t *counter = &job->launch.next_block;
    uint64_t at = atomic_load(counter), left = at < job->clusters ? job->clusters - at : 0;
    /* A quarter of an equal share, so that the last ones are taken one by one and workers end together. */
    uint64_t share = left / (4 * (uint64_t)grid_threads());
    share = share < 1 || one || job->launch.watch ? 1 : share > MAX_SHARE ? MAX_SHARE : share;
    uint64_t begin = left ? atomic_fetch_add(counter, share) : job->clusters, end = begin + share;
    if (begin >= job->clusters)
        return false;
    *taken = (struct range){begin, end < job->clusters ? end : job->clusters};
    return true;
}

static struct block *next_block(struct launch_job *job, struct worker *worker, struct range *taken, struct block *reuse,
                                bool one) {
    struct launch *launch = &job->launch;
    if (atomic_load(&launch->stop) || (taken->next == taken->end && !take_blocks(job, taken, one)))
        return NULL;
    uint64_t index = taken->next++;
    reuse = reuse ? reuse : cluster_make(launch, worker);
    cluster_start(reuse, index);
    for (uint32_t r = 0; launch->watch && r < launch->cluster_blocks; r++)
        observer.block_begins(cluster_block(reuse, r));
    return reuse;
}

/* CPU time of the calling thread, in seconds. */
static double busy(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The limit counts the CPU time that a worker has spent on the launch: on a busy machine a kernel takes longer without
 * being endless. A launch whose workers sleep is ended, too. */
#define PATIENCE 10

static bool limit_reached(const struct launch *launch, const struct worker *worker, double time) {
    if (!launch->limit ||
        time < launch->began + launch->limit) /* CPU time never exceeds the wall clock, which is cheap to read */
        return false;
    /* Or the wall clock, much later: a kernel that sleeps spends no CPU time. */
    return busy() - worker->busy_before >= launch->limit || time >= launch->began + PATIENCE * launch->limit;
}

/* A block has yielded: is it pointless to continue? */
static bool out_of_time(struct launch_job *job, struct block *b) {
    struct launch *launch = &job->launch;
    double time = now();
    if (stuck_for_ever(b, time))
        return true;
    if (!limit_reached(launch, b->worker, time))
        return false;
    if (!atomic_exchange(&launch->stop, true)) {
        int none = 0, error = stuck_report_endless(b);
        atomic_compare_exchange_strong(&launch->error, &none, error);
    }
    return true;
}

/* Blocks between two readings of the clock. */
#define TIME_EVERY 16

static void report_time(const struct launch_job *job, const struct worker *worker, double *since) {
    double time = now();
    if (observer.interpreted)
        observer.interpreted(job->launch.kernel, worker->counters != NULL, (uint64_t)((time - *since) * 1e9));
    *since = time;
}

#define WAITING_TURN 8

/* Clusters that the device holds at once, at least: registers and the driver's share may leave room for fewer. A kernel
 * that relies on as many blocks as the device claims to hold also ends here, however few cores the host has. */
static unsigned most_resident(const struct launch *l) {
    double wanted = setting_text(SETTING_RESIDENT) ? setting_number(SETTING_RESIDENT) : 0;
    unsigned by_threads = LIMIT_SM_THREADS / (l->warps_per_block * WARP_SIZE),
             by_shared = LIMIT_SHARED_SM / (l->shared_bytes + 1), most = LIMIT_SM_BLOCKS;
    most = by_threads < most ? by_threads : most;
    most = by_shared < most ? by_shared : most;
    most = (wanted >= 1 ? (unsigned)wanted : LIMIT_SMS * most) / l->cluster_blocks;
    return most ? most : 1;
}

/* Is it time to begin another block? One that others wait for may not have begun. But the oldest come first: they may
 * wait only for each other, and a newly begun block waits after them. All blocks of a cooperative launch must be
 * resident. */
static bool may_begin_block(const struct launch_job *job, const struct yielded_blocks *s) {
    unsigned count = atomic_load_explicit(&s->count, memory_order_relaxed);
    if (!count || job->launch.config.cooperative)
        return true;
    return count < job->resident &&
           (job->launch.mixed || atomic_load(&s->turns_without_progress) >= WAITING_TURN * count);
}

static void set_worker(struct block *first, struct worker *worker) {
    for (uint32_t r = 0; r < first->launch->cluster_blocks; r++) {
        struct block *b = cluster_block(first, r);
        b->worker = worker;
        for (uint32_t i = 0; i < b->launch->warps_per_block; i++)
            b->warps[i].worker = worker;
    }
}

/* A number from 0 to count - 1. */
static unsigned draw(uint64_t *random_state, unsigned count) {
    *random_state = *random_state * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    return (unsigned)((*random_state >> 32) * count >> 32);
}

/* Where blocks are mixed: any that is ready; now and then one of the others, since their condition may have become
 * true. */
static unsigned draw_yielded(struct yielded_blocks *s) {
    /* The list has `ready` blocks first, then those that only wait. In one of eight draws the first waiting block has a
     * turn. */
    if (s->ready && (s->ready == s->count || draw(&s->random_state, 8)))
        return draw(&s->random_state, s->ready--);
    return s->ready;
}

/* The block whose turn was longest ago, unless they are mixed. */
static struct block *take_yielded(struct yielded_blocks *s, struct worker *worker) {
    pthread_mutex_lock(&s->lock);
    struct block **at = &s->first;
    for (unsigned skip = draw_yielded(s); skip; skip--)
        at = &(*at)->next;
    struct block *b = *at;
    if (b) {
        *at = b->next;
        if (s->end == &b->next)
            s->end = at;
        atomic_fetch_sub(&s->count, 1);
    }
    pthread_mutex_unlock(&s->lock);
    /* Another host thread runs it now: its warps use this one's caches and counters. */
    if (b && b->worker != worker)
        set_worker(b, worker);
    return b;
}

static struct block *begin_block(struct launch_job *job, struct yielded_blocks *s, struct worker *worker,
                                 struct range *taken, struct block **spare) {
    /* One at a time where others wait, so that blocks begin in the order of their numbers (take_blocks). */
    struct block *b = next_block(job, worker, taken, *spare, atomic_load(&s->count) > 0);
    if (b) {
        *spare = NULL;
        /* Several at once when many wait: otherwise all of them would have a turn for each. */
        if (atomic_load_explicit(&s->turns_without_progress, memory_order_relaxed) &&
            atomic_fetch_add(&s->begun, 1) >= atomic_load_explicit(&s->count, memory_order_relaxed) / 8) {
            atomic_store(&s->begun, 0);
            atomic_store(&s->turns_without_progress, 0);
        }
    }
    return b;
}

static struct block *choose_block(struct launch_job *job, struct yielded_blocks *s, struct worker *worker,
                                  struct range *taken, struct block **spare) {
    struct block *b = may_begin_block(job, s) ? begin_block(job, s, worker, taken, spare) : NULL;
    if (!b)
        b = take_yielded(s, worker);
    return b ? b : begin_block(job, s, worker, taken, spare); /* another worker was faster */
}

/* A block's turn has ended and the block has not. Returns it when it has the next turn, too. */
static struct block *yield_block(const struct launch_job *job, struct yielded_blocks *s, struct block *b) {
    bool waits = block_waits(b);
    /* It computes, and its turns have not yet reached their full length: it continues at once, with a longer one. */
    if (!waits && b->turn.fuel < WARP_FUEL && !job->launch.mixed)
        return b;
    bool in_front = job->launch.mixed && !waits;
    pthread_mutex_lock(&s->lock);
    /* At the end of the list; where blocks are mixed, those that can continue precede those that wait. */
    struct block **at = s->first && !in_front ? s->end : &s->first;
    b->next = *at;
    *at = b;
    if (!b->next)
        s->end = &b->next;
    s->ready += in_front;
    unsigned count = atomic_fetch_add(&s->count, 1) + 1;
    unsigned turns_without_progress = atomic_fetch_add(&s->turns_without_progress, waits ? WAITING_TURN : 1);
    pthread_mutex_unlock(&s->lock);
    if (turns_without_progress % (WAITING_TURN * count) == 0 &&
        !may_begin_block(job, s)) /* the threads they wait for may need the CPU */
        sched_yield();
    return NULL;
}

static void count_blocks(const struct worker *worker, const struct block *first) {
    for (uint32_t r = 0; worker->counters && r < first->launch->cluster_blocks; r++)
        observer.block_counted(worker->counters, cluster_block(first, r));
}

/* Runs blocks until none are left. */
static void work(struct launch_job *job, struct worker *worker) {
    struct yielded_blocks own = {.lock = PTHREAD_MUTEX_INITIALIZER, .random_state = job->launch.id},
                          *yielded = worker->counters ? &own : &job->yielded;
    struct block *same = NULL, *spare = NULL;
    struct range taken = {0, 0};
    double since = now();
    for (unsigned turns = 1;; turns++) {
        if (turns % TIME_EVERY == 0)
            report_time(job, worker, &since);
        struct block *b = same ? same : choose_block(job, yielded, worker, &taken, &spare);
        if (!b)
            break;
        same = NULL;
        enum block_end how = cluster_run(b);
        /* Done, stopped or out of time: its memory serves the next block (spare). */
        if (how == BLOCK_YIELDED && !out_of_time(job, b) && !atomic_load(&job->launch.stop)) {
            same = yield_block(job, yielded, b);
            continue;
        }
        if (atomic_load_explicit(&yielded->turns_without_progress,
                                 memory_order_relaxed)) /* other workers read it all the time */
            atomic_store(&yielded->turns_without_progress, 0);
        stuck_block_ended(b);
        count_blocks(worker, b);
        cluster_free(spare);
        spare = b;
    }
    report_time(job, worker, &since);
    cluster_free(spare);
}

static void worker_do(struct launch_job *job, int index) {
    struct worker worker = {.index = index, .counters = observer.counters_new ? observer.counters_new() : NULL};
    worker.busy_before = busy();
    worker.cache_size = job->launch.kernel->access_count;
    worker.cache = zeroed(worker.cache_size + 1, sizeof *worker.cache);
    work(job, &worker);
    if (worker.counters)
        observer.counters_end(worker.counters);
    free(worker.cache);
}

/* ---- the pool ---- */

static struct launch_job *job_with_work(void) {
    for (struct launch_job *job = pool.jobs; job; job = job->next)
        if (atomic_load(&job->launch.next_block) < job->clusters && !atomic_load(&job->launch.stop))
            return job;
    return NULL;
}

static void *helper(void *argument) {
    int index = (int)(intptr_t)argument;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        struct launch_job *job = job_with_work();
        if (!job) {
            pool.idle++;
            pthread_cond_wait(&pool.work, &pool.lock);
            pool.idle--;
            continue;
        }
        job->workers++;
        pthread_mutex_unlock(&pool.lock);
        worker_do(job, index);
        pthread_mutex_lock(&pool.lock);
        job->workers--;
        pthread_cond_broadcast(&pool.done);
    }
    return NULL;
}

static void call_helpers(struct launch_job *job) {
    pthread_mutex_lock(&pool.lock);
    job->next = pool.jobs;
    pool.jobs = job;
    while (pool.helpers < grid_threads() - 1) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, helper, (void *)(intptr_t)(pool.helpers + 1)) != 0)
            break;
        pthread_detach(thread);
        pool.helpers++;
    }
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

static void dismiss_helpers(struct launch_job *job) {
    pthread_mutex_lock(&pool.lock);
    struct launch_job **at = &pool.jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    /* The job is on the caller's stack: no thread may access it any more. */
    while (job->workers)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

/* Zeros. 0 when there is no memory: then grid.sync() faults. */
static uint64_t workspace_new(const struct launch_config *config) {
    struct allocation *a =
        memory_allocate(WORKSPACE_BYTES, 0, MEMORY_VARIABLE, config->device, "workspace of the grid");
    if (!a)
        return 0;
    memset(a->host, 0, WORKSPACE_BYTES);
    return a->base;
}

static uint32_t local_bytes(const struct kernel *k, const struct launch_config *config) {
    uint32_t stack = config->stack ? config->stack : LIMIT_STACK_DEFAULT;
    return k->has_stack ? k->entry_local + (stack > k->stack_least ? stack : k->stack_least) : k->local_bytes;
}

/* Fills the launch's sizes. Returns how many clusters it has. */
static uint64_t part_into_clusters(struct launch *launch) {
    uint64_t clusters = 1;
    launch->cluster_blocks = 1;
    for (int i = 0; i < 3; i++) {
        launch->cluster[i] = launch->config.cluster[i] ? launch->config.cluster[i] : 1;
        launch->cluster_blocks *= launch->cluster[i];
        clusters *= launch->config.grid[i] / launch->cluster[i];
    }
    launch->plain_bytes = launch->cluster_blocks == 1 ? launch->shared_bytes : 0;
    launch->block_stride = block_bytes(launch);
    return clusters;
}

int grid_run(const struct kernel *kernel, const struct launch_config *config) {
    const uint32_t *b = config->block;
    struct launch_job job = {.launch.grid_wait.lock = PTHREAD_MUTEX_INITIALIZER,
                             .yielded.lock = PTHREAD_MUTEX_INITIALIZER};
    struct launch *launch = &job.launch;
    launch->kernel = kernel;
    launch->config = *config;
    launch->config.peers |= 1u << config->device;
    launch->id = job.yielded.random_state = atomic_fetch_add(&launch_count, 1) + 1;
    launch->mixed = atomic_load(&mixes);
    launch->warps_per_block = (b[0] * b[1] * b[2] + WARP_SIZE - 1) / WARP_SIZE;
    launch->shared_bytes = config->dynamic_shared ? kernel->dynamic_start + config->dynamic_shared
                                                  : kernel->reserved_shared + kernel->static_shared;
    launch->local_bytes = local_bytes(kernel, config);
    launch->params = config->params;
    job.clusters = part_into_clusters(launch);
    job.resident = most_resident(launch);
    double limit = setting_number(SETTING_TIMEOUT);
    launch->limit = limit > 0 ? limit : 0;
    launch->began = now();
    launch->workspace = config->cooperative ? workspace_new(config) : 0;
    if (observer.launch_begins)
        observer.launch_begins(launch);
    if (observer.launch_prepares)
        observer.launch_prepares(kernel);
    bool alone = job.clusters == 1 || grid_threads() == 1;
    if (!alone)
        call_helpers(&job);
    worker_do(&job, 0);
    if (!alone)
        dismiss_helpers(&job);
    if (observer.launch_ended)
        observer.launch_ended(launch);
    if (launch->workspace)
        memory_free(launch->workspace);
    if (observer.launch_counted)
        observer.launch_counted(launch);
    return atomic_load(&launch->error);
}
