/* See counters.h. */
#include "profile/counters.h"

#include <pthread.h>
#include <string.h>

#include "memory/access.h"
#include "memory/memory.h"
#include "profile/patterns.h"

#define SECTOR_PERIOD 32
#define BANK_PERIOD   128
#define EXPORT        __attribute__((visibility("default")))

extern int cudaDeviceSynchronize(void); /* of this library: api/ */

static _Atomic bool on;
static struct emulatorCounters process;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool counters_on(void) {
    return atomic_load_explicit(&on, memory_order_relaxed);
}

/* ---- one instruction ---- */

static unsigned lanes_of(uint32_t mask) {
    return (unsigned)__builtin_popcount(mask);
}

static void count_global(struct counters *c, const struct access *a, const uint64_t *addresses, uint32_t mask) {
    struct emulatorCounters *t = &c->totals;
    unsigned bytes = (unsigned)a->bytes * a->count;
    if (a->kind == ACCESS_ATOMIC) {
        t->global_atomic_requests++;
        return;
    }
    unsigned sectors = patterns_count(c->patterns, a->slot, count_sectors, SECTOR_PERIOD, addresses, mask, bytes);
    bool load = a->kind == ACCESS_LOAD;
    *(load ? &t->global_load_requests : &t->global_store_requests) += 1;
    *(load ? &t->global_load_sectors : &t->global_store_sectors) += sectors;
    *(load ? &t->global_load_bytes : &t->global_store_bytes) += (uint64_t)bytes * lanes_of(mask);
}

static void count_shared(struct counters *c, const struct access *a, const uint64_t *addresses, uint32_t mask) {
    struct emulatorCounters *t = &c->totals;
    unsigned bytes = (unsigned)a->bytes * a->count;
    if (a->kind == ACCESS_ATOMIC) {
        t->shared_atomic_requests++;
        return;
    }
    bool load = a->kind == ACCESS_LOAD;
    count_fn count = load ? count_load_wavefronts : count_store_wavefronts;
    unsigned passes = patterns_count(c->patterns, a->slot, count, BANK_PERIOD, addresses, mask, bytes);
    *(load ? &t->shared_load_requests : &t->shared_store_requests) += 1;
    *(load ? &t->shared_load_wavefronts : &t->shared_store_wavefronts) += passes;
}

static void count_space(struct counters *c, const struct access *a, enum ptx_space space, const uint64_t *addresses,
                        uint32_t mask) {
    if (!mask)
        return;
    switch (space) {
    case SPACE_GLOBAL:
        count_global(c, a, addresses, mask);
        break;
    case SPACE_SHARED:
        count_shared(c, a, addresses, mask);
        break;
    case SPACE_LOCAL:
        c->totals.local_requests++;
        break;
    default:
        break; /* constant memory and parameters have a cache of their own */
    }
}

/* A generic access is one request in each space that its lanes' addresses belong to. */
static void count_generic(struct counters *c, const struct access *a, const uint64_t *addresses, uint32_t mask) {
    uint32_t shared = 0, local = 0, global = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = first_lane(left);
        uint64_t window = addresses[l] >> WINDOW_SHIFT << WINDOW_SHIFT;
        uint32_t bit = (uint32_t)1 << l;
        if (window == SHARED_WINDOW)
            shared |= bit;
        else if (window == LOCAL_WINDOW)
            local |= bit;
        else if (window != PARAM_WINDOW)
            global |= bit;
    }
    count_space(c, a, SPACE_GLOBAL, addresses, global);
    count_space(c, a, SPACE_SHARED, addresses, shared);
    count_space(c, a, SPACE_LOCAL, addresses, local);
}

static void count_memory(struct counters *c, const struct warp *w, const struct insn *in) {
    const struct access *a = in->extra;
    uint64_t addresses[WARP_SIZE];
    if (a->space == SPACE_PARAM || a->space == SPACE_CONST)
        return;
    if (!c->patterns)
        c->patterns = patterns_new(); /* without memory for it, patterns are counted each time */
    access_addresses(w, in, addresses);
    if (a->space == SPACE_GENERIC)
        count_generic(c, a, addresses, w->mask);
    else
        count_space(c, a, a->space, addresses, w->mask);
}

void counters_instruction(struct counters *c, const struct warp *w, const struct insn *in) {
    unsigned lanes = lanes_of(w->mask);
    c->totals.warp_instructions += in->folded;
    c->totals.thread_instructions += (uint64_t)in->folded * lanes;
    if (in->flags & INSN_PSEUDO)
        return;
    c->totals.warp_instructions++;
    c->totals.thread_instructions += lanes;
    if (in->flags & INSN_FLOAT)
        c->totals.float_operations += lanes;
    if (in->flags & INSN_FLOAT_FMA)
        c->totals.float_operations += 2 * lanes;
    if (in->flags & INSN_BARRIER)
        c->totals.barriers++;
    if (in->flags & INSN_MEMORY)
        count_memory(c, w, in);
}

void counters_branch(struct counters *c, bool diverged) {
    c->totals.branches++;
    c->totals.divergent_branches += diverged;
}

/* ---- the process's sums ---- */

void counters_flush(struct counters *c) {
    /* All members are counters, so both are arrays of them. */
    enum { COUNT = sizeof(struct emulatorCounters) / sizeof(uint64_t) };
    uint64_t from[COUNT], to[COUNT];
    pthread_mutex_lock(&lock);
    memcpy(from, &c->totals, sizeof from);
    memcpy(to, &process, sizeof to);
    for (int i = 0; i < COUNT; i++)
        to[i] += from[i];
    memcpy(&process, to, sizeof to);
    pthread_mutex_unlock(&lock);
    patterns_free(c->patterns);
    *c = (struct counters){0};
}

void counters_launch_done(void) {
    if (!counters_on())
        return;
    pthread_mutex_lock(&lock);
    process.launches++;
    pthread_mutex_unlock(&lock);
}

EXPORT void emulatorCountersStart(void) {
    cudaDeviceSynchronize();
    pthread_mutex_lock(&lock);
    memset(&process, 0, sizeof process);
    pthread_mutex_unlock(&lock);
    atomic_store(&on, true);
}

EXPORT void emulatorCountersStop(struct emulatorCounters *out, size_t size) {
    cudaDeviceSynchronize();
    atomic_store(&on, false);
    pthread_mutex_lock(&lock);
    memcpy(out, &process, size < sizeof process ? size : sizeof process);
    pthread_mutex_unlock(&lock);
}
