/* Closes managed memory to the host at a launch, notes what the host touches, and compares that when the host has
 * waited. */
#include "check/managed_watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "check/allocation_watch.h"
#include "base/checks.h"
#include "check/hazards.h"
#include "memory/space.h"
#include "ptx/opcode.h"

#define MAX_REGIONS       256
#define MAX_HOST_ACCESSES 64

struct region {
    uint64_t base, bytes; /* whole pages; bytes 0: free */
    uint8_t *alias;
    _Atomic bool closed;
};

struct host_access {
    uint64_t address;
    bool write;
    const char *function;
    uint32_t serial;           /* of the last operation that had been submitted */
    struct stream_clock clock; /* what had been waited for */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of regions, but not of `closed` */
static struct region regions[MAX_REGIONS];
static struct host_access host_accesses[MAX_HOST_ACCESSES];
static _Atomic unsigned host_access_count;
static const struct stream_clock *host_clock;
static _Thread_local bool in_callback;

void managed_in_callback(bool in) {
    in_callback = in;
}

void managed_clock(const struct stream_clock *host) {
    host_clock = host;
}

static struct region *free_region(void) {
    for (int i = 0; i < MAX_REGIONS; i++)
        if (!regions[i].bytes)
            return &regions[i];
    return NULL;
}

void managed_open(struct allocation *a, uint8_t fill) {
    uint64_t page = space_page(), bytes = (a->size + page - 1) / page * page;
    void *base = (void *)(uintptr_t)a->base;
    pthread_mutex_lock(&lock);
    struct region *r = free_region();
    int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (r && mmap(base, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED) {
        /* Kernels go through the alias, which is never closed; the host's own addresses can be closed without
         * hindering them. */
        void *alias = mremap(base, 0, bytes, MREMAP_MAYMOVE); /* of size 0: a second mapping of the same pages */
        memset(base, fill, a->size);
        if (alias != MAP_FAILED) {
            r->base = a->base;
            r->bytes = bytes;
            r->alias = a->host = alias;
            atomic_store(&r->closed, false);
        }
    }
    pthread_mutex_unlock(&lock);
}

void managed_close(const struct allocation *a) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_REGIONS; i++)
        if (regions[i].bytes && regions[i].base == a->base) {
            munmap(regions[i].alias, regions[i].bytes);
            regions[i].bytes = 0;
        }
    pthread_mutex_unlock(&lock);
}

static void set_closed(bool closed) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_REGIONS; i++) {
        struct region *r = &regions[i];
        if (!r->bytes || atomic_exchange(&r->closed, closed) == closed)
            continue;
        mprotect((void *)(uintptr_t)r->base, r->bytes, closed ? PROT_NONE : PROT_READ | PROT_WRITE);
    }
    pthread_mutex_unlock(&lock);
}

void managed_protect(void) {
    set_closed(true);
}

bool managed_fault(uint64_t address, bool write, const char *function) {
    for (int i = 0; i < MAX_REGIONS; i++) {
        struct region *r = &regions[i];
        if (address - r->base >= r->bytes || !atomic_exchange(&r->closed, false))
            continue;
        /* Called in a signal handler: no lock, no allocation, a fixed number of slots. */
        unsigned n = in_callback ? MAX_HOST_ACCESSES : atomic_fetch_add(&host_access_count, 1);
        if (n < MAX_HOST_ACCESSES) {
            host_accesses[n] = (struct host_access){address, write, function, stream_order_last(), {{0}}};
            if (host_clock)
                host_accesses[n].clock = *host_clock;
        }
        return mprotect((void *)(uintptr_t)r->base, r->bytes, PROT_READ | PROT_WRITE) == 0;
    }
    return false;
}

/* ---- afterwards ---- */

/* Accesses of system scope are meant for the host, which also has atomics; whether a store by the host is an atomic
 * cannot be seen. A volatile access is of that scope, too. */
static bool is_of_system(const struct full_record *m, const struct kernel *k) {
    uint32_t index = RECORD_INSN(m->record.packed);
    const struct ptx_insn *p = index < k->code.count ? k->code.sources[index] : NULL;
    return m->record.packed & RECORD_STRONG && p && p->opcode &&
           (opcode_has(p->opcode, "sys") || opcode_has(p->opcode, "volatile") || opcode_has(p->opcode, "mmio"));
}

/* The launch that left the record had been submitted, and had not been waited for. */
static bool races_with_host(const struct host_access *t, const struct full_record *m, struct ran *r) {
    return m->launch && m->launch <= t->serial && stream_order_find(m->launch, r) && r->kernel &&
           t->clock.last[r->stream] < r->number && !is_of_system(m, r->kernel);
}

static void note_host_access(struct hazards *all, const struct host_access *t, const struct allocation *a,
                             const struct ran *r, const struct full_record *m, bool write_then) {
    struct launch launch = {0};
    memcpy(launch.config.grid, r->grid, sizeof r->grid);
    memcpy(launch.config.block, r->block, sizeof r->block);
    uint32_t index = RECORD_INSN(m->record.packed);
    struct hazard h = {.kind = HAZARD_RACE,
                       .relation = RELATION_HOST,
                       .kernel = r->kernel,
                       .kernel_then = r->kernel,
                       .then = index < r->kernel->code.count ? &r->kernel->code.insns[index] : NULL,
                       .host_now = true,
                       .host_function = t->function,
                       .space = SPACE_GLOBAL,
                       .address = t->address & ~(uint64_t)3,
                       .bytes = 4,
                       .write = t->write,
                       .write_then = write_then,
                       .allocation = a};
    h.who_then = hazard_thread_at(&launch, m->block, RECORD_WARP(m->record.packed), m->record.packed & RECORD_LANE);
    hazards_note(all, &h);
}

static void compare(struct hazards *all, const struct host_access *t) {
    const struct allocation *a = memory_find(t->address);
    struct ran r;
    if (!a || !a->watch || !a->limit)
        return;
    struct race_chunk *c = allocation_chunk(a, t->address);
    if (!c || !chunk_is_used(c))
        return;
    uint64_t at = (t->address - a->base) & (((uint64_t)1 << CHUNK_SHIFT) - 1);
    chunk_lock(c);
    chunk_propagate_log(c);
    /* One word suffices: the host faults at its first access to a closed region, and that is what is reported. */
    const struct shadow_word word = chunk_shadow(c, at >> chunk_unit_shift(c), NULL);
    chunk_close(c);
    const struct full_record *records[] = {&word.write, &word.strong, &word.reads[0], &word.reads[1]};
    for (int i = 0; i < (t->write ? 4 : 2); i++)
        if (races_with_host(t, records[i], &r)) {
            note_host_access(all, t, a, &r, records[i], i < 2);
            return;
        }
}

void managed_settle(bool idle) {
    static struct hazards hazards = {.lock = PTHREAD_MUTEX_INITIALIZER};
    unsigned n = atomic_load(&host_access_count);
    for (unsigned i = 0; i < n && i < MAX_HOST_ACCESSES; i++)
        compare(&hazards, &host_accesses[i]);
    if (n) {
        atomic_store(&host_access_count, 0);
        hazards_report(&hazards);
    }
    if (idle)
        set_closed(false);
}
